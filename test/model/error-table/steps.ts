import { GROUP_EXTENSION, USER_EXTENSION } from '../../../src/domain/extensions.ts';
import type { JsonValue } from '../../../src/domain/values.ts';
import type { StepKind } from '../../../src/plan/step.ts';
import type { Verdict } from '../../../src/reconcile/outcome.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import type { OperationName } from '../../../src/sandbox/operations.ts';
import type { UpstreamErrorCode } from '../../../src/upstream/errors.ts';
import type { TestBridge } from '../../support/bridge.ts';
import { failing } from '../../support/faults.ts';
import type { TestAnswer } from '../../support/provider.ts';
import { replace, toGroup, toMembers, toPatch, toUser } from '../../support/provider.ts';

/** A step of the reconciler, and a write of a provider that leads to it. */
export interface Step {
  readonly name: string;
  readonly type: 'user' | 'group';
  readonly success: 200 | 201 | 204;
  readonly call: OperationName;
  readonly lost?: OperationName;
  readonly isVirtual?: true;
  prepare(company: Company, mark: string): Promise<() => Promise<TestAnswer>>;
}

/** A bridge, and people who are put into groups. */
export interface Company {
  readonly bridge: TestBridge;
  readonly people: readonly string[];
}

/** Roles in entities are what rules alone ask for (test/bridge/entity-roles.test.ts). */
type RequestedKind = Exclude<StepKind, 'list-entities' | 'entity'>;

const LICENCE = `${USER_EXTENSION}:appsPermissions`;
const ADMINS = `${GROUP_EXTENSION}:admins`;

const user = toStep.bind(undefined, 'user');
const group = toStep.bind(undefined, 'group');

/** Every kind of step; one that is missing here does not compile. */
export const STEPS: Readonly<Record<RequestedKind, readonly Step[]>> = {
  look: [
    user(
      'look at an account',
      200,
      'scim.getUser',
      changeUser(replace('name.familyName', 'King')),
      { lost: 'scim.updateUser' },
    ),
    user('look for an account', 201, 'scim.getUsers', createUser, { lost: 'scim.addUser' }),
    group('look at a group', 204, 'groups.getGroup', renameGroup, { lost: 'groups.updateGroup' }),
    group('look for a group', 201, 'groups.getListOfGroups', createGroup, {
      lost: 'groups.createGroup',
    }),
  ],
  create: [
    user('create an account', 201, 'scim.addUser', createUser),
    group('create a group', 201, 'groups.createGroup', createGroup),
  ],
  update: [
    user('change an account', 200, 'scim.updateUser', changeUser(replace('active', false))),
    group('change a group', 204, 'groups.updateGroup', renameGroup),
  ],
  access: [
    user('change a licence', 200, 'companyUsers.updateUser', changeUser(replace(LICENCE, 5))),
  ],
  address: [user('offer an address', 200, 'scim.updateUser', changeAddress)],
  remove: [
    user('remove a virtual account', 204, 'companyUsers.removeVirtualUser', removeVirtual, {
      isVirtual: true,
    }),
    group('delete a group', 204, 'groups.removeGroup', async ({ bridge }, mark) => {
      const id = await bridge.addGroup(mark);
      return () => bridge.request('DELETE', `/Groups/${id}`);
    }),
  ],
  members: [
    group('change members', 204, 'scim.updateGroup', async ({ bridge, people }, mark) => {
      const path = `/Groups/${await bridge.addGroup(mark)}`;
      return () => bridge.request('PATCH', path, toListPatch('add', 'members', people));
    }),
  ],
  link: [
    group('add a member', 204, 'groupUsers.addUserToGroup', changeList('add', 'members')),
    group(
      'remove a member',
      204,
      'groupUsers.removeUserFromGroup',
      changeList('remove', 'members'),
    ),
    group('add an admin', 204, 'groupAdmins.addAdminToGroup', changeList('add', ADMINS)),
    group('remove an admin', 204, 'groupAdmins.removeAdminFromGroup', changeList('remove', ADMINS)),
  ],
};

function toStep(
  type: Step['type'],
  name: string,
  success: Step['success'],
  call: OperationName,
  prepare: Step['prepare'],
  more: Pick<Step, 'lost' | 'isVirtual'> = {},
): Step {
  return { name, type, success, call, prepare, ...more };
}

async function removeVirtual({ bridge }: Company, mark: string) {
  const id = await bridge.findId({ type: 'Users', name: mark });
  return () => bridge.request('DELETE', `/Users/${id}`);
}

function changeAddress(company: Company, mark: string) {
  return changeUser(replace('userName', `${mark}-other@example.com`))(company, mark);
}

async function createUser({ bridge }: Company, mark: string) {
  return () => bridge.request('POST', '/Users', toUser(mark));
}

function changeUser(operation: ReturnType<typeof replace>): Step['prepare'] {
  return async ({ bridge }, mark) => {
    const path = `/Users/${await bridge.addUser(mark)}`;
    return () => bridge.tryPatch(path, operation);
  };
}

async function createGroup({ bridge }: Company, mark: string) {
  return () => bridge.request('POST', '/Groups', toGroup(mark));
}

async function renameGroup({ bridge }: Company, mark: string) {
  const path = `/Groups/${await bridge.addGroup(mark)}`;
  return () => bridge.tryPatch(path, replace('displayName', `${mark} new`));
}

function changeList(op: 'add' | 'remove', path: string): Step['prepare'] {
  return async ({ bridge, people }, mark) => {
    const groupPath = `/Groups/${await bridge.addGroup(mark)}`;
    const patch = (kind: 'add' | 'remove') =>
      bridge.request('PATCH', groupPath, toListPatch(kind, path, people.slice(0, 1)));
    if (op === 'remove') await patch('add');
    return () => patch(op);
  };
}

function toListPatch(op: 'add' | 'remove', path: string, ids: readonly string[]): JsonValue {
  if (op === 'add') return toPatch({ op, path, value: toMembers(ids) });
  return toPatch(...ids.map((id) => ({ op, path: `${path}[value eq "${id}"]` })));
}

/** The columns of the table, as docs/writes.md heads them. */
export type Column =
  | '400'
  | '403, one'
  | '403, all'
  | '404'
  | '404, gone'
  | '409'
  | '413'
  | 'lost'
  | 'down'
  | 'not now';

/** What a call that was judged so meets: every verdict has a column. */
export const COLUMNS_OF: Readonly<Record<Verdict, readonly Column[]>> = {
  refused: ['400'],
  forbidden: ['403, one', '403, all'],
  missing: ['404', '404, gone'],
  conflict: ['409'],
  smaller: ['413'],
  unknown: ['lost', 'down'],
  later: ['not now'],
};

/** What a provider is told of a refusal, where it is not 400. */
export const TOLD: { readonly [C in Column]?: number } = { '403, one': 403, '409': 409 };

/** What every code of an error is judged as. */
export const VERDICTS: Readonly<Record<UpstreamErrorCode, Verdict>> = {
  refused: 'refused',
  'not-permitted': 'forbidden',
  'not-found': 'missing',
  conflict: 'conflict',
  'too-large': 'smaller',
  'credentials-refused': 'later',
  'rate-limited': 'later',
  unavailable: 'unknown',
  redirected: 'unknown',
  unreadable: 'unknown',
  'response-too-large': 'unknown',
  connection: 'unknown',
  timeout: 'unknown',
  aborted: 'unknown',
  'circuit-open': 'later',
  overloaded: 'later',
  'observe-mode': 'later',
  'writes-paused': 'later',
  stopped: 'later',
  closed: 'later',
};

/** One way in which a call fails. */
export interface Failure {
  readonly name: string;
  readonly column: Column;
  readonly fault: Fault;
  readonly everywhere?: true;
  readonly alsoLooks?: true;
}

/** Longer than a call may take, so that it gives up at once. */
export const BUSY: Fault = { ...status(429), headers: { 'retry-after': '120' } };

/** Failures, each group met by every step once: its steps take turns with the failures of the group. */
export const FAILURES: readonly (readonly [Failure, ...Failure[]])[] = [
  [fail('400', '400', status(400))],
  [fail('403 of one', '403, one', status(403))],
  [fail('403 of all', '403, all', status(403), { everywhere: true })],
  [fail('404', '404', status(404))],
  [fail('404, and nobody is there', '404, gone', status(404), { alsoLooks: true })],
  [fail('409', '409', status(409))],
  [fail('413', '413', status(413))],
  [
    fail('302', 'lost', status(302)),
    fail('200 with HTML', 'lost', { ...status(200), body: 'html' }),
  ],
  [
    fail('503', 'down', status(503)),
    fail('a cut connection', 'down', { kind: 'reset', at: 'before-effect' }),
    fail('503 after the effect', 'down', { ...status(503), effect: 'done' }),
    fail('a cut after the effect', 'down', { kind: 'reset', at: 'after-effect' }),
  ],
  [fail('401', 'not now', status(401)), fail('429', 'not now', BUSY)],
];

function fail(
  name: string,
  column: Column,
  fault: Fault,
  more: Pick<Failure, 'everywhere' | 'alsoLooks'> = {},
): Failure {
  return { name, column, fault, ...more };
}

function status(code: number) {
  return failing(code);
}
