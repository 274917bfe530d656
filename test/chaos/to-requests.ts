import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import { toGroup, toMembers, toPatch } from '../support/provider.ts';
import { type Company, type Group, type Person, toLink } from './company.ts';
import { type Wish, wish } from './fact.ts';
import type { Operation, PersonChange } from './operation.ts';

/** One request, and what it asks for. */
export interface AskedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the SCIM base URL. */
  readonly path: string;
  readonly body?: JsonValue;
  readonly wishes: readonly Wish[];
  /** Sends the version that the provider has read just before. */
  readonly needsVersion?: boolean;
  /** What beside 2xx says that it is so: of one that is sent again, or of one that may not succeed. */
  readonly alsoFine?: number;
}

/** What requests are made from. */
export interface RequestDeps {
  readonly company: Company;
  /** The SCIM id of somebody, looked up where it is not known. */
  readonly getId: (person: Person) => Promise<string>;
  readonly getGroupId: (group: Group) => Promise<string>;
}

/** The requests of an operation on what is there already; several are sent at the same time. */
export async function toRequests(deps: RequestDeps, operation: Operation): Promise<AskedRequest[]> {
  switch (operation.kind) {
    case 'change person':
      return [await toPersonChange(deps, operation)];
    case 'dismiss':
      return [await toDismissal(deps, operation.person)];
    case 'rename group':
      return [await toRenaming(deps, operation)];
    case 'move members':
      return toMoves(deps, operation);
    case 'set members':
      return [await toReplacement(deps, operation)];
    case 'move admins':
      return toAdminMoves(deps, operation);
    case 'offer group':
      return [await toOffer(deps, operation)];
    case 'dissolve':
      return [await toDissolution(deps, operation.group)];
    default:
      throw new Error(`${operation.kind} is made of more than its requests`);
  }
}

/** A person as a provider creates one. */
export function toHire({
  person,
  fullName,
  active,
}: Extract<Operation, { kind: 'hire' }>): AskedRequest {
  const { address } = person;
  return {
    method: 'POST',
    path: '/Users',
    body: {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: address,
      name: toName(fullName),
      emails: toEmails(address),
      active,
    },
    wishes: [
      wish(person.isThere, true),
      wish(person.active, active),
      wish(person.fullName, fullName),
      wish(person.title, undefined),
      wish(person.email, address),
    ],
  };
}

/** A group as a provider creates one. Who was in it before stays only where the group was. */
export async function toFounding(
  { getId }: RequestDeps,
  { group, name, members }: Extract<Operation, { kind: 'found group' }>,
): Promise<AskedRequest> {
  // Of a group that was there before, whoever was in it stays.
  const isNew = group.origin === 'new';
  const gone = [...group.members].filter(([person]) => !members.includes(person));
  const before = isNew ? [...gone, ...group.admins] : [];
  const ids = await Promise.all(members.map(getId));
  return {
    method: 'POST',
    path: '/Groups',
    body: toGroup(name, ids),
    wishes: [
      wish(group.isThere, true),
      wish(group.name, name),
      wish(group.isOffered, false),
      ...before.map(([, fact]) => wish(fact, false)),
      ...members.map((person) => wish(toLink(group.members, person), true)),
    ],
  };
}

async function toPersonChange(
  { getId }: RequestDeps,
  { person, change, dialect }: Extract<Operation, { kind: 'change person' }>,
): Promise<AskedRequest> {
  const path = `/Users/${await getId(person)}`;
  const { active, fullName, title, email, suspended } = change;
  const wishes = [
    ...(active === undefined ? [] : [wish(person.active, active)]),
    ...(fullName === undefined ? [] : [wish(person.fullName, fullName)]),
    ...(title === undefined && dialect !== 'put' ? [] : [wish(person.title, title)]),
    ...(email === undefined ? [] : [wish(person.email, email)]),
    ...(suspended === undefined ? [] : [wish(person.suspended, suspended)]),
  ];
  if (dialect === 'put') return { method: 'PUT', path, body: toWhole(person, change), wishes };
  if (dialect === 'one value') {
    const body = toPatch({ op: 'replace', value: toValues(change) });
    return { method: 'PATCH', path, body, wishes };
  }
  const operations = toPaths(change).map(([one, value]) =>
    dialect === 'capitals'
      ? { op: 'Replace', path: one, value: typeof value === 'boolean' ? toCapital(value) : value }
      : { op: 'replace', path: one, value },
  );
  const needsVersion = dialect === 'if-match';
  return { method: 'PATCH', path, body: toPatch(...operations), wishes, needsVersion };
}

function toCapital(value: boolean): string {
  return value ? 'True' : 'False';
}

function toWhole({ address }: Person, change: PersonChange): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', USER_EXTENSION],
    userName: address,
    ...toValues(change),
  };
}

function toValues({ active, fullName, title, email, suspended }: PersonChange): JsonObject {
  return {
    ...(active === undefined ? {} : { active }),
    ...(fullName === undefined ? {} : { name: toName(fullName) }),
    ...(title === undefined ? {} : { title }),
    ...(email === undefined ? {} : { emails: toEmails(email) }),
    ...(suspended === undefined ? {} : { [USER_EXTENSION]: { temporarilyInactive: suspended } }),
  };
}

function toPaths({
  active,
  fullName,
  title,
  email,
  suspended,
}: PersonChange): (readonly [string, string | boolean])[] {
  const [givenName = '', familyName = ''] = fullName?.split(' ') ?? [];
  return [
    ...(active === undefined ? [] : [['active', active] as const]),
    ...(fullName === undefined
      ? []
      : [['name.givenName', givenName] as const, ['name.familyName', familyName] as const]),
    ...(title === undefined ? [] : [['title', title] as const]),
    ...(email === undefined ? [] : [['emails[type eq "work"].value', email] as const]),
    ...(suspended === undefined
      ? []
      : [[`${USER_EXTENSION}:temporarilyInactive`, suspended] as const]),
  ];
}

function toName(fullName: string): JsonObject {
  const [givenName = '', familyName = ''] = fullName.split(' ');
  return { givenName, familyName };
}

function toEmails(value: string): JsonValue[] {
  return [{ value, type: 'work', primary: true }];
}

async function toDismissal({ company, getId }: RequestDeps, person: Person): Promise<AskedRequest> {
  const links = company.groups
    .flatMap(({ members, admins, origin }) => (origin === 'unmanaged' ? [] : [members, admins]))
    .flatMap((list) => list.get(person) ?? []);
  return {
    method: 'DELETE',
    path: `/Users/${await getId(person)}`,
    wishes: [
      wish(person.isThere, false),
      wish(person.active, false),
      ...links.map((fact) => wish(fact, false)),
    ],
    alsoFine: 404,
  };
}

async function toRenaming(
  { getGroupId }: RequestDeps,
  { group, name, dialect }: Extract<Operation, { kind: 'rename group' }>,
): Promise<AskedRequest> {
  const id = await getGroupId(group);
  const path = `/Groups/${id}`;
  const wishes = [wish(group.name, name)];
  switch (dialect) {
    case 'path': {
      const body = toPatch({ op: 'Replace', path: 'displayName', value: name });
      return { method: 'PATCH', path, body, wishes };
    }
    case 'with id': {
      const body = toPatch({ op: 'replace', value: { id, displayName: name } });
      return { method: 'PATCH', path, body, wishes };
    }
    case 'put': {
      const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: name };
      return { method: 'PUT', path, body, wishes };
    }
  }
}

async function toMoves(
  { getId, getGroupId }: RequestDeps,
  { group, added, removed, dialect }: Extract<Operation, { kind: 'move members' }>,
): Promise<AskedRequest[]> {
  const path = `/Groups/${await getGroupId(group)}`;
  const joins = await Promise.all(added.map(async (person) => toJoin(await getId(person))));
  const leaves = await Promise.all(removed.map(async (person) => toLeave(await getId(person))));
  const wishes = toLinkWishes(group.members, { added, removed });
  const operations = [...joins, ...leaves];
  if (dialect === 'one request each') {
    return operations.map((operation, n) => ({
      method: 'PATCH',
      path,
      body: toPatch(operation),
      wishes: wishes.slice(n, n + 1),
    }));
  }
  if (operations.length === 0) return [];
  const toIds = (people: readonly Person[]) => Promise.all(people.map(getId));
  const arrays = [
    ...(added.length === 0
      ? []
      : [{ op: 'Add', path: 'members', value: toMembers(await toIds(added)) }]),
    ...(removed.length === 0
      ? []
      : [{ op: 'Remove', path: 'members', value: toMembers(await toIds(removed)) }]),
  ];
  const body = toPatch(...(dialect === 'array' ? arrays : operations));
  return [{ method: 'PATCH', path, body, wishes }];
}

function toJoin(id: string): JsonObject {
  return { op: 'add', path: 'members', value: toMembers([id]) };
}

function toLeave(id: string): JsonObject {
  return { op: 'remove', path: `members[value eq "${id}"]` };
}

function toLinkWishes(
  list: Group['members'],
  { added, removed }: { readonly added: readonly Person[]; readonly removed: readonly Person[] },
): Wish[] {
  return [
    ...added.map((person) => wish(toLink(list, person), true)),
    ...removed.map((person) => wish(toLink(list, person), false)),
  ];
}

async function toReplacement(
  { getId, getGroupId }: RequestDeps,
  { group, name, members, dialect }: Extract<Operation, { kind: 'set members' }>,
): Promise<AskedRequest> {
  const path = `/Groups/${await getGroupId(group)}`;
  const value = toMembers(await Promise.all(members.map(getId)));
  const removed = [...group.members.keys()].filter((person) => !members.includes(person));
  const wishes = toLinkWishes(group.members, { added: members, removed });
  if (dialect === 'replace') {
    const body = toPatch({ op: 'replace', path: 'members', value });
    return { method: 'PATCH', path, body, wishes };
  }
  const body = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: name,
    members: value,
  };
  return { method: 'PUT', path, body, wishes: [...wishes, wish(group.name, name)] };
}

async function toAdminMoves(
  { getId, getGroupId }: RequestDeps,
  { group, added, removed }: Extract<Operation, { kind: 'move admins' }>,
): Promise<AskedRequest[]> {
  if (added.length + removed.length === 0) return [];
  const path = `/Groups/${await getGroupId(group)}`;
  const list = `${GROUP_EXTENSION}:admins`;
  const value = toMembers(await Promise.all(added.map(getId)));
  const operations: JsonObject[] = [
    ...(added.length === 0 ? [] : [{ op: 'add', path: list, value }]),
    ...(await Promise.all(removed.map(getId))).map((id) => ({
      op: 'remove',
      path: `${list}[value eq "${id}"]`,
    })),
  ];
  const wishes = toLinkWishes(group.admins, { added, removed });
  return [{ method: 'PATCH', path, body: toPatch(...operations), wishes }];
}

async function toOffer(
  { getGroupId }: RequestDeps,
  { group, isOffered }: Extract<Operation, { kind: 'offer group' }>,
): Promise<AskedRequest> {
  const path = `/Groups/${await getGroupId(group)}`;
  const value = { [GROUP_EXTENSION]: { addToCardsAndSpacesEnabled: isOffered } };
  const body = toPatch({ op: 'replace', value });
  return { method: 'PATCH', path, body, wishes: [wish(group.isOffered, isOffered)] };
}

async function toDissolution({ getGroupId }: RequestDeps, group: Group): Promise<AskedRequest> {
  const path = `/Groups/${await getGroupId(group)}`;
  return { method: 'DELETE', path, wishes: [wish(group.isThere, false)], alsoFine: 404 };
}
