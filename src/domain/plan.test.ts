import { expect, test } from 'vitest';
import type { ChangeKind } from './change.ts';
import { listChangedFields, listFieldChanges, toPlace } from './plan.ts';
import type { JsonValue } from './values.ts';

const fields = (...some: string[]) => ({ kind: 'fields', fields: some });

test.each<[kind: ChangeKind, member_id: string, desired: JsonValue, place: object]>([
  ['member.add', 'u', { present: true }, { kind: 'link', list: 'member', userId: 'u' }],
  ['entity.change', 'entity:room', 'reader', fields('entity:room')],
  ['entity.change', '', 'reader', fields()],
  ['user.rename', '', null, fields('name')],
  ['user.access', '', { temporarilyInactive: null }, fields('temporarilyInactive')],
  ['user.hand-over', '', { provider: 'b' }, fields()],
])('a change of %s %s to %j has one place', (kind, member_id, desired, place) =>
  expect(toPlace({ kind, member_id, desired })).toEqual(place),
);

const away = (temporarilyInactive: boolean) => ({ temporarilyInactive });
const WANTED = { userName: 'b', address: 'b@c', name: { givenName: 'Ada', familyName: '' } };
const SEEN = { userName: 'a', email: 'a@b', fullName: 'Ada', at: 1, by: 'scim.getUser' };

test('fields that one call changes are one change, and what is not wanted, not told or the same is none', () => {
  const user = {
    type: 'user',
    ...{ desired: { ...WANTED, active: false, appsPermissions: 1, ...away(false) }, cells: {} },
    ...{ observed: { ...SEEN, active: true, appsPermissions: 3, ...away(true) } },
  } as const;

  expect(listFieldChanges(user, 'scim', () => true)).toEqual([
    { kind: 'user.deactivate', desired: { active: false }, observed: { active: true } },
    {
      kind: 'user.access',
      desired: { appsPermissions: 1, ...away(false) },
      observed: { appsPermissions: 3, ...away(true) },
    },
  ]);
  expect(listChangedFields('user.access')).toEqual(['appsPermissions', 'temporarilyInactive']);
});
