import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { foldCase } from '../../domain/fold.ts';
import type { Store } from '../../store/store.ts';
import type { NewUserRow } from '../../store/users/users.ts';
import { matchAccount } from './match-account.ts';

/** A user in the store: shown as `name`, seen in the service under `seenName` and `seenEmail`. */
interface Known {
  readonly name: string;
  readonly seenName?: string;
  readonly seenEmail?: string;
  readonly is?: 'managed' | 'deleted' | 'deleted, without an account';
  readonly account?: number;
}

interface MatchCase {
  readonly why: string;
  readonly known: readonly Known[];
  readonly userName?: string;
  readonly address?: string | undefined;
  readonly want: string;
  /** Index in `known` of the user that is found. */
  readonly who?: number;
}

const ada: Known = { name: 'Ada@x', seenName: 'ada@x', seenEmail: 'ada@x' };

const cases: MatchCase[] = [
  { why: 'nobody is known', known: [], want: 'none' },
  {
    why: 'somebody else is known',
    known: [{ name: 'bob', seenName: 'bob', seenEmail: 'bob@x' }],
    want: 'none',
  },
  {
    why: 'an account of this userName that nobody manages',
    known: [{ name: 'ada@x', seenName: 'ada@x' }],
    want: 'observed',
    who: 0,
  },
  {
    why: 'an account of this address',
    known: [{ name: 'aa', seenName: 'aa', seenEmail: 'ada@x' }],
    userName: 'ada',
    want: 'observed',
    who: 0,
  },
  {
    why: 'an account whose userName is the address',
    known: [{ name: 'aa', seenName: 'ada@x' }],
    userName: 'ada',
    want: 'observed',
    who: 0,
  },
  {
    why: 'an account whose address is the userName',
    known: [{ name: 'aa', seenEmail: 'ada@x' }],
    userName: 'ada@x',
    address: 'other@x',
    want: 'observed',
    who: 0,
  },
  {
    why: 'whatever the case',
    known: [ada],
    userName: 'ADA@X',
    address: 'Ada@X',
    want: 'observed',
    who: 0,
  },
  {
    why: 'without an address, by userName',
    known: [ada],
    address: undefined,
    want: 'observed',
    who: 0,
  },
  {
    why: 'an address that nobody showed is no match',
    known: [{ name: 'aa', seenEmail: 'ada@x' }],
    userName: 'ada',
    address: undefined,
    want: 'none',
  },
  { why: 'a managed user has the name', known: [{ ...ada, is: 'managed' }], want: 'taken' },
  {
    why: 'a managed user has the name, and an account is seen under it',
    known: [ada, { name: 'ada@x', is: 'managed' }],
    want: 'taken',
  },
  {
    why: 'a managed user has the account under another name',
    known: [{ name: 'aa', seenEmail: 'ada@x', is: 'managed' }],
    want: 'taken',
  },
  {
    why: 'name and address point at two accounts',
    known: [
      { name: 'ada', seenName: 'ada' },
      { name: 'aa', seenEmail: 'ada@x' },
    ],
    userName: 'ada',
    want: 'disputed',
  },
  {
    why: 'also when one of them is managed',
    known: [
      { name: 'ada', seenName: 'ada' },
      { name: 'aa', seenEmail: 'ada@x', is: 'managed' },
    ],
    userName: 'ada',
    want: 'disputed',
  },
  {
    why: 'two accounts have the address',
    known: [
      { name: 'a', seenEmail: 'ada@x' },
      { name: 'b', seenEmail: 'ada@x' },
    ],
    want: 'disputed',
  },
  {
    why: 'somebody deleted, by the last userName',
    known: [{ name: 'ada@x', is: 'deleted', account: 7 }],
    want: 'tombstone',
    who: 0,
  },
  {
    why: 'somebody deleted, by what was seen',
    known: [{ name: 'aa', seenEmail: 'ada@x', is: 'deleted', account: 7 }],
    want: 'tombstone',
    who: 0,
  },
  {
    why: 'somebody deleted who never had an account',
    known: [{ name: 'ada@x', is: 'deleted, without an account' }],
    want: 'none',
  },
  {
    why: 'one account deleted twice: the newest',
    known: [
      { name: 'ada@x', is: 'deleted', account: 7 },
      { name: 'ada@x', is: 'deleted', account: 7 },
    ],
    want: 'tombstone',
    who: 1,
  },
  {
    why: 'two accounts deleted under one name',
    known: [
      { name: 'ada@x', is: 'deleted', account: 7 },
      { name: 'ada@x', is: 'deleted', account: 8 },
    ],
    want: 'disputed',
  },
  {
    why: 'an account that lives comes before one that was deleted',
    known: [{ name: 'ada@x', is: 'deleted', account: 8 }, ada],
    want: 'observed',
    who: 1,
  },
];

function toRow(
  { name, seenName, seenEmail, is, account }: Known,
  index: number,
): Partial<NewUserRow> {
  const isDeleted = is !== undefined && is !== 'managed';
  return {
    origin: is === undefined ? null : 'created',
    user_name: name,
    user_name_folded: foldCase(name),
    observed_user_name_folded: seenName ?? null,
    observed_email_folded: seenEmail ?? null,
    upstream_id: is === 'deleted, without an account' ? null : (account ?? 100 + index),
    deleted_at: isDeleted ? 1_000 + index : null,
  };
}

async function matchAmong(store: Store, { known, ...names }: MatchCase) {
  const rows = [];
  for (const [index, one] of known.entries()) rows.push(await addUser(store, toRow(one, index)));
  const { userName = 'ada@x' } = names;
  const address = 'address' in names ? names.address : 'ada@x';
  const match = await store.write((tx) => matchAccount(tx, { userName, address }));
  const who = 'row' in match ? rows.findIndex(({ id }) => id === match.row.id) : undefined;
  return { kind: match.kind, who };
}

describeStores('whom a new person turns out to be', ({ makeStore }) => {
  test.each(cases)('$want: $why', async (row) => {
    expect(await matchAmong(await makeStore(), row)).toEqual({ kind: row.want, who: row.who });
  });
});
