import { beforeAll, describe, expect, test } from 'vitest';
import { addGroup, addLink, addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Selector } from '../../domain/selector.ts';
import type { Store } from '../store.ts';
import { insertUserEmails } from '../users/emails.ts';

import {
  type CountQuery,
  countGroups,
  countUsers,
  listGroupViews,
  listUserViews,
} from './views.ts';

const all: Selector = { kind: 'and', parts: [] };
const none: Selector = { kind: 'or', parts: [] };
const named = (value: string): Selector => ({ kind: 'userName', op: 'eq', value });
const titled = (value: string): Selector => ({ kind: 'displayName', op: 'eq', value });
const moment = (op: 'eq' | 'gt' | 'ge' | 'lt' | 'le', value: number): Selector => ({
  kind: 'lastModified',
  op,
  value,
});

interface SelectorCase {
  readonly why: string;
  readonly selector: Selector;
  /** userNames or group names, in order of creation. */
  readonly want: readonly string[];
}

const userCases: SelectorCase[] = [
  { why: 'userName, folded', selector: named('ada'), want: ['Ada'] },
  { why: 'userName as it was typed finds nobody', selector: named('Ada'), want: [] },
  { why: 'displayName, folded', selector: titled('same'), want: ['Ada', 'Bob'] },
  {
    why: 'externalId, as it is',
    selector: { kind: 'externalId', op: 'eq', value: 'X' },
    want: ['Ada'],
  },
  {
    why: 'externalId in another case',
    selector: { kind: 'externalId', op: 'eq', value: 'x' },
    want: [],
  },
  { why: 'any address', selector: { kind: 'email', op: 'eq', value: 'b@second' }, want: ['Bob'] },
  {
    why: 'an address of several people',
    selector: { kind: 'email', op: 'eq', value: 'a@x' },
    want: ['Ada', 'Bob'],
  },
  { why: 'active', selector: { kind: 'active', op: 'eq', value: true }, want: ['Ada', 'Cy'] },
  { why: 'inactive', selector: { kind: 'active', op: 'eq', value: false }, want: ['Bob'] },
  { why: 'modified then', selector: moment('eq', 20), want: ['Bob'] },
  { why: 'modified after', selector: moment('gt', 20), want: ['Cy'] },
  { why: 'modified then or after', selector: moment('ge', 20), want: ['Bob', 'Cy'] },
  { why: 'modified before', selector: moment('lt', 20), want: ['Ada'] },
  { why: 'modified then or before', selector: moment('le', 20), want: ['Ada', 'Bob'] },
  { why: 'all of nothing is everybody', selector: all, want: ['Ada', 'Bob', 'Cy'] },
  { why: 'any of nothing is nobody', selector: none, want: [] },
  { why: 'both', selector: { kind: 'and', parts: [titled('same'), named('bob')] }, want: ['Bob'] },
  {
    why: 'either',
    selector: { kind: 'or', parts: [named('cy'), named('ada')] },
    want: ['Ada', 'Cy'],
  },
  {
    why: 'nested',
    selector: { kind: 'and', parts: [all, { kind: 'or', parts: [none, named('cy')] }] },
    want: ['Cy'],
  },
  { why: 'whoever is deleted is in no answer', selector: named('gone'), want: [] },
];

const groups: SelectorCase[] = [
  { why: 'displayName, folded', selector: titled('board'), want: ['Board'] },
  { why: 'externalId', selector: { kind: 'externalId', op: 'eq', value: 'X' }, want: ['Crew'] },
  { why: 'modified after', selector: moment('gt', 10), want: ['Crew'] },
  { why: 'modified then or before', selector: moment('le', 10), want: ['Board'] },
  { why: 'userName is no attribute of groups', selector: named('board'), want: [] },
  { why: 'nor is an address', selector: { kind: 'email', op: 'eq', value: 'a@x' }, want: [] },
  { why: 'nor is active', selector: { kind: 'active', op: 'eq', value: true }, want: [] },
  {
    why: 'either, where one is no attribute',
    selector: { kind: 'or', parts: [named('x'), titled('crew')] },
    want: ['Crew'],
  },
  { why: 'what is deleted is in no answer', selector: titled('gone'), want: [] },
];

async function fill(store: Store) {
  const ada = await addUser(store, {
    doc: { userName: 'Ada', displayName: 'Same', externalId: 'X' },
    modified_at: 10,
  });
  const bob = await addUser(store, {
    doc: { userName: 'Bob', displayName: 'SAME', active: false },
    modified_at: 20,
  });
  const cy = await addUser(store, { doc: { userName: 'Cy' }, modified_at: 30, origin: null });
  const gone = await addUser(store, { doc: { userName: 'gone', active: false }, deleted_at: 1 });
  await store.write(async (tx) => {
    for (const { id } of [ada, bob, gone]) await insertUserEmails(tx, id, ['a@x']);
    await insertUserEmails(tx, bob.id, ['b@second']);
  });
  const board = await addGroup(store, { doc: { displayName: 'Board' }, modified_at: 10 });
  const crew = await addGroup(store, {
    doc: { displayName: 'Crew', externalId: 'X' },
    modified_at: 20,
  });
  const goneGroup = await addGroup(store, { doc: { displayName: 'gone' }, deleted_at: 1 });
  await addLink(store, { group: board, user: ada }, [1, 0, 3]);
  await addLink(store, { group: board, user: bob }, [0, 1, 3]);
  await addLink(store, { group: board, user: cy }, [null, 1, null]);
  await addLink(store, { group: crew, user: cy }, [null, 0, null]);
  await addLink(store, { group: goneGroup, user: ada }, [1, 1, null]);
  await addLink(store, { group: crew, user: bob, table: 'group_admins' }, [1, 1, null]);
  return { ada, bob, cy, board, crew };
}

describeStores('what an index answers', ({ makeStore }) => {
  let store: Store;
  let filled: Awaited<ReturnType<typeof fill>>;
  beforeAll(async () => {
    store = await makeStore();
    filled = await fill(store);
  });

  async function findUsers(selector: Selector): Promise<unknown[]> {
    const views = await listUserViews(store.read, { selector, provider: 'default', limit: 10 });
    expect(await countUsers(store.read, { selector, provider: 'default' })).toBe(views.length);
    return views.map(({ attributes }) => JSON.parse(attributes).userName);
  }

  async function findGroups(selector: Selector): Promise<unknown[]> {
    const views = await listGroupViews(store.read, { selector, provider: 'default', limit: 10 });
    expect(await countGroups(store.read, { selector, provider: 'default' })).toBe(views.length);
    return views.map(({ attributes }) => JSON.parse(attributes).displayName);
  }

  describe('of people', () => {
    test.each(userCases)('$why', async ({ selector, want }) => {
      expect(await findUsers(selector)).toEqual(want);
    });

    test('id', async () => {
      expect(await findUsers({ kind: 'id', op: 'eq', value: filled.bob.id })).toEqual(['Bob']);
      expect(await findUsers({ kind: 'id', op: 'eq', value: 'nobody' })).toEqual([]);
    });

    test('who is in a group: wanted there or, where nobody said, seen there', async () => {
      const inGroup = (value: string) => findUsers({ kind: 'member', op: 'eq', value });

      expect(await inGroup(filled.board.id)).toEqual(['Ada', 'Cy']);
      expect(await inGroup(filled.crew.id)).toEqual([]);
    });
  });

  describe('of groups', () => {
    test.each(groups)('$why', async ({ selector, want }) => {
      expect(await findGroups(selector)).toEqual(want);
    });

    test('id', async () => {
      expect(await findGroups({ kind: 'id', op: 'eq', value: filled.crew.id })).toEqual(['Crew']);
    });

    test('whose member somebody is: wanted there or, where nobody said, seen there', async () => {
      const { ada, bob, cy } = filled;
      const found = await Promise.all(
        [ada, bob, cy].map(({ id: value }) => findGroups({ kind: 'member', op: 'eq', value })),
      );

      expect(found).toEqual([['Board'], [], ['Board']]);
    });
  });
});

describeStores('a membership of somebody deleted', ({ makeStore }) => {
  test('is found from neither side, as neither side shows it', async () => {
    const store = await makeStore();
    const [user, group] = [await addUser(store), await addGroup(store, { origin: null })];
    const [gone, ended] = [
      await addUser(store, { deleted_at: 1 }),
      await addGroup(store, { deleted_at: 1 }),
    ];
    await addLink(store, { group, user }, [null, 1, null]);
    await addLink(store, { group, user: gone }, [null, 1, null]);
    await addLink(store, { group: ended, user }, [1, 1, null]);
    const has = (value: string): CountQuery => ({
      selector: { kind: 'member', op: 'eq', value },
      provider: 'default',
    });

    expect(await countGroups(store.read, has(user.id))).toBe(1);
    expect(await countGroups(store.read, has(gone.id))).toBe(0);
    expect(await countUsers(store.read, has(group.id))).toBe(1);
    expect(await countUsers(store.read, has(ended.id))).toBe(0);
  });
});
