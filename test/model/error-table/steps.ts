import { GROUP_EXTENSION, USER_EXTENSION } from '../../../src/domain/extensions.ts';
import type { JsonValue } from '../../../src/domain/json.ts';
import type { StepKind } from '../../../src/plan/step.ts';
import type { OperationName } from '../../../src/sandbox/operations.ts';
import type { TestBridge } from '../../support/bridge.ts';
import {
  replace,
  type TestAnswer,
  toGroup,
  toMembers,
  toPatch,
  toUser,
} from '../../support/provider.ts';

/** A step of the reconciler, and a write of a provider that leads to it. */
export interface Step {
  /** As docs/writes.md calls it. */
  readonly name: string;
  readonly type: 'user' | 'group';
  /** How the write is answered when it is not refused. */
  readonly success: 200 | 201 | 204;
  /** The call that fails. */
  readonly call: OperationName;
  /** The step is a look: a write whose call got lost leads to it. */
  readonly lost?: OperationName;
  /** A virtual account of this name is there before. */
  readonly isVirtual?: true;
  /** Makes what the write needs and gives the write. `mark` begins all names. */
  prepare(company: Company, mark: string): Promise<() => Promise<TestAnswer>>;
}

/** A bridge, and people who are put into groups. */
export interface Company {
  readonly bridge: TestBridge;
  /** SCIM ids of three people. */
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

/** One person into a list of a group, or out of it. */
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
