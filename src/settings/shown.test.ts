import { expect, test } from 'vitest';
import type { SettingRow } from './rows.ts';
import { settingRows } from './rows.ts';
import { toShownRefusal, toShownValue } from './shown.ts';

function getRow(name: string): SettingRow {
  const row = settingRows.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no setting is called ${name}`);
  return row;
}

const shown: readonly (readonly [
  name: string,
  value: string | unknown[] | number | object,
  want: string,
])[] = [
  ['upstream.token', 's3cret', '(hidden)'],
  ['scim.tokens', ['a', 'b'], '(hidden, 2)'],
  ['database.url', 'postgres://bridge:s3@cret@db/x', 'postgres://(hidden)@db/x'],
  ['database.url', 'postgres://db/x?password=s3cret', 'postgres://db/x?(hidden)'],
  ['database.url', 'sqlite:data/bridge.db', 'sqlite:data/bridge.db'],
  ['scim.writeWait', 3_000, '3s'],
  ['retention.ledger', 2_592_000_000, '30d'],
  ['upstream.timeout', 1_500, '1500ms'],
  ['shutdown.delay', 0, '0'],
  ['drift.policy', { default: 'report', kinds: {} }, 'report'],
  [
    'drift.policy',
    { default: 'report', kinds: { 'member.added': 'repair' } },
    '{"default":"report","member.added":"repair"}',
  ],
  ['protect.users', ['a', 'b'], 'a, b'],
];
for (const [name, value, want] of shown) {
  test(`${name} ${JSON.stringify(value)} is shown as ${want}`, () => {
    expect(toShownValue(getRow(name), value)).toBe(want);
  });
}

test('a long refused value is shortened', () => {
  expect(toShownRefusal(getRow('port'), 'x'.repeat(5_000))).toHaveLength(101);
});
