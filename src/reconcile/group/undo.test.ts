import { describe, expect, test } from 'vitest';
import {
  addGroup,
  addLink,
  addUser,
  type Facts,
  findFacts,
  getUser,
  type LinkPlace,
} from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupField } from '../../domain/group.ts';
import { type UserId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { revertFields } from '../../domain/undo.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { LinkWrite } from '../../store/links/links.ts';
import { touchUsers } from '../../store/links/shown.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Store } from '../../store/store.ts';
import type { UserRow } from '../../store/users/users.ts';
import type { GroupPart } from './outcome.ts';
import { GROUP_FIELDS, revertLinks, withRefusedUsers } from './undo.ts';

const before: JsonObject = {
  displayName: 'Board',
  externalId: 'b',
  [GROUP_EXTENSION]: { permissions: 4, addToCardsAndSpacesEnabled: false },
};
const extension = { permissions: 16, addToCardsAndSpacesEnabled: true };
const current: JsonObject = {
  displayName: 'Council',
  externalId: 'c',
  [GROUP_EXTENSION]: extension,
};

const cases: {
  why: string;
  before?: JsonObject;
  current?: JsonObject;
  fields: GroupField[];
  want: JsonObject;
}[] = [
  { why: 'nothing refused, nothing reverted', fields: [], want: current },
  {
    why: 'the name alone, what others wrote stays',
    fields: ['displayName'],
    want: { ...current, displayName: 'Board' },
  },
  {
    why: 'one value of the extension, its neighbour stays',
    fields: ['permissions'],
    want: { ...current, [GROUP_EXTENSION]: { ...extension, permissions: 4 } },
  },
  {
    why: 'false is a value',
    fields: ['addToCardsAndSpacesEnabled'],
    want: { ...current, [GROUP_EXTENSION]: { ...extension, addToCardsAndSpacesEnabled: false } },
  },
  {
    why: 'what was not there before is not there again',
    before: {},
    fields: ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'],
    want: { externalId: 'c' },
  },
  {
    why: 'an extension that was removed comes back with the refused value',
    current: {},
    fields: ['permissions'],
    want: { [GROUP_EXTENSION]: { permissions: 4 } },
  },
  {
    why: 'with its existence the whole write goes: nobody wrote anything since',
    fields: ['displayName', 'existence'],
    want: before,
  },
];

describe('a refused write of a group is taken back', () => {
  test.each(cases)('$why', ({ before: held, current: now, fields, want }) => {
    const given = structuredClone(now ?? current);

    expect(revertFields(given, held ?? before, fields, GROUP_FIELDS)).toEqual(want);
    expect(given).toEqual(now ?? current);
  });
});

const VERSION = 5;

function toPart(kind: 'member' | 'admin', { id: userId }: UserRow, version = VERSION): GroupPart {
  const change = { userId, upstreamUserId: 7, wanted: true, version };
  return { kind, change };
}

function toWrite({ id: userId }: UserRow, [desired, observed, pending]: Facts): LinkWrite {
  return { userId, desired, observed, pending, putIn: 1 };
}

interface Refusal {
  readonly group: GroupRow;
  readonly parts: readonly GroupPart[];
  readonly members?: GroupUndo['members'];
  readonly admins?: GroupUndo['admins'];
}

async function revert(store: Store, refusal: Refusal): Promise<readonly UserId[]> {
  const { group, parts, members, admins } = refusal;
  const lists = { members: members ?? new Map(), admins: admins ?? new Map() };
  const undo = { type: 'group' as const, before: undefined, after: '', ...lists };
  const waiter = { version: VERSION, undo };
  const refused = { waiter, parts, now: 99 };
  return (await store.write((tx) => revertLinks(tx, group.id, refused))).userIds;
}

describeStores('people whom the service refused', ({ makeStore }) => {
  test('are as they were, their neighbours stay', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const [added, returned, neighbour] = [
      await addUser(store),
      await addUser(store),
      await addUser(store),
    ];
    for (const user of [added, returned, neighbour]) {
      await addLink(store, { group, user }, [1, 0, VERSION]);
    }
    const members = new Map([
      [added.id, null],
      [returned.id, toWrite(returned, [0, 1, 3])],
      [neighbour.id, null],
    ]);

    const parts = [toPart('member', added), toPart('member', returned)];
    const reverted = await revert(store, { group, parts, members });

    expect(new Set(reverted)).toEqual(new Set([added.id, returned.id]));
    expect(await findFacts(store, { group, user: added })).toBeUndefined();
    expect(await findFacts(store, { group, user: returned })).toEqual([0, 1, 3]);
    expect(await findFacts(store, { group, user: neighbour })).toEqual([1, 0, VERSION]);
  });

  test('show it: what their answers say of their groups is what it was, in a new version', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const people = [await addUser(store), await addUser(store)] as const;
    const [refused, neighbour] = people;
    for (const user of people) await addLink(store, { group, user }, [1, 0, VERSION]);
    const ids = people.map(({ id }) => id);
    await store.write((tx) => touchUsers(tx, ids, 50));

    const members = new Map([[refused.id, null]]);
    await revert(store, { group, parts: [toPart('member', refused)], members });

    const after = { version: 3, modified_at: 99, shown_groups: '' };
    expect(await getUser(store, refused)).toMatchObject(after);
    expect(await getUser(store, neighbour)).toMatchObject({ version: 2, modified_at: 50 });
  });

  test('keep what a later write wanted', async () => {
    const store = await makeStore();
    const place: LinkPlace & { group: GroupRow; user: UserRow } = {
      group: await addGroup(store),
      user: await addUser(store),
    };
    await addLink(store, place, [0, 0, VERSION + 1]);

    const members = new Map([[place.user.id, null]]);
    const refusal = { group: place.group, parts: [toPart('member', place.user)], members };
    const reverted = await revert(store, refusal);

    expect(reverted).toEqual([]);
    expect(await findFacts(store, place)).toEqual([0, 0, VERSION + 1]);
  });

  test('keep what an older write wanted that waits again', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store) };
    await addLink(store, place, [1, 0, VERSION]);

    const parts = [toPart('member', place.user, VERSION + 1)];
    const members = new Map([[place.user.id, null]]);
    const reverted = await revert(store, { group: place.group, parts, members });

    expect(reverted).toEqual([]);
    expect(await findFacts(store, place)).toEqual([1, 0, VERSION]);
  });

  test('keep what somebody else wrote under the same version', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store) };
    await addLink(store, place, [0, 1, VERSION]);

    const reverted = await revert(store, { ...place, parts: [toPart('member', place.user)] });

    expect(reverted).toEqual([]);
    expect(await findFacts(store, place)).toEqual([0, 1, VERSION]);
  });

  test('are put back in the list they were refused in', async () => {
    const store = await makeStore();
    const [group, user] = [await addGroup(store), await addUser(store)];
    await addLink(store, { group, user }, [1, 0, VERSION]);
    await addLink(store, { group, user, table: 'group_admins' }, [1, 0, VERSION]);

    const lists = { members: new Map([[user.id, null]]), admins: new Map([[user.id, null]]) };
    const reverted = await revert(store, { group, parts: [toPart('admin', user)], ...lists });

    expect(reverted).toEqual([user.id]);
    expect(await findFacts(store, { group, user })).toEqual([1, 0, VERSION]);
    expect(await findFacts(store, { group, user, table: 'group_admins' })).toBeUndefined();
  });

  test('a refusal of the group itself is nobody’s', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store) };
    await addLink(store, place, [1, 0, VERSION]);

    const parts: GroupPart[] = [{ kind: 'field', field: 'displayName' }];
    const reverted = await revert(store, { ...place, parts });

    expect(reverted).toEqual([]);
    expect(await findFacts(store, place)).toEqual([1, 0, VERSION]);
  });
});

describe('the error that names who was refused', () => {
  const problem = { code: 'refused', words: 'No' };
  const people = Array.from({ length: 12 }, (_, index) => userId(`u${index}`));

  test.each([
    { why: 'nobody', count: 0, words: 'No' },
    { why: 'each of a few', count: 2, words: 'No (about u0, u1)' },
    { why: 'ten', count: 10, words: 'No (about u0, u1, u2, u3, u4, u5, u6, u7, u8, u9)' },
    {
      why: 'ten of many',
      count: 12,
      words: 'No (about u0, u1, u2, u3, u4, u5, u6, u7, u8, u9 and 2 more)',
    },
  ])('$why', ({ count, words }) => {
    expect(withRefusedUsers(problem, people.slice(0, count))).toEqual({ ...problem, words });
  });
});
