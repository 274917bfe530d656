import { expect, test } from 'vitest';
import type { Cells } from '../domain/cell.ts';
import { failing, linkOf, refused, stepOf, stepOfLinks } from './plan-test-support.ts';
import type { Step } from './step.ts';
import { hasFailed, toChanges } from './step.ts';

const ada = linkOf('member', true);
const bob = linkOf('member', false, { upstreamUserId: 2 });
const tried = linkOf('member', true, failing(1, 1));
const stuck = linkOf('member', true, refused);

const members = stepOfLinks('members', ada, bob);
const [off, title] = [{ active: false }, { displayName: 'Board' }];
const fields = stepOf('update', { active: off, displayName: title });

test.each<[title: string, step: Step, cells: Cells<string>, want: boolean]>([
  ['one of its fields failed', fields, { displayName: failing(1, 1) }, true],
  ['another field failed', fields, { permissions: failing(1, 1) }, false],
  ['a field was refused', fields, { active: refused }, false],
  ['one of its members failed', stepOfLinks('members', ada, tried), {}, true],
  ['a member was refused', stepOfLinks('members', ada, stuck), {}, false],
])('a step that failed before: %s', (_, step, cells, want) => {
  expect(hasFailed(step, cells)).toBe(want);
});

const [away, here] = [{ temporarilyInactive: true }, { temporarilyInactive: false }];
const all = { displayName: title, permissions: {}, addToCardsAndSpacesEnabled: {} };
const entity = (isListed: boolean, ...roles: readonly string[]) =>
  stepOf('entity', { 'entity:a': { roles, isListed } });

test.each<[changes: string, type: 'user' | 'group', step: Step]>([
  ['', 'user', stepOf('look', {})],
  ['', 'group', stepOf('list-entities', { 'entity:a': {} })],
  ['user.create', 'user', stepOf('create', { account: {} })],
  ['group.create', 'group', stepOf('create', { existence: {} })],
  ['user.delete 7', 'user', stepOf('remove', { active: {} })],
  ['group.delete 7', 'group', stepOf('remove', { existence: {} })],
  ['user.address 7', 'user', stepOf('address', { address: {} })],
  ['user.activate 7', 'user', stepOf('update', { active: { active: true } })],
  ['user.deactivate 7, user.rename 7', 'user', stepOf('update', { active: off, name: {} })],
  [
    'user.activate 7, user.access 7',
    'user',
    stepOf('access', { active: here, appsPermissions: {} }),
  ],
  ['user.deactivate 7', 'user', stepOf('access', { active: away, temporarilyInactive: away })],
  ['group.rename 7, group.permissions 7', 'group', stepOf('update', all)],
  ['member.add 7 1, member.remove 7 2', 'group', members],
  ['admin.remove 7 1', 'group', stepOfLinks('link', linkOf('admin', false))],
  ['entity.add 7 entity:a', 'group', entity(false, 'reader')],
  ['entity.change 7 entity:a', 'group', entity(true, 'reader')],
  ['entity.remove 7 entity:a', 'group', entity(true)],
])('the changes that a step makes: %s', (changes, type, step) => {
  const made = toChanges(type, step, '7').map(({ kind, upstreamId, memberId }) =>
    [kind, upstreamId, memberId].filter(Boolean).join(' '),
  );

  expect(made).toEqual(changes === '' ? [] : changes.split(', '));
});
