import { expect, test } from 'vitest';
import type { GroupState } from '../domain/group.ts';
import { groupId } from '../domain/ids.ts';
import { planEntities } from './plan-entities.ts';

const field = 'entity:minutes';

test.each([
  { why: 'a removal needs no list', value: '', plan: { removals: [{ field }], others: [] } },
  {
    why: 'roles are given only after the entities were listed',
    value: 'reader',
    plan: { removals: [], others: [{ kind: 'look-at-entities', fields: [field] }] },
  },
])('$why', ({ value, plan }) => {
  const state: GroupState = {
    id: groupId('g'),
    ids: { scimId: undefined, restId: 5, uid: 'uid-5' },
    desired: {
      displayName: 'Board',
      permissions: undefined,
      addToCardsAndSpacesEnabled: undefined,
    },
    observed: { displayName: 'Board', at: 1, by: 'groups.getGroup' },
    cells: { [field]: { pending: 2, source: { value, by: 'rule' } } },
    version: 3,
    deleted: false,
    created: true,
    mustLook: false,
    sentCreates: [],
    members: [],
    admins: [],
  };

  expect(planEntities(state)).toMatchObject(plan);
});
