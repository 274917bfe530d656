import type { Directory } from '../directory.ts';
import type { SandboxGroup, SandboxUser } from '../model.ts';
import type { Page } from './paging.ts';

/** The parts of a name that SCIM shows; the service itself holds one string. */
export interface NameParts {
  readonly givenName: string;
  readonly familyName: string;
}

/** Cuts a full name at its first space. */
export function splitName(fullName: string): NameParts {
  const space = fullName.indexOf(' ');
  if (space < 0) return { givenName: fullName, familyName: '' };
  return { givenName: fullName.slice(0, space), familyName: fullName.slice(space + 1).trim() };
}

/** Puts a full name together. */
export function joinName({ givenName, familyName }: NameParts): string {
  return `${givenName.trim()} ${familyName.trim()}`.trim();
}

/** A user as lists and addUser show it. */
export function toScimUser(directory: Directory, baseUrl: string, user: SandboxUser) {
  const { userId, emailsReturned } = directory.shape();
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    meta: toMeta('User', user, `${baseUrl}/scim/v2/Users/${user.id}`),
    id: userId === 'string' ? String(user.id) : user.id,
    name: splitName(user.fullName),
    userName: user.userName,
    active: user.active,
    emails: [
      emailsReturned === 'strings'
        ? user.email
        : { value: user.email, type: 'work', primary: true },
    ],
  };
}

/** A user as getUser and updateUser show it: with its groups. */
export function toScimUserWithGroups(directory: Directory, baseUrl: string, user: SandboxUser) {
  const { groups, members } = directory.state;
  const joined = [...members.groupsOf(user.id)].flatMap((groupId) => groups.find(groupId) ?? []);
  return {
    ...toScimUser(directory, baseUrl, user),
    groups: joined.map((group) => ({
      value: toGroupValue(directory, group),
      display: group.name,
      $ref: `${baseUrl}/scim/v2/Groups/${toGroupId(directory, group)}`,
    })),
  };
}

/** A group as addGroup shows it, without its members. */
export function toScimGroup(directory: Directory, baseUrl: string, group: SandboxGroup) {
  const id = toGroupId(directory, group);
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    id,
    displayName: group.name,
    meta: toMeta('Group', group, `${baseUrl}/scim/v2/Groups/${id}`),
  };
}

/** A group with all its members; costs as much as the group is large. */
export function toScimGroupWithMembers(directory: Directory, baseUrl: string, group: SandboxGroup) {
  const { users, members } = directory.state;
  const { memberValue } = directory.shape();
  const people = [...members.usersOf(group.id)].flatMap((userId) => users.find(userId) ?? []);
  return {
    ...toScimGroup(directory, baseUrl, group),
    members: people.map((user) => ({
      value: memberValue === 'string' ? String(user.id) : user.id,
      $ref: `${baseUrl}/scim/v2/Users/${user.id}`,
      display: user.fullName,
    })),
  };
}

/** One page of a SCIM list. @see RFC 7644 §3.4.2 */
export function toScimList(
  resources: readonly object[],
  { totalResults, startIndex }: { totalResults: number; startIndex: number } & Partial<Page>,
) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    Resources: resources,
    totalResults,
    itemsPerPage: resources.length,
    startIndex,
  };
}

/** The group of a SCIM path, in the shape's form of ids; undefined when there is none. */
export function findScimGroup({ state, shape }: Directory, id: string): SandboxGroup | undefined {
  switch (shape().groupId) {
    case 'uid':
      return state.findGroupByUid(id);
    case 'own':
      return state.findGroupByScimId(id);
    default:
      return /^\d{1,15}$/.test(id) ? state.groups.find(Number(id)) : undefined;
  }
}

function toGroupId({ shape }: Directory, group: SandboxGroup): string | number {
  switch (shape().groupId) {
    case 'rest-id-string':
      return String(group.id);
    case 'rest-id-number':
      return group.id;
    case 'uid':
      return group.uid;
    case 'own':
      return group.scimId;
  }
}

function toGroupValue(directory: Directory, group: SandboxGroup): string | number {
  const { groupId, memberValue } = directory.shape();
  const isRestId = groupId === 'rest-id-string' || groupId === 'rest-id-number';
  return isRestId && memberValue === 'number' ? group.id : String(toGroupId(directory, group));
}

function toMeta(
  resourceType: 'User' | 'Group',
  { created, updated }: { created: string; updated: string },
  location: string,
) {
  return { resourceType, created, lastModified: updated, location };
}
