import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  addGroup,
  addLink,
  addUser,
  type Facts,
  findFacts,
  findLink,
  LINK_TABLES,
} from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Db } from '../store.ts';
import { adoptLinks, observeLinks, releaseLinks } from './observations.ts';

interface ObservationCase {
  readonly why: string;
  readonly before: Facts | undefined;
  readonly isSeen: boolean;
  readonly baseline?: number | null;
  readonly want: Facts | undefined;
}

const observations: ObservationCase[] = [
  {
    why: 'somebody seen in a group that nobody manages is nobody’s wish',
    before: undefined,
    isSeen: true,
    baseline: null,
    want: [null, 1, null],
  },
  {
    why: 'somebody seen at an adoption is wanted',
    before: undefined,
    isSeen: true,
    baseline: 1,
    want: [1, 1, null],
  },
  {
    why: 'somebody whom others put into a managed group is not wanted: drift',
    before: undefined,
    isSeen: true,
    want: [0, 1, null],
  },
  {
    why: 'whoever is not seen and was never there is not there',
    before: undefined,
    isSeen: false,
    want: undefined,
  },
  {
    why: 'a wanted person who is there needs nothing',
    before: [1, 1, null],
    isSeen: true,
    want: [1, 1, null],
  },
  {
    why: 'a wanted person whom others took out is drift, and stays wanted',
    before: [1, 1, null],
    isSeen: false,
    want: [1, 0, null],
  },
  {
    why: 'the baseline of an adoption does not overrule a wish',
    before: [0, 1, 4],
    isSeen: true,
    baseline: 1,
    want: [0, 1, 4],
  },
  {
    why: 'an addition that holds already stops waiting',
    before: [1, 0, 4],
    isSeen: true,
    want: [1, 1, null],
  },
  {
    why: 'an addition that does not hold goes on waiting',
    before: [1, null, 4],
    isSeen: false,
    want: [1, 0, 4],
  },
  {
    why: 'a removal that holds already leaves nothing',
    before: [0, 1, 4],
    isSeen: false,
    want: undefined,
  },
  {
    why: 'a removal that does not hold goes on waiting',
    before: [0, null, 4],
    isSeen: true,
    want: [0, 1, 4],
  },
  {
    why: 'somebody only seen before who is gone is forgotten',
    before: [null, 1, null],
    isSeen: false,
    want: undefined,
  },
  {
    why: 'somebody unwanted who is gone is forgotten',
    before: [0, 1, null],
    isSeen: false,
    want: undefined,
  },
  {
    why: 'somebody unwanted who is back is drift',
    before: [0, 0, null],
    isSeen: true,
    want: [0, 1, null],
  },
];

describeStores('a complete list of a group', ({ makeStore }) => {
  describe.each(LINK_TABLES)('%s', (table) => {
    test.each(observations)('$why', async ({ before, isSeen, baseline = 0, want }) => {
      const store = await makeStore();
      const user = await addUser(store, { upstream_id: 7 });
      const place = { group: await addGroup(store), user, table };
      if (before) await addLink(store, place, before);
      const upstreamUserIds = isSeen ? [6, 7, 8] : [6, 8];

      const seen = { upstreamUserIds, baseline };
      const observe = () => store.write((tx) => observeLinks(tx, table, place.group.id, seen));
      const moved = await observe();
      const again = await observe();

      expect(await findFacts(store, place)).toEqual(want);
      const wasThere = before?.[1] === 1;
      expect([moved, again]).toEqual([wasThere === isSeen ? 0 : 1, 0]);
    });
  });

  test('a list that may be cut short leaves open whether those whom it lacks are gone', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const cases: readonly [Facts, Facts][] = [
      [
        [1, 1, null],
        [1, null, null],
      ],
      [
        [0, 1, 4],
        [0, null, 4],
      ],
      [
        [1, 0, 4],
        [1, 0, 4],
      ],
      [
        [1, null, 4],
        [1, null, 4],
      ],
    ];
    const places = await Promise.all(
      cases.map(async ([before]) => {
        const place = { group, user: await addUser(store) };
        await addLink(store, place, before);
        return place;
      }),
    );

    const seen = { upstreamUserIds: [], baseline: 0, absent: 'unknown' } as const;
    const observe = () => store.write((tx) => observeLinks(tx, 'memberships', group.id, seen));
    const moved = [await observe(), await observe()];

    const facts = await Promise.all(places.map((place) => findFacts(store, place)));
    expect(facts).toEqual(cases.map(([, want]) => want));
    expect(moved).toEqual([2, 0]);
  });

  test('a list that says what is known writes nothing', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const facts: Facts[] = [
      [1, 1, null],
      [0, 1, 4],
      [null, 1, null],
    ];
    const upstreamUserIds = [7, 8, 9];
    for (const [index, upstream_id] of upstreamUserIds.entries()) {
      const place = { group, user: await addUser(store, { upstream_id }) };
      await addLink(store, place, facts[index] ?? [1, 1, null]);
    }
    const listVersions = async (tx: Db) => {
      const version = store.engine === 'postgres' ? sql`xmin::text` : sql`total_changes()`;
      const { rows } = await sql`select ${version} as version from memberships`.execute(tx);
      return rows;
    };

    const seen = { upstreamUserIds, baseline: 0 };
    const [before, after] = await store.write(async (tx) => {
      const first = await listVersions(tx);
      await observeLinks(tx, 'memberships', group.id, seen);
      return [first, await listVersions(tx)];
    });

    expect(before).toHaveLength(3);
    expect(after).toEqual(before);
  });

  test('what was put off because it was refused holds by now, so it is not tried again', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store, { upstream_id: 7 }) };
    await addLink(store, { ...place, retryAt: 99 }, [1, 0, 4]);

    const seen = { upstreamUserIds: [7], baseline: 0 };
    await store.write((tx) => observeLinks(tx, 'memberships', place.group.id, seen));

    expect(await findLink(store, place)).toMatchObject({ facts: [1, 1, null], retryAt: null });
  });

  test('an account that was deleted through SCIM does not come back, its live successor does', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const gone = await addUser(store, { upstream_id: 7, deleted_at: 1 });
    const live = await addUser(store, { upstream_id: 7 });

    const seen = { upstreamUserIds: [7], baseline: null };
    await store.write((tx) => observeLinks(tx, 'memberships', group.id, seen));

    expect(await findFacts(store, { group, user: gone })).toBeUndefined();
    expect(await findFacts(store, { group, user: live })).toEqual([null, 1, null]);
  });

  test('a deleted person who is still seen there still has to leave', async () => {
    const store = await makeStore();
    const gone = await addUser(store, { upstream_id: 7, deleted_at: 1 });
    const place = { group: await addGroup(store), user: gone };
    await addLink(store, place, [0, 1, 4]);
    const look = (upstreamUserIds: number[]) =>
      store.write((tx) =>
        observeLinks(tx, 'memberships', place.group.id, { upstreamUserIds, baseline: 0 }),
      );

    await look([7]);
    const during = await findFacts(store, place);
    await look([]);

    expect(during).toEqual([0, 1, 4]);
    expect(await findFacts(store, place)).toBeUndefined();
  });

  test('other groups and the other list keep what they have', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store, { upstream_id: 7 }) };
    const others = [
      { ...place, group: await addGroup(store) },
      { ...place, table: 'group_admins' as const },
    ];
    for (const other of others) await addLink(store, other, [1, 1, 4]);

    const seen = { upstreamUserIds: [], baseline: 0 };
    await store.write((tx) => observeLinks(tx, 'memberships', place.group.id, seen));

    for (const other of others) expect(await findFacts(store, other)).toEqual([1, 1, 4]);
  });

  test('a group of thousands is one list', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store, { upstream_id: 7 }) };
    const upstreamUserIds = Array.from({ length: 40_000 }, (_, index) => index + 1);

    const seen = { upstreamUserIds, baseline: 1 };
    await store.write((tx) => observeLinks(tx, 'memberships', place.group.id, seen));

    expect(await findFacts(store, place)).toEqual([1, 1, null]);
  });
});

describeStores('the people of a group that changes hands', ({ makeStore }) => {
  const adopted: { before: Facts; want: Facts }[] = [
    { before: [null, 1, null], want: [1, 1, null] },
    { before: [null, 0, null], want: [0, 0, null] },
    { before: [1, 0, 4], want: [1, 0, 4] },
    { before: [0, 1, 4], want: [0, 1, 4] },
  ];

  test.each(adopted)(
    'at adoption who is seen is wanted, and no wish is overruled: $before',
    async ({ before, want }) => {
      const store = await makeStore();
      const group = await addGroup(store);
      const user = await addUser(store);
      for (const table of LINK_TABLES) await addLink(store, { group, user, table }, before);

      await store.write((tx) => adoptLinks(tx, group.id));

      for (const table of LINK_TABLES) {
        expect(await findFacts(store, { group, user, table })).toEqual(want);
      }
    },
  );

  const released: { why: string; before: Facts; putIn: number; want: Facts | undefined }[] = [
    { why: 'whom the bridge put in is taken out', before: [1, 1, null], putIn: 1, want: [0, 1, 9] },
    {
      why: 'who was there before stays, and is forgotten',
      before: [1, 1, null],
      putIn: 0,
      want: undefined,
    },
    { why: 'who may be on the way in is taken out', before: [1, 0, 4], putIn: 0, want: [0, 0, 9] },
    { why: 'who may be on the way out still goes', before: [0, 1, 4], putIn: 0, want: [0, 1, 9] },
  ];

  test.each(released)('when it is let go: $why', async ({ before, putIn, want }) => {
    const store = await makeStore();
    const group = await addGroup(store);
    const user = await addUser(store);
    for (const table of LINK_TABLES) await addLink(store, { group, user, table, putIn }, before);

    await store.write((tx) => releaseLinks(tx, group.id, 9));

    for (const table of LINK_TABLES) {
      expect(await findFacts(store, { group, user, table })).toEqual(want);
    }
  });

  test('other groups keep their people', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store), putIn: 1 };
    const group = await addGroup(store);
    await addLink(store, place, [null, 1, null]);

    await store.write(async (tx) => {
      await adoptLinks(tx, group.id);
      await releaseLinks(tx, group.id, 9);
    });

    expect(await findFacts(store, place)).toEqual([null, 1, null]);
  });
});
