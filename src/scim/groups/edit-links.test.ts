import { expect, test } from 'vitest';
import { addGroup, addLink, addUser, type Facts, findFacts } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { UserId } from '../../domain/ids.ts';
import { saveLinks } from '../../store/links/links.ts';
import type { Store } from '../../store/store.ts';
import { editLinks } from './edit-links.ts';

type Person = 'in' | 'seen' | 'out' | 'new' | 'more';

/** Users in the list at first; `new` and `more` are in no list. */
const BEFORE: readonly (readonly [Person, Facts])[] = [
  ['in', [1, 1, null]],
  ['seen', [null, 1, null]],
  ['out', [0, 0, null]],
];

/** The expected link of one user. */
type Change = readonly [UserId, Facts];

interface EditCase {
  readonly why: string;
  readonly edits: readonly { op: 'add' | 'remove' | 'replace'; ids: readonly Person[] }[];
  readonly keeps?: Person;
  /** The facts of those who change. */
  readonly want: readonly (readonly [Person, Facts])[];
}

const cases: EditCase[] = [
  { why: 'no edits, no changes', edits: [], want: [] },
  {
    why: 'who is added waits, who is in already does not',
    edits: [{ op: 'add', ids: ['new', 'in'] }],
    want: [['new', [1, 0, 9]]],
  },
  {
    why: 'who was seen becomes wanted',
    edits: [{ op: 'add', ids: ['seen'] }],
    want: [['seen', [1, 1, null]]],
  },
  {
    why: 'who is removed waits, who was never in does not',
    edits: [{ op: 'remove', ids: ['in', 'new', 'out'] }],
    want: [['in', [0, 1, 9]]],
  },
  {
    why: 'the last word counts: added, then removed',
    edits: [
      { op: 'add', ids: ['new', 'out'] },
      { op: 'remove', ids: ['new', 'out'] },
    ],
    want: [],
  },
  {
    why: 'the last word counts: removed, then added',
    edits: [
      { op: 'remove', ids: ['in'] },
      { op: 'add', ids: ['in'] },
    ],
    want: [],
  },
  {
    why: 'replacing removes everybody else, also those only seen',
    edits: [{ op: 'replace', ids: ['new'] }],
    want: [
      ['in', [0, 1, 9]],
      ['seen', [0, 1, 9]],
      ['new', [1, 0, 9]],
    ],
  },
  {
    why: 'replacing by the same changes only whose wish it was not yet',
    edits: [{ op: 'replace', ids: ['in', 'seen'] }],
    want: [['seen', [1, 1, null]]],
  },
  {
    why: 'replacing by nobody empties',
    edits: [{ op: 'replace', ids: [] }],
    want: [
      ['in', [0, 1, 9]],
      ['seen', [0, 1, 9]],
    ],
  },
  {
    why: 'replacing takes back what the same request added',
    edits: [
      { op: 'add', ids: ['new'] },
      { op: 'replace', ids: ['more'] },
    ],
    want: [
      ['in', [0, 1, 9]],
      ['seen', [0, 1, 9]],
      ['more', [1, 0, 9]],
    ],
  },
  {
    why: 'adding after replacing adds',
    edits: [
      { op: 'replace', ids: ['in'] },
      { op: 'add', ids: ['new', 'seen'] },
    ],
    want: [
      ['new', [1, 0, 9]],
      ['seen', [1, 1, null]],
    ],
  },
  {
    why: 'named twice is once',
    edits: [{ op: 'add', ids: ['new', 'new'] }],
    want: [['new', [1, 0, 9]]],
  },
  {
    why: 'who is protected stays, the rest applies',
    keeps: 'in',
    edits: [{ op: 'replace', ids: ['new'] }],
    want: [
      ['seen', [0, 1, 9]],
      ['new', [1, 0, 9]],
    ],
  },
  {
    why: 'who is protected can be added',
    keeps: 'new',
    edits: [{ op: 'add', ids: ['new'] }],
    want: [['new', [1, 0, 9]]],
  },
];

async function prepare(store: Store) {
  const group = await addGroup(store);
  const ids = new Map<Person, UserId>();
  for (const person of ['in', 'seen', 'out', 'new', 'more'] as const) {
    ids.set(person, (await addUser(store)).id);
  }
  const toId = (person: Person): UserId => {
    const id = ids.get(person);
    if (id === undefined) throw new Error(`${person} is nobody`);
    return id;
  };
  for (const [person, facts] of BEFORE) {
    await addLink(store, { group, user: { id: toId(person) }, putIn: 1 }, facts);
  }
  const find = (person: Person) => findFacts(store, { group, user: { id: toId(person) } });
  return { group, toId, find };
}

describeStores('edits of a list of a group', ({ makeStore }) => {
  async function edit(store: Store, { edits, keeps }: Pick<EditCase, 'edits' | 'keeps'>) {
    const { group, toId, find } = await prepare(store);
    const named = edits.map(({ op, ids }) => ({ op, ids: ids.map(toId) }));
    const context = {
      groupId: group.id,
      version: 9,
      inFlight: false,
      keeps: (id: UserId) => keeps !== undefined && id === toId(keeps),
      turns: () => undefined,
    };
    const result = await store.write((tx) => editLinks(tx, 'memberships', named, context));
    return { group, toId, find, result };
  }

  test.each(cases)('$why', async ({ want, ...row }) => {
    const { result, toId } = await edit(await makeStore(), row);

    const changed = result.writes.map(
      ({ userId, desired, observed, pending }): Change => [userId, [desired, observed, pending]],
    );
    const wanted = want.map(([person, facts]): Change => [toId(person), facts]);
    expect(new Map(changed)).toEqual(new Map(wanted));
    expect(new Set(result.befores.keys())).toEqual(new Set(wanted.map(([id]) => id)));
    expect(result.removes).toBe(wanted.some(([, [desired]]) => desired === 0));
  });

  test('what a request changed is undone by what it remembers', async () => {
    const store = await makeStore();
    const edits = [{ op: 'replace', ids: ['new'] }] as const;
    const { group, toId, find, result } = await edit(store, { edits });
    await store.write((tx) => saveLinks(tx, 'memberships', group.id, result.writes));
    expect(await find('in')).toEqual([0, 1, 9]);

    const befores = [...result.befores.values()].filter((before) => before !== null);
    await store.write((tx) => saveLinks(tx, 'memberships', group.id, befores));

    for (const [person, facts] of BEFORE) expect(await find(person)).toEqual(facts);
    expect(befores.every(({ putIn }) => putIn === 1)).toBe(true);
    expect(result.befores.get(toId('new'))).toBeNull();
  });

  test('nothing is stored by looking at it', async () => {
    const { find } = await edit(await makeStore(), { edits: [{ op: 'replace', ids: ['new'] }] });

    expect(await find('in')).toEqual([1, 1, null]);
    expect(await find('new')).toBeUndefined();
  });
});
