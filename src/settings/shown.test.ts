import { expect, test } from 'vitest';
import { type SettingRow, settingRows } from './rows.ts';
import { toShownRefusal, toShownValue } from './shown.ts';

function getRow(name: string): SettingRow {
  const row = settingRows.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no setting is called ${name}`);
  return row;
}

const shown = [
  { name: 'upstream.token', value: 's3cret', want: '(hidden)' },
  { name: 'scim.tokens', value: ['a', 'b'], want: '(hidden, 2)' },
  {
    name: 'database.url',
    value: 'postgres://bridge:s3@cret@db/x',
    want: 'postgres://(hidden)@db/x',
  },
  {
    name: 'database.url',
    value: 'postgres://db/x?password=s3cret',
    want: 'postgres://db/x?(hidden)',
  },
  { name: 'database.url', value: 'sqlite:data/bridge.db', want: 'sqlite:data/bridge.db' },
  { name: 'scim.writeWait', value: 3_000, want: '3s' },
  { name: 'retention.ledger', value: 2_592_000_000, want: '30d' },
  { name: 'upstream.timeout', value: 1_500, want: '1500ms' },
  { name: 'shutdown.delay', value: 0, want: '0' },
  { name: 'drift.policy', value: { default: 'report', kinds: {} }, want: 'report' },
  {
    name: 'drift.policy',
    value: { default: 'report', kinds: { 'member.added': 'repair' } },
    want: '{"default":"report","member.added":"repair"}',
  },
  { name: 'protect.users', value: ['a', 'b'], want: 'a, b' },
];
for (const { name, value, want } of shown) {
  test(`${name} ${JSON.stringify(value)} is shown as ${want}`, () => {
    expect(toShownValue(getRow(name), value)).toBe(want);
  });
}

test('a long refused value is shortened', () => {
  expect(toShownRefusal(getRow('port'), 'x'.repeat(5_000))).toHaveLength(101);
});
