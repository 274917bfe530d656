import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'string-width';
import type { CliContext } from './context.ts';

/** Colour of a cell. */
export type Colour = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

/** Text of a cell, with the colour that it has on a terminal. */
export interface Cell {
  readonly text: string;
  readonly colour?: Colour | undefined;
}

/** A cell that is read last. */
export function toDim(text: string): Cell {
  return { text, colour: 'dim' };
}

/** One column of a table. */
export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => string | Cell;
  /** `whole`: is typed into another command, so it is cut off last; `minor`: is left out where the line is too short. */
  readonly rank?: 'whole' | 'minor';
}

/** Facts about the output that a table is made for. */
export type Output = Pick<CliContext, 'terminal'>;

/** Space between two columns. */
const GAP = '  ';
/** Places that a column keeps while another one can be left out. */
const WIDTH_GOOD = 10;
/** Places that a column keeps, however narrow the terminal is. */
const WIDTH_MIN = 4;

/** One column with its cells, the head first. */
interface Filled {
  readonly rank: Column<unknown>['rank'];
  readonly cells: readonly Cell[];
  readonly width: number;
}

/** Prints a table that fits the terminal; elsewhere every column is there, and every cell is whole. */
export function toTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  output: Output,
): string {
  const filled = columns.map(({ head, cell, rank }): Filled => {
    const cells = [
      { text: head.toUpperCase(), colour: 'bold' } as const,
      ...items.map((item) => toCell(cell(item))),
    ];
    const width = cells.reduce((most, { text }) => Math.max(most, toWidth(text)), 0);
    return { rank, cells, width };
  });
  const line = output.terminal?.columns();
  const shown = line === undefined ? filled : fitColumns(filled, line);
  const paint = createPaint(output);
  const last = shown.length - 1;
  const toLine = (row: number) =>
    shown.map(({ cells, width }, place) => {
      const { text = '', colour } = cells[row] ?? {};
      const cut = toCut(text, width);
      const padding = place === last ? '' : ' '.repeat(width - toWidth(cut));
      return `${paint({ text: cut, colour })}${padding}`;
    });
  const lines = Array.from({ length: items.length + 1 }, (_, row) => toLine(row).join(GAP));
  return `${lines.map((text) => text.trimEnd()).join('\n')}\n`;
}

/** Creates a painter: colours are for a terminal alone. */
export function createPaint({ terminal }: Output): (cell: Cell) => string {
  const hasColours = terminal?.hasColours === true;
  return ({ text, colour }) =>
    hasColours && colour !== undefined && text !== ''
      ? styleText(colour, text, { validateStream: false })
      : text;
}

/** Leaves out what is empty, then narrows the widest columns, then leaves out minor ones, until the line fits. */
function fitColumns(columns: readonly Filled[], line: number): readonly Filled[] {
  let shown = columns.filter(
    ({ cells }) => cells.length === 1 || cells.some(({ text }, row) => row > 0 && text !== ''),
  );
  for (;;) {
    const flexible = narrow(shown, line, { floor: WIDTH_GOOD, isWhole: true });
    if (toLength(flexible) <= line) return flexible;
    const minor = shown.findLast(({ rank }) => rank === 'minor');
    if (minor === undefined) break;
    shown = shown.filter((column) => column !== minor);
  }
  const narrowed = narrow(shown, line, { floor: WIDTH_MIN, isWhole: true });
  return narrow(narrowed, line, { floor: WIDTH_MIN, isWhole: false });
}

function toLength(columns: readonly Filled[]): number {
  const gaps = GAP.length * Math.max(columns.length - 1, 0);
  return columns.reduce((sum, { width }) => sum + width, gaps);
}

/** Narrows the widest columns, each to the floor at most. `isWhole`: those with a rank stay. */
function narrow(
  columns: readonly Filled[],
  line: number,
  { floor, isWhole }: { readonly floor: number; readonly isWhole: boolean },
): readonly Filled[] {
  const narrowed = columns.map((column) => ({ ...column, width: Math.min(column.width, line) }));
  for (let excess = toLength(columns) - line; excess > 0; excess -= 1) {
    const free = narrowed.filter(
      ({ rank, width }) => width > floor && !(isWhole && rank !== undefined),
    );
    const widest = free.reduce<(typeof free)[number] | undefined>(
      (most, column) => (most === undefined || column.width > most.width ? column : most),
      undefined,
    );
    if (widest === undefined) return narrowed;
    widest.width -= 1;
  }
  return narrowed;
}

/** Places that a text takes on a terminal, where some characters take two. */
function toWidth(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

/** A text of at most so many places. */
function toCut(text: string, width: number): string {
  if (toWidth(text) <= width) return text;
  let [cut, left] = ['', width - 1];
  for (const character of text) {
    left -= toWidth(character);
    if (left < 0) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Names come from others: no control character of theirs reaches the terminal. */
function toCell(value: string | Cell): Cell {
  const { text, colour } = typeof value === 'string' ? { text: value, colour: undefined } : value;
  return { text: toPlain(text), colour };
}

/** A text on one line, without control characters. */
export function toPlain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ');
}
