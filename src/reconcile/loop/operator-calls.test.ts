import { expect, test } from 'vitest';
import type { Operation } from '../../upstream/operations/operation.ts';
import {
  companyUsers,
  groupAdmins,
  groupEntities,
  groups,
  groupUsers,
  users,
} from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { findChanged, toOperatorChanges } from './operator-calls.ts';

const NEW: readonly string[] = ['scim.addUser', 'scim.addGroup', 'groups.createGroup'];
const rows: Operation[] = [
  ...[scim, companyUsers, groups, groupUsers, groupAdmins, groupEntities],
].flatMap((group) => Object.values(group));
const changing = [users.updateUser, ...rows.filter(({ method }) => method !== 'GET')];
test.each(changing.filter(({ id }) => !NEW.includes(id)))(
  'a call of $id by an operator is followed by a look',
  ({ id, path }) => {
    const [parameter = ''] = /(?<=\{)\w+(?=\})/.exec(path) ?? [];

    expect(findChanged(id, { path: { [parameter]: 7 } })?.upstreamId).toBe('7');
  },
);

test.each([...NEW, 'cards.updateCard'])(
  'a call of %s by an operator changes nobody who is known',
  (id) => {
    expect(findChanged(id, { path: { card_id: 7 } })).toBeUndefined();
  },
);

const operatorCases = [
  {
    why: 'the ids of the path and of the body',
    args: { path: { group_uid: 'g-1' }, body: { user_id: 7 } },
    names: ['g-1', '7'],
  },
  {
    why: 'names and addresses, which stand for what has no id yet',
    args: { body: { userName: 'ada', emails: [{ value: 'ada@example.com', type: 'work' }] } },
    names: ['ada', 'ada@example.com'],
  },
  {
    why: 'members inside of operations',
    args: {
      path: { group_id: '5' },
      body: { Operations: [{ op: 'add', path: 'members', value: [{ value: 7 }, { value: 8 }] }] },
    },
    names: ['5', '7', '8'],
  },
  {
    why: 'the same name once',
    args: { path: { id: 7 }, body: { user_id: 7 } },
    names: ['7'],
  },
  {
    why: 'nothing of what is only text',
    args: { path: { card_id: 1 }, body: { text: 'a secret', description: 'too', due_date: null } },
    names: ['1'],
  },
  { why: 'nothing at all', args: {}, names: [] },
];
test.each(operatorCases)('the ledger of a call by an operator has $why', ({ args, names }) => {
  expect(toOperatorChanges(args)).toEqual(names.map((upstreamId) => ({ kind: null, upstreamId })));
});
