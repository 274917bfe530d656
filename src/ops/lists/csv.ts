import type { Column } from './list.ts';

/** Prints a list as CSV: a line of heads, then one for each item, with CRLF. @see RFC 4180 */
export function toCsv<Item>(items: readonly Item[], columns: readonly Column<Item>[]): string {
  const kept = columns.filter(({ place }) => place !== 'shown');
  const lines = [
    kept.map(({ name }) => name),
    ...items.map((item) => kept.map((column) => String(column.value(item) ?? ''))),
  ];
  return lines.map((cells) => `${cells.map(toField).join(',')}\r\n`).join('');
}

/** A spreadsheet would run a text that begins like a formula, so a mark that it shows as text goes before it. */
function toField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
