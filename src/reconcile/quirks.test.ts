import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import type { Store } from '../store/store.ts';
import { openQuirks, type Quirks } from './quirks.ts';

const DAY_MS = 24 * 60 * 60_000;

function openAt(store: Store, now: () => number, fixed: Quirks = {}) {
  return openQuirks({ store, clock: { now, sleep: () => Promise.resolve() }, fixed });
}

function withoutTimes(quirks: Quirks): object {
  return Object.fromEntries(Object.entries(quirks).filter(([name]) => !name.endsWith('At')));
}

describeStores('what the service taught', ({ makeStore }) => {
  test('nothing is known at first', async () => {
    const quirks = await openAt(await makeStore(), () => 0);

    expect(quirks.current()).toEqual({});
  });

  test('what is learned is known at once, and after a restart', async () => {
    const store = await makeStore();
    const quirks = await openAt(store, () => 0);
    await quirks.learn({ emailForm: 'objects' });
    await quirks.learn({ nameOnCreate: false, groupScimId: 'uid' });
    await quirks.learn({ nameOnCreate: true });

    const want = { emailForm: 'objects', nameOnCreate: true, groupScimId: 'uid' };
    expect(quirks.current()).toEqual(want);
    expect((await openAt(store, () => 0)).current()).toEqual(want);
  });

  test('lessons that come at the same time are all kept', async () => {
    const store = await makeStore();
    const quirks = await openAt(store, () => 0);

    await Promise.all([
      quirks.learn({ emailForm: 'strings' }),
      quirks.learn({ addressMayChange: false }),
    ]);

    const want = { emailForm: 'strings', addressMayChange: false };
    expect((await openAt(store, () => 0)).current()).toEqual(want);
  });

  test('lessons of two processes are all kept, and known to both once they have read again', async () => {
    const store = await makeStore();
    const [one, other] = [await openAt(store, () => 0), await openAt(store, () => 0)];

    await Promise.all([one.learn({ emailForm: 'strings' }), other.learn({ nameOnCreate: false })]);
    await other.learn({ emailForm: 'objects' });
    await one.refresh();

    const want = { emailForm: 'objects', nameOnCreate: false };
    expect([one.current(), other.current()]).toEqual([want, want]);
  });

  test('what is known already costs no write', async () => {
    const store = await makeStore();
    let now = 1;
    const quirks = await openAt(store, () => now);
    await quirks.learn({ emailForm: 'strings' });
    now = 2;
    await quirks.learn({ emailForm: 'strings' });

    const { updated_at } = await store.read
      .selectFrom('facts')
      .selectAll()
      .executeTakeFirstOrThrow();

    expect(updated_at).toBe(1);
  });

  test('settings win over what was learned, and are not stored', async () => {
    const store = await makeStore();
    const quirks = await openAt(store, () => 0, { emailForm: 'strings' });
    await quirks.learn({ emailForm: 'objects' });

    expect(quirks.current()).toEqual({ emailForm: 'strings' });
    expect((await openAt(store, () => 0)).current()).toEqual({ emailForm: 'objects' });
  });

  const stale: { why: string; learned: Quirks; ageMs: number; isKept: boolean }[] = [
    {
      why: 'a refused batch form is asked for again after a day',
      learned: { memberForm: 'single', memberFormAt: 0 },
      ageMs: DAY_MS + 1,
      isKept: false,
    },
    {
      why: 'and not before',
      learned: { memberForm: 'single', memberFormAt: 0 },
      ageMs: DAY_MS,
      isKept: true,
    },
    {
      why: 'an accepted batch form stays',
      learned: { memberForm: 'array' },
      ageMs: 9 * DAY_MS,
      isKept: true,
    },
    {
      why: 'larger batches are tried again after a day',
      learned: { membersPerCall: 50, membersPerCallAt: 0 },
      ageMs: DAY_MS + 1,
      isKept: false,
    },
    {
      why: 'what was too large yesterday evening still is',
      learned: { membersPerCall: 50, membersPerCallAt: 0 },
      ageMs: DAY_MS,
      isKept: true,
    },
    {
      why: 'a refused userName is asked for again after a day',
      learned: { userNamesRefused: 2, userNamesRefusedAt: 0 },
      ageMs: DAY_MS + 1,
      isKept: false,
    },
    {
      why: 'that one group had none of the ids is asked for again after a day',
      learned: { groupScimId: 'unrelated', groupScimIdAt: 0 },
      ageMs: DAY_MS + 1,
      isKept: false,
    },
    {
      why: 'that no group has any of the ids stays',
      learned: { groupScimId: 'unrelated' },
      ageMs: 9 * DAY_MS,
      isKept: true,
    },
    {
      why: 'which of the ids it is stays',
      learned: { groupScimId: 'restId', groupScimIdAt: 0 },
      ageMs: 9 * DAY_MS,
      isKept: true,
    },
    {
      why: 'what does not change from day to day stays',
      learned: { emailForm: 'objects', addressMayChange: false },
      ageMs: 9 * DAY_MS,
      isKept: true,
    },
  ];

  test.each(stale)('$why', async ({ learned, ageMs, isKept }) => {
    let now = 0;
    const quirks = await openAt(await makeStore(), () => now);
    await quirks.learn(learned);

    now = ageMs;

    const current = withoutTimes(quirks.current());
    expect(current).toEqual(isKept ? withoutTimes(learned) : {});
  });

  test('a batch form that is accepted after all is remembered for good', async () => {
    let now = 0;
    const quirks = await openAt(await makeStore(), () => now);
    await quirks.learn({ memberForm: 'single', memberFormAt: 0 });
    now = DAY_MS + 1;
    await quirks.learn({ memberForm: 'operations' });
    now = 9 * DAY_MS;

    expect(quirks.current().memberForm).toBe('operations');
  });
});
