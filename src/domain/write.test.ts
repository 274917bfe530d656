import { expect, test } from 'vitest';
import type { Cells } from './cell.ts';
import { SENT_AGAIN } from './cell.ts';
import type { Versions } from './cell-test-support.ts';
import { toVersions, waitingFor } from './cell-test-support.ts';
import { GROUP_EXTENSION, USER_EXTENSION } from './extensions.ts';
import type {
  Deactivation,
  Field,
  GroupField,
  GroupState,
  ObservedUser,
  State,
  UserField,
  UserState,
} from './kinds.ts';
import { toDesiredGroup, toDesiredUser } from './kinds.ts';
import type { JsonObject } from './values.ts';
import { groupId, userId } from './values.ts';
import * as writes from './write.ts';

const ADA = 'ada@example.com';
const named = { userName: ADA, name: { givenName: 'Ada', familyName: 'Lovelace' } };
const attributes = { ...named, active: true };
const observed: ObservedUser = {
  ...{ userName: ADA, email: ADA, fullName: 'Ada Lovelace', active: true },
  ...{ at: 1, by: 'scim.getUser' },
};
const NO_IDS = { upstream_id: null, upstream_scim_id: null, upstream_uid: null };
const common = {
  ...{ cells: {}, version: 8, deleted_at: null, staged: null },
  ...{ mustLook: false, sent_creates: [] },
};
const settled: UserState = {
  ...{ ...common, type: 'user', id: userId('u'), ...NO_IDS, upstream_id: 7, observed },
  desired: toDesiredUser(attributes, false),
};
const seen = (more: object) => ({ ...settled, observed: { ...observed, ...more } });
const asking = (versions: Versions<UserField>) => ({ cells: waitingFor(versions) });
const look = { mustLook: true };
const unsure = { ...settled, ...look };
const unseen = { ...settled, observed: null };
const accountless = { ...unseen, upstream_id: null };
const inactive = { ...accountless, desired: { ...settled.desired, active: false } };
const creating = asking({ account: 5 });
const sent = { sent_creates: [{ name: ADA }] };
const OFF = { ...named, active: false };
const ON = attributes;

test('a write names fields by their attributes, those of an extension by their URN', () => {
  const names = ['userName', `${USER_EXTENSION}:appsPermissions`, 'displayName', 'active'];
  const ofGroup = ['displayName', 'permissions', `${GROUP_EXTENSION}:addToCardsAndSpacesEnabled`];

  expect(writes.toFields('user', new Set(names))).toEqual(['active', 'appsPermissions', 'address']);
  expect(writes.toFields('group', new Set(ofGroup))).toEqual([
    'displayName',
    'addToCardsAndSpacesEnabled',
  ]);
});

const write = (before: State, after: State, fields: Field[]) =>
  toVersions(writes.toCellsAfterWrite({ before, after, fields, version: 9, deactivation: 'scim' }));

const BOTH = { active: 9, name: 9 };
test.each<[why: string, state: UserState, sent: JsonObject, want: Versions<UserField>]>([
  ['nothing where the service holds it all', settled, ON, {}],
  ['what the service does not hold', settled, OFF, { active: 9 }],
  ['everything while a call may change it', unsure, ON, BOTH],
  ['everything of an account that was never seen', unseen, ON, BOTH],
  ['what is set, and not the rest', unsure, { active: true }, { active: 9 }],
  ['what waits already', { ...settled, ...asking({ name: 5 }) }, ON, { name: 9 }],
  ['an account where there is none', accountless, ON, { account: 9 }],
  ['a look for an account that others may have made', accountless, OFF, { account: 9 }],
  ['nothing where its creation was not sent', { ...accountless, ...creating }, OFF, {}],
  ['a look where it was', { ...inactive, ...creating, ...sent }, OFF, { account: 9 }],
  ['a look where it may be', { ...inactive, ...creating, ...look }, OFF, { account: 9 }],
])('a write of active and name of a user makes wait: %s', (_why, state, asked, want) => {
  const after = { ...state, desired: toDesiredUser(asked, false) };

  expect(write(state, after, ['active', 'name'])).toEqual(want);
});

const off = seen({ active: false });
test.each<[why: string, state: UserState, want: Versions<UserField>]>([
  ['the deactivation alone', { ...settled, ...asking({ name: 5 }) }, { active: 9 }],
  ['one that seems to be done', off, { active: 9 }],
  ['a deactivation that waits', { ...off, ...asking({ active: 5 }) }, { active: 9 }],
  ['one that a call may undo', { ...off, ...look }, { active: 9 }],
  ['one that was never seen', unseen, { active: 9 }],
  ['a look for an account that may be there', { ...accountless, ...sent }, { account: 9 }],
  ['nothing where there is none', inactive, {}],
])('a deletion of a user makes wait: %s', (_why, state, want) =>
  expect(toVersions(writes.toCellsAfterDeletion(state, 9))).toEqual(want),
);

const ROOM = 'entity:room';
const ROLES: Cells<GroupField> = { [ROOM]: { source: { value: 'reader', by: 'rule' } } };
const board: GroupState = {
  ...{ ...common, type: 'group', id: groupId('g'), origin: 'created' },
  ...{ upstream_scim_id: '1', upstream_id: 1, upstream_uid: 'u' },
  ...{ desired: toDesiredGroup({ displayName: 'Board' }), entities: null, links: [] },
  observed: { displayName: 'Board', permissions: 4, at: 1, by: 'groups.getGroup' },
};
const absent = { ...board, ...NO_IDS };
const moving = { ...board, ...look };
const held = { displayName: 'Board' };
const changed = { displayName: 'Staff', [GROUP_EXTENSION]: { permissions: 6 } };
const LOST = { active: { sent: 4 } };
test.each<[why: string, deactivation: Deactivation, before: Cells<UserField>, after: object]>([
  ['a look shows', 'scim', {}, { active: { pending: 9 } }],
  ['no look shows', 'temporarilyInactive', {}, { active: { pending: 9, sent: SENT_AGAIN } }],
  ['waits already', 'scim', { active: { pending: 5 } }, { active: { pending: 5 } }],
  ['a lost call may change', 'temporarilyInactive', LOST, { active: { pending: 9, sent: 4 } }],
])('access that is in doubt, and that %s', (_why, deactivation, before, after) =>
  expect(writes.askDoubted(before, ['active'], { version: 9, deactivation })).toEqual(after),
);

test.each<[why: string, state: GroupState, sent: JsonObject, want: Versions<GroupField>]>([
  ['what the service does not hold', board, changed, { displayName: 9, permissions: 9, [ROOM]: 9 }],
  ['an entity in which rules want other roles', board, held, { [ROOM]: 9 }],
  ['what is set while a call may change it', moving, held, { displayName: 9, [ROOM]: 9 }],
  ['everything of a group that is not there', absent, changed, { existence: 9 }],
  ['its roles too', { ...absent, cells: ROLES }, changed, { existence: 9, [ROOM]: 9 }],
])('a write of a group makes wait: %s', (_why, state, asked, want) => {
  const after = { ...state, desired: toDesiredGroup(asked) };

  expect(write(state, after, ['displayName', 'permissions', ROOM])).toEqual(want);
});

test.each<[why: string, group: GroupState, want: Versions<GroupField>]>([
  ['one that the bridge made is removed', board, { existence: 9 }],
  ['not where it cannot be there', absent, {}],
  ['another one leaves its entities', { ...board, origin: 'adopted' }, { [ROOM]: 9 }],
])('a deletion of a group: %s', (_why, group, want) => {
  const state = { ...group, cells: { ...ROLES, displayName: { pending: 5 } } };

  expect(toVersions(writes.toCellsAfterDeletion(state, 9))).toEqual(want);
});

const suspension = (value: boolean | undefined): JsonObject => ({
  userName: ADA,
  [USER_EXTENSION]: {
    appsPermissions: 1,
    ...(value !== undefined && { temporarilyInactive: value }),
  },
});
const ruled = { source: { value: true, by: 'rule' } } as const;
test.each([
  ['is ended where it is cleared', true, undefined, {}, false],
  ['stays as it is sent', true, true, {}, true],
  ['that was none stays none', false, undefined, {}, undefined],
  ['is not ended where a rule wants it', true, undefined, ruled, undefined],
] as const)('a suspension %s', (_why, before, after, temporarilyInactive, want) => {
  const combined = { attributes: suspension(after), cells: { temporarilyInactive } };

  expect(writes.withSuspensionEnded(suspension(before), combined)).toEqual(suspension(want));
});

const licence = (appsPermissions: number) => ({ [USER_EXTENSION]: { appsPermissions, role: 2 } });
const was = { ...named, active: true, title: 'Dr', ...licence(1) };
const wrote = { ...named, active: false, title: 'Ms', ...licence(3) };
const { name: _, ...nameless } = was;
const byRule: Cells<UserField> = { appsPermissions: { source: { value: 1, by: 'rule' } } };
type TakenBack = Partial<Parameters<typeof writes.takeBackWrite>[0]>;

const asked = (active: number, appsPermissions?: number) =>
  waitingFor<UserField>({ active, ...(appsPermissions && { appsPermissions }) });
const first = { before: { attributes: nameless, cells: asked(8) } };
const created = { ...byRule, account: { pending: 9 } };
const wholly: TakenBack = {
  ...{ isLast: false, attributes: was, fields: ['account'] },
  ...{ cells: created, before: { attributes: was, cells: {} } },
};

test.each<[why: string, TakenBack, attributes: JsonObject, cells: Cells<UserField>]>([
  ['all of it where it was the last', {}, was, asked(8)],
  ['one field where others wrote', { isLast: false }, { ...wrote, active: true }, asked(8, 9)],
  ['what it gave first goes', first, nameless, { ...asked(8), name: { pending: 10 } }],
  ['what reached the service waits again', { cells: {}, fields: ['name'] }, was, asked(10, 10)],
  ['with the account the sources', wholly, was, {}],
])('a refused write is taken back: %s', (_why, refused, attributes, cells) => {
  const before = { attributes: was, cells: asked(8) };
  const given = { attributes: wrote, cells: asked(9, 9), before };
  const how = { ...given, fields: ['active' as const], isLast: true, version: 10 };

  expect(writes.takeBackWrite({ type: 'user', ...how, ...refused })).toEqual({ attributes, cells });
});
