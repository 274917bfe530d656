import type { JsonValue } from '../../../src/domain/json.ts';
import type { TestAnswer } from '../../support/bridge.ts';
import type { CallName } from '../../support/counterpart.ts';
import {
  addGroup,
  addUser,
  type Requester,
  toGroup,
  toMembers,
  toPatch,
  toUser,
} from '../../support/provider.ts';
import type { Company, Person } from './company.ts';

/** What a provider asks for while something goes wrong. */
export interface Operation {
  readonly name: string;
  /** The call of the service that goes wrong. */
  readonly call: CallName;
  /** What is there before; gives the request. `mark` is in all names. */
  prepare(bridge: Requester, mark: string): Promise<Request>;
}

/** One request, and what the company is once it holds. */
export interface Request {
  send(): Promise<TestAnswer>;
  change(before: Company): Company;
}

const ADMINS = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins';

/** Everything that a provider can ask of the service. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'create user',
    call: 'scim.addUser',
    async prepare(bridge, mark) {
      const name = `${mark}new`;
      return {
        send: () => bridge.request('POST', '/Users', toUser(name)),
        change: (before) => withPerson(before, `${name}@example.com`, toPerson(name)),
      };
    },
  },
  {
    name: 'rename user',
    call: 'scim.updateUser',
    async prepare(bridge, mark) {
      const path = `/Users/${await addUser(bridge, mark)}`;
      const operation = { op: 'replace', path: 'name.familyName', value: 'King' };
      return {
        send: () => bridge.request('PATCH', path, toPatch(operation)),
        change: (before) =>
          withPerson(before, `${mark}@example.com`, { ...toPerson(mark, 'King') }),
      };
    },
  },
  {
    name: 'deactivate user',
    call: 'scim.updateUser',
    async prepare(bridge, mark) {
      const path = `/Users/${await addUser(bridge, mark)}`;
      const operation = { op: 'replace', path: 'active', value: false };
      return {
        send: () => bridge.request('PATCH', path, toPatch(operation)),
        change: (before) =>
          withPerson(before, `${mark}@example.com`, { ...toPerson(mark), active: false }),
      };
    },
  },
  {
    name: 'delete user',
    call: 'scim.updateUser',
    async prepare(bridge, mark) {
      const id = await addUser(bridge, mark);
      await addGroup(bridge, `${mark} group`, [id]);
      return {
        send: () => bridge.request('DELETE', `/Users/${id}`),
        change: (before) => {
          const after = withPerson(before, `${mark}@example.com`, {
            ...toPerson(mark),
            active: false,
          });
          return withGroup(after, `${mark} group`, { members: [], admins: [] });
        },
      };
    },
  },
  {
    name: 'create group',
    call: 'groups.createGroup',
    async prepare(bridge, mark) {
      const name = `${mark} new`;
      return {
        send: () => bridge.request('POST', '/Groups', toGroup(name)),
        change: (before) => withGroup(before, name, { members: [], admins: [] }),
      };
    },
  },
  {
    name: 'rename group',
    call: 'groups.updateGroup',
    async prepare(bridge, mark) {
      const path = `/Groups/${await addGroup(bridge, `${mark} old`)}`;
      const operation = { op: 'replace', path: 'displayName', value: `${mark} new` };
      return {
        send: () => bridge.request('PATCH', path, toPatch(operation)),
        change: (before) =>
          withGroup(withoutGroup(before, `${mark} old`), `${mark} new`, {
            members: [],
            admins: [],
          }),
      };
    },
  },
  {
    name: 'delete group',
    call: 'groups.removeGroup',
    async prepare(bridge, mark) {
      const path = `/Groups/${await addGroup(bridge, `${mark} group`)}`;
      return {
        send: () => bridge.request('DELETE', path),
        change: (before) => withoutGroup(before, `${mark} group`),
      };
    },
  },
  ...toLinkOperations('member', {
    path: 'members',
    add: 'groupUsers.addUserToGroup',
    remove: 'groupUsers.removeUserFromGroup',
  }),
  ...toLinkOperations('admin', {
    path: ADMINS,
    add: 'groupAdmins.addAdminToGroup',
    remove: 'groupAdmins.removeAdminFromGroup',
  }),
  toBatch('add', 'add members'),
  toBatch('remove', 'remove members'),
];

/** One person into a list of a group, and out of it. */
function toLinkOperations(
  what: 'member' | 'admin',
  { path, add, remove }: { path: string; add: CallName; remove: CallName },
): Operation[] {
  return (['add', 'remove'] as const).map((op) => ({
    name: `${op} ${what}`,
    call: op === 'add' ? add : remove,
    async prepare(bridge, mark) {
      const ids = [await addUser(bridge, mark)];
      const groupPath = `/Groups/${await addGroup(bridge, `${mark} group`)}`;
      const patch = (kind: 'add' | 'remove') =>
        bridge.request('PATCH', groupPath, toLinkPatch(kind, path, ids));
      if (op === 'remove') await patch('add');
      const list = op === 'add' ? [`${mark}@example.com`] : [];
      return {
        send: () => patch(op),
        change: (before) =>
          withGroup(before, `${mark} group`, {
            members: what === 'member' ? list : [],
            admins: what === 'admin' ? list : [],
          }),
      };
    },
  }));
}

/** Several people at once, which is one call. */
function toBatch(op: 'add' | 'remove', name: string): Operation {
  return {
    name,
    call: 'scim.updateGroup',
    async prepare(bridge, mark) {
      const names = ['a', 'b', 'c'].map((letter) => `${mark}${letter}`);
      const ids = await Promise.all(names.map((each) => addUser(bridge, each)));
      const path = `/Groups/${await addGroup(bridge, `${mark} group`, op === 'add' ? [] : ids)}`;
      return {
        send: () => bridge.request('PATCH', path, toLinkPatch(op, 'members', ids)),
        change: (before) =>
          withGroup(before, `${mark} group`, {
            members: op === 'add' ? names.map((each) => `${each}@example.com`) : [],
            admins: [],
          }),
      };
    },
  };
}

function toLinkPatch(op: 'add' | 'remove', path: string, ids: readonly string[]): JsonValue {
  if (op === 'add') return toPatch({ op, path, value: toMembers(ids) });
  return toPatch(...ids.map((id) => ({ op, path: `${path}[value eq "${id}"]` })));
}

function toPerson(name: string, familyName = 'Example'): Person {
  return {
    fullName: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${familyName}`,
    active: true,
  };
}

function withPerson(company: Company, address: string, person: Person): Company {
  return { ...company, people: { ...company.people, [address]: person } };
}

function withGroup(company: Company, name: string, people: Company['groups'][string]): Company {
  return { ...company, groups: { ...company.groups, [name]: people } };
}

function withoutGroup(company: Company, name: string): Company {
  const { [name]: _, ...groups } = company.groups;
  return { ...company, groups };
}
