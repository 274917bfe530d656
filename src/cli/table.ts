import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import { createColors } from 'picocolors';
import type { CliContext } from './context.ts';

/** Colour of a cell. */
export type Colour = 'red' | 'yellow' | 'green' | 'dim' | 'bold';

/** Text of a cell, with the colour that it has on a terminal. */
export interface Cell {
  readonly text: string;
  readonly colour?: Colour | undefined;
}

/** One column of a table. */
export interface Column<Item> {
  readonly head: string;
  readonly cell: (item: Item) => string | Cell;
}

/** Facts about the output that a table is made for. */
export type Output = Pick<CliContext, 'terminal'>;

/** Spaces between two columns. */
const GAP = 2;
/** Characters that a column keeps, however narrow the terminal is. */
const WIDTH_MIN = 4;

/** Prints a table that fits the terminal; elsewhere every cell is whole. */
export function toTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  output: Output,
): string {
  const heads = columns.map(({ head }): Cell => ({ text: head.toUpperCase(), colour: 'bold' }));
  const rows = [heads, ...items.map((item) => columns.map(({ cell }) => toCell(cell(item))))];
  const natural = columns.map((_, place) =>
    Math.max(...rows.map((row) => row[place]?.text.length ?? 0)),
  );
  const widths = narrow(natural, output.terminal?.columns());
  const isNarrowed = widths.some((width, place) => width !== natural[place]);
  const paint = createPaint(output);
  const table = new Table({
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    // Without widths a column is as wide as its text, in which some characters take two places.
    ...(isNarrowed && { colWidths: widths.map((width) => width + GAP) }),
    truncate: '…',
  });
  for (const row of rows) table.push(row.map((cell) => paint(cell)));
  return `${table.toString().replaceAll(/ +$/gm, '')}\n`;
}

/** Creates a painter: colours are for a terminal alone. */
export function createPaint({ terminal }: Output): (cell: Cell) => string {
  const colours = createColors(terminal?.hasColours === true);
  return ({ text, colour }) => (colour === undefined || text === '' ? text : colours[colour](text));
}

/** Narrows the widest columns until the line fits. */
function narrow(natural: readonly number[], line: number | undefined): number[] {
  const widths = [...natural];
  if (line === undefined) return widths;
  const available = line - GAP * (widths.length - 1);
  for (;;) {
    const excess = widths.reduce((sum, width) => sum + width, 0) - available;
    const widest = Math.max(...widths);
    if (excess <= 0 || widest <= WIDTH_MIN) return widths;
    widths[widths.indexOf(widest)] = widest - 1;
  }
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

const NO_BORDERS = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left'],
    ...['bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'],
  ].map((name) => [name, '']),
);
