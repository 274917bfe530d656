import { expect, test } from 'vitest';
import type { Cell, Source } from '../domain/cell.ts';
import type { GroupState } from '../domain/group.ts';
import { groupId } from '../domain/ids.ts';
import { planGroup } from './plan-group.ts';

const field = 'entity:minutes';
const held: GroupState = {
  id: groupId('g'),
  ids: { scimId: undefined, restId: 5, uid: 'uid-5' },
  desired: { displayName: 'Board', permissions: undefined, addToCardsAndSpacesEnabled: undefined },
  observed: { displayName: 'Board', at: 1, by: 'groups.getGroup' },
  cells: {},
  version: 3,
  deleted: false,
  created: true,
  mustLook: false,
  sentCreates: [],
  members: [],
  admins: [],
};

function cell(value: string, by: Source['by'], more: Cell = {}): GroupState['cells'] {
  return { [field]: { pending: 2, source: { value, by }, ...more } };
}

function seen(text?: string): GroupState['entities'] {
  return { at: 1, roles: text === undefined ? {} : { [field]: text } };
}

const problem = { code: 'unavailable', words: '' };
const look = { kind: 'look-at-entities', fields: [field] };
const failure = { version: 2, since: null, retryAt: 0, problem, attempts: 1 };

interface PlanCase {
  readonly why: string;
  readonly state: Partial<GroupState>;
  readonly actions: readonly object[];
  readonly isDone?: true;
}

const change = (roles: readonly string[], isListed: boolean) => ({
  ...{ kind: 'change-entity', field, roles, isListed },
});
const cases: readonly PlanCase[] = [
  {
    why: 'roles are given only after the entities were listed',
    state: { cells: cell('reader', 'service') },
    actions: [look],
  },
  {
    why: 'a list from before the rule named the entity does not tell whether it was there',
    state: { cells: cell('reader', 'service'), entities: seen() },
    actions: [look],
  },
  {
    why: 'an entity that the group lacks is given',
    state: { cells: cell('reader writer', 'rule'), entities: seen() },
    actions: [change(['reader', 'writer'], false)],
  },
  {
    why: 'one with other roles is changed',
    state: { cells: cell('reader', 'service'), entities: seen('writer') },
    actions: [change(['reader'], true)],
  },
  {
    why: 'one with these roles needs no call',
    state: { cells: cell('reader', 'service'), entities: seen('reader') },
    actions: [],
    isDone: true,
  },
  {
    why: 'one that was written after a call whose outcome nobody knows is sent, whatever is seen',
    state: { cells: cell('reader', 'rule'), entities: seen('reader'), unsureSince: 1 },
    actions: [change(['reader'], true)],
  },
  {
    why: 'a removal needs no list',
    state: { cells: cell('', 'rule') },
    actions: [change([], false)],
  },
  {
    why: 'a removal of what is gone needs no call',
    state: { cells: cell('', 'rule'), entities: seen() },
    actions: [],
    isDone: true,
  },
  {
    why: 'what failed comes after a name that was not tried yet',
    state: {
      desired: { ...held.desired, displayName: 'Council' },
      cells: { displayName: { pending: 3 }, ...cell('reader', 'rule', { failure }) },
      entities: seen(),
    },
    actions: [{ kind: 'update-group', displayName: 'Council' }, change(['reader'], false)],
  },
  {
    why: 'a group that is released leaves what the rules put it into',
    state: { deleted: true, created: false, cells: cell('', 'rule'), entities: seen('reader') },
    actions: [change([], true)],
  },
  {
    why: 'what does not wait is left alone',
    state: { cells: { [field]: { source: { value: 'reader', by: 'rule' } } }, entities: seen() },
    actions: [],
  },
];

test.each(cases)('$why', ({ state, actions, isDone }) => {
  const plan = planGroup({ ...held, ...state }, { membersPerCall: 100, deletion: 'created' });
  const planned = plan.actions.map(({ reason: _, ...action }) => action);

  expect({ ...plan, actions: planned }).toEqual({ actions, done: isDone ? [field] : [] });
});
