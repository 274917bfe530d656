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

const ADMINS = `${GROUP_EXTENSION}:admins`;

/** Every kind of step; one that is missing here does not compile. */
export const STEPS: Readonly<Record<RequestedKind, readonly Step[]>> = {
  look: [
    {
      name: 'look at an account',
      type: 'user',
      success: 200,
      call: 'scim.getUser',
      lost: 'scim.updateUser',
      prepare: changeUser(replace('name.familyName', 'King')),
    },
    {
      name: 'look for an account',
      type: 'user',
      success: 201,
      call: 'scim.getUsers',
      lost: 'scim.addUser',
      prepare: createUser,
    },
    {
      name: 'look at a group',
      type: 'group',
      success: 204,
      call: 'groups.getGroup',
      lost: 'groups.updateGroup',
      prepare: renameGroup,
    },
    {
      name: 'look for a group',
      type: 'group',
      success: 201,
      call: 'groups.getListOfGroups',
      lost: 'groups.createGroup',
      prepare: createGroup,
    },
  ],
  create: [
    {
      name: 'create an account',
      type: 'user',
      success: 201,
      call: 'scim.addUser',
      prepare: createUser,
    },
    {
      name: 'create a group',
      type: 'group',
      success: 201,
      call: 'groups.createGroup',
      prepare: createGroup,
    },
  ],
  update: [
    {
      name: 'change an account',
      type: 'user',
      success: 200,
      call: 'scim.updateUser',
      prepare: changeUser(replace('active', false)),
    },
    {
      name: 'change a group',
      type: 'group',
      success: 204,
      call: 'groups.updateGroup',
      prepare: renameGroup,
    },
  ],
  access: [
    {
      name: 'change a licence',
      type: 'user',
      success: 200,
      call: 'companyUsers.updateUser',
      prepare: changeUser(replace(`${USER_EXTENSION}:appsPermissions`, 5)),
    },
  ],
  address: [
    {
      name: 'offer an address',
      type: 'user',
      success: 200,
      call: 'scim.updateUser',
      prepare: async ({ bridge }, mark) => {
        const path = `/Users/${await bridge.addUser(mark)}`;
        const patch = toPatch(replace('userName', `${mark}-other@example.com`));
        return () => bridge.request('PATCH', path, patch);
      },
    },
  ],
  remove: [
    {
      name: 'remove a virtual account',
      type: 'user',
      success: 204,
      call: 'companyUsers.removeVirtualUser',
      isVirtual: true,
      async prepare({ bridge }, mark) {
        const id = await bridge.findId({ type: 'Users', name: mark });
        return () => bridge.request('DELETE', `/Users/${id}`);
      },
    },
    {
      name: 'delete a group',
      type: 'group',
      success: 204,
      call: 'groups.removeGroup',
      async prepare({ bridge }, mark) {
        const id = await bridge.addGroup(mark);
        return () => bridge.request('DELETE', `/Groups/${id}`);
      },
    },
  ],
  members: [
    {
      name: 'change members',
      type: 'group',
      success: 204,
      call: 'scim.updateGroup',
      prepare: addMany,
    },
  ],
  link: [
    changeList('add a member', { op: 'add', path: 'members', call: 'groupUsers.addUserToGroup' }),
    changeList('remove a member', {
      op: 'remove',
      path: 'members',
      call: 'groupUsers.removeUserFromGroup',
    }),
    changeList('add an admin', { op: 'add', path: ADMINS, call: 'groupAdmins.addAdminToGroup' }),
    changeList('remove an admin', {
      op: 'remove',
      path: ADMINS,
      call: 'groupAdmins.removeAdminFromGroup',
    }),
  ],
};

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

async function addMany({ bridge, people }: Company, mark: string) {
  const path = `/Groups/${await bridge.addGroup(mark)}`;
  return () => bridge.request('PATCH', path, toListPatch('add', 'members', people));
}

/** One person into a list of a group, or out of it. */
function changeList(
  name: string,
  { op, path, call }: { op: 'add' | 'remove'; path: string; call: OperationName },
): Step {
  return {
    name,
    type: 'group',
    success: 204,
    call,
    async prepare({ bridge, people }, mark) {
      const groupPath = `/Groups/${await bridge.addGroup(mark)}`;
      const one = people.slice(0, 1);
      const patch = (kind: 'add' | 'remove') =>
        bridge.request('PATCH', groupPath, toListPatch(kind, path, one));
      if (op === 'remove') await patch('add');
      return () => patch(op);
    },
  };
}

function toListPatch(op: 'add' | 'remove', path: string, ids: readonly string[]): JsonValue {
  if (op === 'add') return toPatch({ op, path, value: toMembers(ids) });
  return toPatch(...ids.map((id) => ({ op, path: `${path}[value eq "${id}"]` })));
}
