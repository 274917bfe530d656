import { expect, test } from 'vitest';
import type { Column } from '../ops/lists/list.ts';
import { toCsv } from '../ops/lists/list.ts';
import { toTable } from './table.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly since: string;
  readonly problem: string;
}

const columns: readonly Column<Row>[] = [
  { name: 'id', place: 'whole', value: ({ id }) => id },
  { name: 'name', value: ({ name }) => name },
  { name: 'since', place: 'minor', value: ({ since }) => since },
  { name: 'problem', value: ({ problem }) => problem },
];
const row: Row = {
  id: '2819c223-7f76-453a-919d-413861904646',
  name: 'ada@example.com',
  since: '2026-11-23 15:00:00Z',
  problem: 'the service refuses this name because it is taken already',
};
const at = (width: number) => ({ terminal: { columns: () => width, hasColours: false } });

test('at 80 columns an id is whole, and what matters less is left out before names are cut off', () => {
  const [head, line] = toTable([row], columns, at(80)).split('\n');

  expect(head).toBe('ID                                    NAME             PROBLEM');
  expect(line).toBe(
    '2819c223-7f76-453a-919d-413861904646  ada@example.com  the service refuses this…',
  );
});

test('a narrower terminal cuts off even that, and no line is longer than it', () => {
  for (const width of [79, 60, 40, 24]) {
    const lines = toTable([row], columns, at(width)).split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
  }
});

test('characters that take two places keep the columns straight, and a cut falls between them', () => {
  const short = { ...row, since: '', problem: 'x' };
  const rows = ['日本語の名前です', 'plain'].map((name) => ({ ...short, name }));
  const lines = toTable(rows, columns, at(57)).split('\n');

  expect(lines[1]).toBe(`${row.id}  日本語の…   x`);
  expect(lines[2]).toBe(`${row.id}  plain       x`);
});

test('colours are for a terminal that has them, and take no place', () => {
  const toColoured = (hasColours: boolean) => {
    const name: Column<Row> = { name: 'name', value: () => 'held', tone: () => 'waiting' };
    const terminal = { columns: () => 80, hasColours };
    return toTable([row], [name, { name: 'since', value: ({ since }) => since }], { terminal });
  };

  expect(toColoured(true)).toBe(
    `\u001b[1mNAME\u001b[22m  \u001b[1mSINCE\u001b[22m\n\u001b[33mheld\u001b[39m  ${row.since}\n`,
  );
  expect(toColoured(false)).toBe(`NAME  SINCE\nheld  ${row.since}\n`);
});

test('columns without an entry are left out at a terminal, and are there in a file', () => {
  const bare = { ...row, problem: '', since: '' };

  expect(toTable([bare], columns, at(200))).toMatch(/^ID +NAME\n/);
  expect(toTable([bare], columns, {})).toMatch(/^ID +NAME +SINCE +PROBLEM\n/);
});

test('twenty thousand rows are no more work each than ten', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ ...row, name: `person ${index}` }));

  const lines = toTable(rows, columns, at(80)).split('\n');

  expect(lines).toHaveLength(20_002);
});

const CSV_COLUMNS: readonly Column<{ readonly name: string }>[] = [
  { name: 'name', value: ({ name }) => name },
  { name: 'length', value: ({ name }) => name.length },
];

test.each([
  { why: 'a comma is quoted', name: 'a,b', want: '"a,b"' },
  { why: 'a quotation mark is doubled', name: 'a"b', want: '"a""b"' },
  { why: 'a line end is quoted', name: 'a\r\nb', want: '"a\r\nb"' },
  ...['=1+1', '+1', '-1', '@a', '\t=1'].map((name) => ({
    ...{ why: 'what a spreadsheet would run is text', name, want: `'${name}` },
  })),
  { why: 'anything else is as it is', name: 'Zoë', want: 'Zoë' },
])('a table as CSV: $why ($name)', ({ name, want }) => {
  expect(toCsv([{ name }], CSV_COLUMNS)).toBe(`name,length\r\n${want},${name.length}\r\n`);
});
