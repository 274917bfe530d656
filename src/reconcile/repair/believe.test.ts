import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { NewUserRow } from '../../store/users/users.ts';
import { isBelieved, listUnknownUsers } from './believe.ts';

const READ_AT = 1_000_000;
const DAY_MS = 24 * 60 * 60_000;
const doc = { userName: 'ada', emails: [{ value: 'Ada@example.com', primary: true }] };

test.each<{ why: string; source: 'first-run' | 'restore'; ageMs: number; believed: boolean }>([
  {
    why: 'after observing it is',
    source: 'first-run',
    ageMs: DAY_MS - 1,
    believed: true,
  },
  { why: 'for a day', source: 'first-run', ageMs: DAY_MS, believed: false },
  {
    why: 'a restored backup may have created more than it knows',
    source: 'restore',
    ageMs: 1,
    believed: false,
  },
])('a complete read is believed: $why', ({ source, ageMs, believed }) => {
  expect(isBelieved({ created_at: READ_AT, source }, READ_AT + ageMs)).toBe(believed);
});

describeStores('a person without an account', ({ makeStore }) => {
  test.each<{ why: string; change: Partial<NewUserRow>; seen?: Partial<NewUserRow> }>([
    { why: 'a create of theirs may have left', change: { sent_creates: '[{"name":"ada"}]' } },
    { why: 'a lost create is looked for', change: { lost_looks: 1 } },
    { why: 'something was asked of them since', change: { modified_at: READ_AT } },
    { why: 'an account has the userName', change: {}, seen: { observed_user_name_folded: 'ada' } },
    {
      why: 'an account has the address',
      change: {},
      seen: { observed_email_folded: 'ada@example.com' },
    },
  ])('may be in the service all the same: $why', async ({ change, seen }) => {
    const store = await makeStore();
    const ada = await addUser(store, { doc, ...change });
    const bob = await addUser(store, { doc: { userName: 'bob' } });
    if (seen) await addUser(store, { origin: null, upstream_id: 7, ...seen });

    const unknown = await listUnknownUsers(store.read, [ada, bob], READ_AT);

    expect(unknown).toEqual([bob.id]);
  });

  test('is surely not in the service where nothing of that is so', async () => {
    const store = await makeStore();
    const ada = await addUser(store, { doc });
    await addUser(store, { origin: null, upstream_id: 7, observed_user_name_folded: 'other' });

    expect(await listUnknownUsers(store.read, [ada], READ_AT)).toEqual([ada.id]);
  });
});
