import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'string-width';
import type { Fact } from '../ops/lists/details.ts';
import type { Column, Tone } from '../ops/lists/list.ts';
import { toCell, toCsv } from '../ops/lists/list.ts';

const COLOURS = {
  good: 'green',
  info: undefined,
  waiting: 'yellow',
  bad: 'red',
  quiet: 'dim',
  head: 'bold',
} as const;

/** Where a text is shown. */
export interface Screen {
  /** Terminal of standard output; undefined: a file, a pipe or a log. Some want no colours (https://no-color.org). */
  readonly terminal?: { readonly columns: () => number; readonly hasColours: boolean } | undefined;
}

const GAP = '  ';
/** Places that a column keeps while another one can be left out. */
const WIDTH_GOOD = 10;
/** Places that a column keeps, however narrow the terminal is. */
const WIDTH_MIN = 4;

interface Filled {
  readonly isMinor: boolean;
  /** Cut off last: an id and a moment are of no use in part. */
  readonly isFixed: boolean;
  readonly cells: readonly { readonly text: string; readonly tone: Tone | 'head' }[];
  readonly width: number;
}

/** The table of a result; what is above the limit is in CSV alone. Without items it is no text. */
export function tableOf<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  { limit = items.length, hasMore = false }: { limit?: number; hasMore?: boolean } = {},
) {
  const some = items.slice(0, limit);
  const isCut = hasMore || items.length > limit;
  const more = isCut ? `There are more than these ${some.length}: --limit\n` : '';
  return {
    toCsv: () => toCsv(items, columns),
    toText: (screen: Screen) =>
      some.length === 0 ? '' : `${toTable(some, columns, screen)}${more}`,
  };
}

/** Prints a table that fits the terminal; elsewhere every column is there, and every cell is whole. */
export function toTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  screen: Screen,
): string {
  const filled = columns
    .filter(({ place }) => place !== 'csv')
    .map((column): Filled => {
      const head = { text: column.name.toUpperCase(), tone: 'head' } as const;
      const cells = items.map((item) => {
        const { text, tone = 'info' } = toCell(column, item);
        const shown = column.kind === 'id' ? ('quiet' as const) : tone;
        return { text: toMoments(toPlain(text)), tone: shown };
      });
      const all = [head, ...cells];
      const width = all.reduce((most, { text }) => Math.max(most, toWidth(text)), 0);
      const isMinor = column.place === 'minor';
      const isFixed = isMinor || column.place === 'whole' || column.kind === 'time';
      return { isMinor, isFixed, cells: all, width };
    });
  const line = screen.terminal?.columns();
  const shown = line === undefined ? filled : fitColumns(filled, line);
  const paint = createPaint(screen);
  const toLine = (row: number) =>
    shown.map(({ cells, width }) => {
      const { text = '', tone = 'info' } = cells[row] ?? {};
      const cut = toCut(text, width);
      return `${paint(cut, tone)}${' '.repeat(width - toWidth(cut))}`;
    });
  const lines = Array.from({ length: items.length + 1 }, (_, row) => toLine(row).join(GAP));
  return `${lines.map((text) => text.trimEnd()).join('\n')}\n`;
}

/** Creates a painter: colours are for a terminal alone. */
export function createPaint({ terminal }: Screen): (text: string, tone: Tone | 'head') => string {
  return (text, tone) => {
    const colour = COLOURS[tone];
    const isPlain = terminal?.hasColours !== true || colour === undefined || text === '';
    return isPlain ? text : styleText(colour, text, { validateStream: false });
  };
}

/** Leaves out what is empty, then minor columns, and narrows the widest; what is typed into another command is cut off last. */
function fitColumns(columns: readonly Filled[], line: number): readonly Filled[] {
  const shown = columns
    .filter(({ cells }) => cells.length === 1 || cells.slice(1).some(({ text }) => text !== ''))
    .map((column) => ({ ...column, width: Math.min(column.width, line) }));
  const toLength = (toLeast: (column: Filled) => number) =>
    shown.reduce((sum, column) => sum + GAP.length + toLeast(column), -GAP.length);
  const toGood = (one: Filled) => (one.isFixed ? one.width : Math.min(one.width, WIDTH_GOOD));
  for (;;) {
    const minor = shown.findLastIndex(({ isMinor }) => isMinor);
    if (minor < 0 || toLength(toGood) <= line) break;
    shown.splice(minor, 1);
  }
  for (let excess = toLength(({ width }) => width) - line; excess > 0; excess -= 1) {
    const [widest] = shown
      .filter(({ width }) => width > WIDTH_MIN)
      .toSorted((a, b) => Number(a.isFixed) - Number(b.isFixed) || b.width - a.width);
    if (widest === undefined) break;
    widest.width -= 1;
  }
  return shown;
}

/** Places that a text takes on a terminal, where some characters take two. */
function toWidth(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text);
}

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

/** Writes the moments of a sentence to the second. */
export function toMoments(text: string): string {
  return text.replaceAll(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, '$1 $2Z');
}

/** Prints names with their values, a line each. */
export function toDetails(facts: readonly Fact[], screen: Screen): string {
  const paint = createPaint(screen);
  const width = facts.reduce((most, { title }) => Math.max(most, title.length), 0);
  const lines = facts.map(({ title, text, tone = 'info' }) => {
    return `  ${title.padEnd(width)}  ${paint(toMoments(toPlain(text)), tone)}\n`;
  });
  return lines.join('');
}

/** Lines for a terminal: with moments to the second, and without control characters of others. */
export function toText(lines: string): string {
  return `${toMoments(stripVTControlCharacters(lines).replaceAll(/[^\P{Cc}\n]+/gu, ' '))}\n`;
}

/** A text on one line, without control characters: names come from others, and none of theirs may reach the terminal. */
export function toPlain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ');
}
