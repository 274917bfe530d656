import { expect, test } from 'vitest';
import type { Cell } from '../domain/cell.ts';
import { ask, onlyWaiting } from '../domain/cell.ts';
import type {
  DesiredGroup,
  DesiredUser,
  GroupField,
  GroupState,
  ObservedUser,
  UserField,
  UserState,
} from '../domain/kinds.ts';
import { groupId, parseFields, userId } from '../domain/values.ts';
import type { PlanPolicy } from './plan.ts';
import { plan, toPlannable } from './plan.ts';
import { failing, linkOf, refused, stepOf, stepOfLinks } from './plan-test-support.ts';
import type { Plan, Step } from './step.ts';
import { LOOK, listParts } from './step.ts';

const OF_USERS = { deactivation: 'scim', addressMayChange: true } as const;
const POLICY: PlanPolicy = { ...OF_USERS, membersPerCall: 2, deletion: 'created' };

interface UserCase extends Partial<UserState> {
  readonly wants?: Partial<DesiredUser>;
  readonly shows?: Partial<ObservedUser>;
  readonly waits?: readonly UserField[];
}

const UNKNOWN = { upstream_id: null, upstream_scim_id: null, upstream_uid: null };
const COMMON = {
  ...UNKNOWN,
  version: 3,
  deleted_at: null,
  staged: null,
  mustLook: false,
  sent_creates: [],
};
const address = 'ada@example.com';
const account = { userName: address, address, name: { givenName: 'Ada', familyName: 'King' } };

/** Ada has an account that is as her provider wants it; a case says what is otherwise. */
function toUser({ wants, shows, waits = [], ...others }: UserCase): UserState {
  const unset = { appsPermissions: undefined, temporarilyInactive: undefined };
  const names = { userName: address, email: address, fullName: 'Ada King' };
  return {
    type: 'user',
    ...{ ...COMMON, id: userId('u'), upstream_id: 7 },
    desired: { ...account, active: true, ...unset, ...wants },
    observed: { ...names, active: true, at: 1, by: 'scim.getUser', ...shows },
    cells: ask<UserField>({}, waits, 1),
    ...others,
  };
}

interface GroupCase extends Partial<GroupState> {
  readonly wants?: Partial<DesiredGroup>;
  readonly waits?: readonly GroupField[];
  readonly deletion?: PlanPolicy['deletion'];
}

/** The service has the group Board as its provider wants it; a case says what is otherwise. */
function toGroup({ wants, waits = [], ...others }: GroupCase): GroupState {
  const unset = { permissions: undefined, addToCardsAndSpacesEnabled: undefined };
  return {
    type: 'group',
    ...{ ...COMMON, id: groupId('g'), upstream_uid: 'uid-5' },
    ...{ origin: 'created', links: [], entities: null },
    desired: { displayName: 'Board', ...unset, ...wants },
    observed: { displayName: 'Board', at: 1, by: 'groups.getGroup' },
    cells: ask<GroupField>({}, waits, 1),
    ...others,
  };
}

const [on, off] = [{ active: true }, { active: false }];
const [away, here] = [{ temporarilyInactive: true }, { temporarilyInactive: false }];
const name = { name: { givenName: 'Countess', familyName: 'King' } };
const NEWS = { ...name, appsPermissions: 2, address: 'king@example.com' };
const OPTIONAL = ['name', 'appsPermissions', 'temporarilyInactive'] as const;

const NEW: UserCase = { upstream_id: null, observed: null, waits: ['account'] };
const GOES: UserCase = { wants: off, waits: ['active'] };
const VIRTUAL: UserCase = { ...GOES, shows: { virtual: true } };
const UNSURE: UserCase = { cells: { active: { pending: 2, sent: 1 } } };
const UNSET = { wants: { name: undefined }, shows: { appsPermissions: 5, ...away } };

const CREATE = stepOf('create', { account });
const REMOVE: Step = { kind: 'remove', facts: [{ part: 'active' }] };
const ACTIVATE = stepOf('update', { active: on });
const DEACTIVATE = stepOf('update', { active: off });
const RENAME = stepOf('update', { name });
const NOTHING = undefined;

type UserRow = [title: string, state: UserCase, step?: Step | undefined, ...done: UserField[]];

test.each<UserRow>([
  ['nothing that only differs is changed', { wants: { ...NEWS, ...off } }],
  ['a call of unknown outcome is looked for first', { ...GOES, mustLook: true }, LOOK],
  ['a create of unknown outcome is looked for', { ...NEW, mustLook: true }, LOOK],
  ['outside the scope nothing is looked for', { ...NEW, mustLook: true, staged: 'scope' }],
  ['an account is seen before it is changed', { ...GOES, observed: null }, LOOK],
  ['a new user gets an account', NEW, CREATE],
  ['without an address an account goes on waiting', { ...NEW, wants: { address: undefined } }],
  ['an inactive user is looked for and not created', { ...NEW, wants: off }, LOOK],
  ['without an account nothing else waits', { ...NEW, waits: ['name'] }, NOTHING, 'name'],
  ['no second account is created', { waits: ['account'] }, NOTHING, 'account'],
  ['a deleted virtual user is removed', { ...VIRTUAL, deleted_at: 1 }, REMOVE],
  ['and only once', { ...VIRTUAL, deleted_at: 1, waits: [] }],
  ['an inactive virtual user is only deactivated', VIRTUAL, DEACTIVATE],
  ['any other deleted user is only deactivated', { ...GOES, deleted_at: 1 }, DEACTIVATE],
  ['what is so already is done', { wants: NEWS, waits: ['active', 'name'] }, RENAME, 'active'],
  ['a value is sent again while a lost call may undo it', UNSURE, ACTIVATE],
  ['a value that nobody wants is not ours', { ...UNSET, waits: OPTIONAL }, NOTHING, ...OPTIONAL],
])('the next step of a user: %s', (_, state, step, ...done) => {
  expect(plan(toUser(state), POLICY)).toEqual({ step, done });
});

const SUSPEND = stepOf('access', { active: away });
const RESUME = stepOf('access', { active: here });
const BOTH = stepOf('access', { active: away, temporarilyInactive: away });
const COMES: UserCase = { waits: ['active'] };
const OUT = { ...off, ...away };
const SUSPENDED: UserCase = { wants: away, waits: ['active', 'temporarilyInactive'] };
const MOVES: UserCase = { wants: NEWS, waits: ['address', 'name'] };

test.each<UserRow>([
  ['a user who goes keeps the SCIM flag', GOES, SUSPEND],
  ['a wanted suspension deactivates', SUSPENDED, BOTH],
  ['the SCIM flag alone keeps a user out', { ...GOES, shows: off }, NOTHING, 'active'],
  ['of two switches the SCIM flag is set first', { ...COMES, shows: OUT }, ACTIVATE],
  ['and then the suspension ends', { ...COMES, shows: away }, RESUME],
  ['a lost suspension is ended', UNSURE, RESUME],
  ['an address is done without a call', MOVES, RENAME, 'address'],
])('where suspending deactivates, and addresses stay: %s', (_, state, step, ...done) => {
  const addressMayChange = false;
  const policy = { ...POLICY, deactivation: 'temporarilyInactive', addressMayChange } as const;

  expect(plan(toUser(state), policy)).toEqual({ step, done });
});

/** All steps in their order, where the service takes each and nothing else happens. */
function listSteps<State extends UserState | GroupState>(
  state: State,
  plan: (state: State) => Plan,
): Step[] {
  const { step } = plan(state);
  if (step === undefined) return [];
  const isLeft = (part: unknown) => !listParts(step).some((made) => made === part);
  const cells = onlyWaiting<string>(state.cells, parseFields<string>(state.cells).filter(isLeft));
  const links = 'links' in state ? { links: state.links.filter(isLeft) } : {};
  return [step, ...listSteps({ ...state, ...links, cells }, plan)];
}

const licence = { appsPermissions: { appsPermissions: 2 } };
const STOP = stepOf('access', { temporarilyInactive: away, ...licence });
const END = stepOf('access', { temporarilyInactive: here, ...licence });
const MOVE = stepOf('address', { address: { userName: address, address: NEWS.address } });
const COME = stepOf('update', { active: on, name });
const GO = stepOf('update', { active: off, name });
const TRIED = { active: failing(1, 6), name: failing(1, 5), address: { pending: 1 } };

test.each<[title: string, state: UserCase, ...steps: Step[]]>([
  ['a deactivation comes first', { wants: { ...NEWS, ...OUT } }, GO, STOP, MOVE],
  ['a suspension comes first', { wants: { ...NEWS, ...away }, shows: off }, STOP, COME, MOVE],
  ['a suspension ends late', { wants: { ...NEWS, ...here }, shows: OUT }, COME, END, MOVE],
  ['what failed is last', { wants: { ...NEWS, ...off }, cells: TRIED }, MOVE, DEACTIVATE, RENAME],
])('in the steps of a user %s', (_, state, ...steps) => {
  const user = toUser({ waits: ['address', ...OPTIONAL, 'active'], ...state });

  expect(listSteps(user, (left) => plan(left, POLICY))).toEqual(steps);
});

const [leaves, joins] = [linkOf('member', false), linkOf('member', true)];
const [demoted, promoted] = [linkOf('admin', false), linkOf('admin', true)];

const OWN = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;
const COUNCIL = { displayName: 'Council', permissions: 16, addToCardsAndSpacesEnabled: false };
const [title, rights] = [{ displayName: 'Council' }, { permissions: 16 }];
const closed = { addToCardsAndSpacesEnabled: false };
const plain = { displayName: { displayName: 'Board' }, permissions: { permissions: 0 } };

const FOUND = stepOf('create', { existence: COUNCIL });
const DELETE: Step = { kind: 'remove', facts: [{ part: 'existence' }] };
const LEAVE = stepOfLinks('link', leaves);
const SHARE = stepOfLinks('members', leaves, joins);
const ALL = { displayName: title, permissions: rights, addToCardsAndSpacesEnabled: closed };

const MADE: GroupCase = { waits: ['existence'] };
const MISSING: GroupCase = { ...MADE, ...UNKNOWN, wants: COUNCIL, links: [joins] };
const LOST: GroupCase = { ...UNKNOWN, cells: { existence: { pending: 2, sent: 1 } } };
const ENDS: GroupCase = { ...MADE, deleted_at: 1, links: [leaves] };
const KEPT: GroupCase = { wants: COUNCIL, waits: OWN, deleted_at: 1, origin: 'adopted' };
const UNSEEN: GroupCase = { observed: null, wants: { permissions: 0 }, waits: OWN };
const FORBIDDEN: GroupCase = { ...ENDS, deletion: 'never' };

test.each<[title: string, state: GroupCase, step?: Step | undefined, ...done: GroupField[]]>([
  ['nothing that only differs is changed', { wants: COUNCIL }],
  ['a call of unknown outcome is looked for first', { ...ENDS, mustLook: true }, LOOK],
  ['a new one is created before members come', MISSING, FOUND],
  ['none is created while a lost create may still do it', LOST],
  ['none is created where that does not wait', { ...MISSING, waits: [] }],
  ['a deleted one of the bridge is removed', ENDS, DELETE],
  ['and only once', { ...ENDS, waits: ['permissions'] }, NOTHING, 'permissions'],
  ['a deleted one that never was is done', { ...ENDS, ...UNKNOWN }, NOTHING, 'existence'],
  ['a deleted one of others loses members', { ...ENDS, origin: 'adopted' }, LEAVE, 'existence'],
  ['so does one of the bridge, where none may be removed', FORBIDDEN, LEAVE, 'existence'],
  ['one that stays is not changed', KEPT, NOTHING, ...OWN],
  ['one call carries all that differs', { wants: COUNCIL, waits: OWN }, stepOf('update', ALL)],
  ['what was never seen is sent if it is wanted', UNSEEN, stepOf('update', plain), OWN[2]],
  ['members share a call, as many as it takes', { links: [leaves, joins, leaves] }, SHARE],
])('the next step of a group: %s', (_, { deletion = 'created', ...state }, step, ...done) => {
  expect(plan(toGroup(state), { ...POLICY, deletion })).toEqual({ step, done });
});

const MINUTES = 'entity:minutes';
const wanting = (value: string, by: 'rule' | 'service' = 'rule') =>
  ({ pending: 2, source: { value, by } }) as const;
const listed = (text: string) => ({ [MINUTES]: text });
const WITHOUT = {};
const LIST = stepOf('list-entities', { [MINUTES]: {} });
const set = (isListed: boolean, ...roles: readonly string[]) =>
  stepOf('entity', { [MINUTES]: { roles, isListed } });
const UNSURE_ROLES = { ...wanting('reader'), sent: 1 };
const OLD = wanting('reader', 'service');

test.each<[title: string, cell: Cell, entities: GroupState['entities'], step?: Step]>([
  ['a list comes before roles are given', wanting('reader'), null, LIST],
  ['roles are taken away without a list', wanting(''), null, set(false)],
  ['roles are given in another entity', wanting('a b'), WITHOUT, set(false, 'a', 'b')],
  ['roles are given beside those of another entity', wanting('a'), listed(''), set(true, 'a')],
  ['roles are given in place of others', wanting('reader'), listed('writer'), set(true, 'reader')],
  ['roles that are there need no call', wanting('reader'), listed('reader')],
  ['roles that are gone need no call', wanting(''), WITHOUT],
  ['roles that no rule names are not ours', { pending: 2 }, listed('reader')],
  ['a lost call may still undo them', UNSURE_ROLES, listed('reader'), set(true, 'reader')],
  ['roles of before the rules are looked for where no list shows them', OLD, listed(''), LIST],
  ['roles of before the rules are changed', OLD, listed('writer'), set(true, 'reader')],
])('the next step of a group in an entity: %s', (_, cell, entities, step) => {
  const group = toGroup({ cells: { [MINUTES]: cell }, entities });

  expect(plan(group, POLICY)).toEqual({ step, done: step ? [] : [MINUTES] });
});

const stuck = linkOf('member', true, refused);
const tried = linkOf('member', true, failing(1, 1));
const POWER: GroupCase = {
  wants: COUNCIL,
  cells: {
    ...ask<GroupField>({}, OWN, 1),
    'entity:seen': wanting('reader'),
    ...{ 'entity:old': OLD, 'entity:more': OLD, [MINUTES]: wanting('') },
  },
  entities: { [MINUTES]: 'reader', 'entity:seen': 'writer' },
  links: [stuck, tried, promoted, joins, demoted, leaves],
};
const FAILED = { displayName: failing(1, 6), permissions: failing(1, 5) };
const DUE = { wants: COUNCIL, cells: { ...FAILED, addToCardsAndSpacesEnabled: refused } };

test.each<[title: string, state: GroupCase, ...steps: Step[]]>([
  [
    'power is taken away before anything is changed, and given after that',
    POWER,
    stepOfLinks('link', demoted),
    set(true),
    stepOfLinks('members', joins, leaves),
    stepOf('update', ALL),
    stepOfLinks('link', promoted),
    stepOf('list-entities', { 'entity:old': {}, 'entity:more': {} }),
    stepOf('entity', { 'entity:seen': { roles: ['reader'], isListed: true } }),
    stepOfLinks('members', stuck, tried),
  ],
  [
    'what failed goes last, alone, and by its time; what was refused does not',
    DUE,
    stepOf('update', { addToCardsAndSpacesEnabled: closed }),
    stepOf('update', { permissions: rights }),
    stepOf('update', { displayName: title }),
  ],
  [
    'a deleted one that stays leaves the entities of the rules, and gets no roles',
    { ...KEPT, cells: { 'entity:next': wanting('reader'), [MINUTES]: wanting('') } },
    set(false),
  ],
])('in the steps of a group %s', (_, state, ...steps) => {
  expect(listSteps(toGroup(state), (left) => plan(left, POLICY))).toEqual(steps);
});

const NOW = 1_000;
const SOON = failing(1, NOW + 1);
const STUCK = failing(1, NOW + 1, 1);
const TWICE = failing(2, NOW);
const LATE = failing(3, NOW);
const OTHER = { pending: 1 };

const SOME: UserCase = { cells: { active: SOON, name: TWICE, address: OTHER } };
const MISSED: UserCase = { mustLook: true, wants: off, cells: { active: LATE, name: OTHER } };
const NOBODY: UserCase = { mustLook: true, cells: { account: SOON, name: OTHER } };
const ALONE = { mustLook: false, cells: { active: LATE } };
const IDLE = { mustLook: false, cells: {} };

test.each<[title: string, state: UserCase, want?: Partial<UserState>]>([
  ['a field alone waits for its next attempt', SOME, { cells: { name: TWICE, address: OTHER } }],
  ['with an account all waits, but for a look', NOBODY, { cells: {} }],
  ['a stuck account is not even looked for', { ...NOBODY, cells: { account: STUCK } }, IDLE],
  ['before its time', { ...NOBODY, cells: { account: failing(1, NOW, 1) } }],
  ['after three failed looks a deactivation is sent without one, alone', MISSED, ALONE],
  ['after two there is a third', { ...MISSED, cells: { active: TWICE } }],
  ['a first attempt has its look', { ...GOES, mustLook: true }],
  ['an activation has its look', { ...MISSED, wants: {} }],
  ['an account is looked for', { ...MISSED, upstream_id: null }],
  ['a user who was never seen is looked for', { ...MISSED, observed: null }],
  ['a user who was seen inactive is looked for', { ...MISSED, shows: off }],
  ['a user who was seen suspended is looked for', { ...MISSED, shows: away }],
  ['without a look everything is sent', { ...MISSED, mustLook: false }],
])('what can be planned now for a user: %s', (_, state, want) => {
  const user = toUser(state);

  expect(toPlannable(user, NOW)).toEqual({ ...user, ...want });
});

const late = linkOf('member', false, failing(3, 1));
const both = [late, linkOf('admin', false, failing(3, 1))];
const ENDING: GroupCase = { mustLook: true, deleted_at: 1, cells: { existence: LATE } };
const LEFT: GroupCase = { mustLook: true, waits: OWN, links: [joins, ...both] };
const DEFERRED: GroupCase = { ...LEFT, ...UNKNOWN, cells: { existence: SOON } };
const BY_SCIM: GroupCase = { ...LEFT, ...UNKNOWN, upstream_scim_id: '5' };
const GONE: GroupCase = { ...LEFT, deleted_at: 1, origin: 'adopted' };

test.each<[title: string, state: GroupCase, want?: Partial<GroupState>]>([
  ['with the group all waits, but for a look', DEFERRED, { cells: {} }],
  ['a stuck group is not even looked for', { ...ENDING, cells: { existence: STUCK } }, IDLE],
  ['after three failed looks a removal is sent without one', ENDING, { mustLook: false }],
  ['after two there is a third', { ...ENDING, cells: { existence: TWICE } }],
  ['a group without a REST uid is looked for', { ...ENDING, ...UNKNOWN }],
  ['a group of others is looked for', { ...ENDING, origin: 'adopted' }],
  ['a group that is wanted is looked for', { ...ENDING, deleted_at: null }],
  ['after three failed looks who leaves does so alone', LEFT, { ...IDLE, links: both }],
  ['also in a deleted group of others', GONE, { ...IDLE, links: both }],
  ['a member leaves by SCIM too', { ...BY_SCIM, links: [late] }, { ...IDLE, links: [late] }],
  ['no admin leaves by SCIM', BY_SCIM, { ...IDLE, links: [late] }],
  ['nobody leaves a group without an id', { ...LEFT, ...UNKNOWN, links: [late] }],
  ['nobody comes without a look', { ...LEFT, links: [{ ...late, wanted: true }] }],
  ['who left twice in vain is looked for', { ...LEFT, links: [{ ...late, ...failing(2, 1) }] }],
  ['without a look everything is sent', { ...LEFT, mustLook: false }],
])('what can be planned now for a group: %s', (_, state, want) => {
  const group = toGroup(state);

  expect(toPlannable(group, NOW)).toEqual({ ...group, ...want });
});
