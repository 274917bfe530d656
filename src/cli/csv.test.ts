import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

const columns = [
  { head: 'name', cell: ({ name }: { readonly name: string }) => name },
  { head: 'length', cell: ({ name }: { readonly name: string }) => `${name.length}` },
];

test.each([
  { why: 'a comma is quoted', name: 'a,b', want: '"a,b"' },
  { why: 'a quotation mark is doubled', name: 'a"b', want: '"a""b"' },
  { why: 'a line end is quoted', name: 'a\r\nb', want: '"a\r\nb"' },
  { why: 'what a spreadsheet would run is text', name: '=1+1', want: "'=1+1" },
  { why: 'anything else is as it is', name: 'Zoë', want: 'Zoë' },
])('a table as CSV: $why', ({ name, want }) => {
  expect(toCsv([{ name }], columns)).toBe(`name,length\r\n${want},${name.length}\r\n`);
});
