import type { Column } from './table.ts';

/** Prints a table as CSV: a line of heads, then one for each item, with CRLF. @see RFC 4180 */
export function toCsv<Item>(items: readonly Item[], columns: readonly Column<Item>[]): string {
  const lines = [
    columns.map(({ head }) => head),
    ...items.map((item) => columns.map(({ cell }) => toText(cell(item)))),
  ];
  return lines.map((cells) => `${cells.map(toField).join(',')}\r\n`).join('');
}

function toText(cell: ReturnType<Column<unknown>['cell']>): string {
  return typeof cell === 'string' ? cell : cell.text;
}

/** A spreadsheet would run a text that begins like a formula, so a mark that it shows as text goes before it. */
function toField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
