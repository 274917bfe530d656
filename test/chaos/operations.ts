import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import { toGroup, toMembers, toPatch } from '../support/provider.ts';
import type { Actor, AskedRequest, Operation } from './actor.ts';
import { type Company, type Group, type Person, toLink } from './company.ts';
import { type Wish, wish } from './fact.ts';

/** How a provider writes a change of a person: the whole resource, or a PATCH in one of the dialects in use. */
export const personDialects = ['put', 'paths', 'one value', 'capitals', 'if-match'] as const;
/** How a provider names many members in a PATCH. */
export const memberDialects = ['array', 'one each', 'one request each'] as const;
/** How a provider renames a group. */
export const renamingDialects = ['path', 'with id', 'put'] as const;

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** The new value of one field of a person: what it asks for, its part of a body, and its paths in a PATCH. */
export interface FieldChange {
  readonly wish: Wish;
  readonly body: JsonObject;
  readonly paths: Readonly<Record<string, string | boolean>>;
}

/** The fields of a person that a provider changes. */
export const fields = {
  active: (person: Person, active: boolean): FieldChange => ({
    wish: wish(person.active, active),
    body: { active },
    paths: { active },
  }),
  fullName(person: Person, fullName: string): FieldChange {
    const name = toName(fullName);
    const { givenName, familyName } = name;
    const paths = { 'name.givenName': givenName, 'name.familyName': familyName };
    return { wish: wish(person.fullName, fullName), body: { name }, paths };
  },
  title: (person: Person, title: string): FieldChange => ({
    wish: wish(person.title, title),
    body: { title },
    paths: { title },
  }),
  email: (person: Person, email: string): FieldChange => ({
    wish: wish(person.email, email),
    body: { emails: toEmails(email) },
    paths: { 'emails[type eq "work"].value': email },
  }),
  suspended: (person: Person, temporarilyInactive: boolean): FieldChange => ({
    wish: wish(person.suspended, temporarilyInactive),
    body: { [USER_EXTENSION]: { temporarilyInactive } },
    paths: { [`${USER_EXTENSION}:temporarilyInactive`]: temporarilyInactive },
  }),
};

function toName(fullName: string) {
  const [givenName = '', familyName = ''] = fullName.split(' ');
  return { givenName, familyName };
}

function toEmails(value: string): JsonValue[] {
  return [{ value, type: 'work', primary: true }];
}

/** Creates somebody. */
export function hire(person: Person, fullName: string, active: boolean): Operation {
  const { address, isThere, title, email } = person;
  const name = toName(fullName);
  const body = { schemas: [USER], userName: address, name, emails: toEmails(address), active };
  return {
    text: `hire ${address} as ${fullName}, active ${active}`,
    async perform(actor) {
      const wasThere = person.origin === 'found' && !isThere.isAsked;
      const wishes = [
        wish(isThere, true),
        wish(person.active, active),
        wish(person.fullName, fullName),
        wish(title, undefined),
        wish(email, address),
      ];
      const filter = `userName eq "${address}"`;
      person.id = await actor.create(
        { method: 'POST', path: '/Users', body, wishes },
        { filter, wasThere },
      );
    },
  };
}

/** Creates somebody who is there, which is refused. */
export function hireTwice({ address }: Person): Operation {
  return {
    text: `hire twice ${address}`,
    async perform({ insist, findings }) {
      const body = { schemas: [USER], userName: address };
      const { status } = await insist({ method: 'POST', path: '/Users', body });
      if (status !== 409)
        findings.push(`${address} is there, and another POST was answered ${status}`);
    },
  };
}

/** A change of a person, which may also be part of a bulk request. */
export interface PersonOperation extends Operation {
  toRequest(actor: Actor): Promise<AskedRequest>;
}

/** Changes fields of a person. */
export function changePerson(
  person: Person,
  changed: readonly FieldChange[],
  dialect: (typeof personDialects)[number],
): PersonOperation {
  const body = Object.fromEntries(changed.flatMap((one) => Object.entries(one.body)));
  const toRequest = async ({ getId }: Actor): Promise<AskedRequest> => {
    const path = `/Users/${await getId(person)}`;
    const wishes = changed.map((one) => one.wish);
    if (dialect === 'put') {
      const schemas = [USER, USER_EXTENSION];
      if (body.title === undefined) wishes.push(wish(person.title, undefined));
      const whole = { schemas, userName: person.address, ...body };
      return { method: 'PUT', path, body: whole, wishes };
    }
    const operations = changed
      .flatMap((one) => Object.entries(one.paths))
      .map(([at, value]) => toReplacement(at, value, dialect === 'capitals'));
    const whole = { op: 'replace', value: body };
    const patch = toPatch(...(dialect === 'one value' ? [whole] : operations));
    return { method: 'PATCH', path, body: patch, wishes, needsVersion: dialect === 'if-match' };
  };
  return {
    text: `change ${person.address} (${dialect}): ${JSON.stringify(body)}`,
    toRequest,
    perform: async (actor) => actor.ask([await toRequest(actor)]),
  };
}

function toReplacement(path: string, value: string | boolean, isInCapitals: boolean): JsonObject {
  if (!isInCapitals) return { op: 'replace', path, value };
  const capital = value === true ? 'True' : 'False';
  return { op: 'Replace', path, value: typeof value === 'boolean' ? capital : value };
}

/** Sends changes of people in one request. */
export function changeInBulk(changes: readonly PersonOperation[]): Operation {
  return {
    text: `bulk (${changes.map(({ text }) => text).join(', ')})`,
    perform: async (actor) =>
      actor.askInBulk(await Promise.all(changes.map((one) => one.toRequest(actor)))),
  };
}

/** Deletes somebody. */
export function dismiss(person: Person, { groups }: Company): Operation {
  return {
    text: `dismiss ${person.address}`,
    async perform({ ask, getId }) {
      const links = groups
        .flatMap(({ members, admins, origin }) => (origin === 'unmanaged' ? [] : [members, admins]))
        .flatMap((list) => list.get(person) ?? []);
      const wishes = [person.isThere, person.active, ...links].map((fact) => wish(fact, false));
      const path = `/Users/${await getId(person)}`;
      await ask([{ method: 'DELETE', path, wishes, alsoFine: 404 }]);
    },
  };
}

/** Reads somebody, who is as was answered before, and again with the version. */
export function read(person: Person): Operation {
  return {
    text: `read ${person.address}`,
    async perform({ getId, insist, findings }) {
      const path = `/Users/${await getId(person)}`;
      const { status, etag = '', body } = await insist({ method: 'GET', path });
      if (status === 200) findings.push(...listReadFindings(person, body));
      else findings.push(`GET ${path}: ${status}`);
      const again = await insist({ method: 'GET', path, headers: { 'if-none-match': etag } });
      if (again.status === 304 || again.etag !== etag) return;
      findings.push(`GET ${path} with its version: ${again.status}`);
    },
  };
}

/** What of an answer cannot be, so soon after what was answered before. */
function listReadFindings(person: Person, body: JsonObject): string[] {
  const { givenName, familyName } = Object(body.name);
  const title = typeof body.title === 'string' ? body.title : undefined;
  const isActive = body.active === true;
  const fullName = `${givenName} ${familyName}`;
  const isSo =
    person.fullName.allows(fullName) &&
    person.title.allows(title) &&
    person.active.allows(isActive);
  if (isSo) return [];
  const wanted = `${person.fullName}, ${person.title}, ${person.active}`;
  return [`${person.address} reads ${fullName}, ${title}, ${isActive}, not ${wanted}`];
}

/** Creates a group. Who was in it before stays only where the service had the group already. */
export function foundGroup(group: Group, name: string, members: readonly Person[]): Operation {
  return {
    text: `found group ${group.n} as ${name} with ${toNumbers(members)}`,
    async perform(actor) {
      group.names.add(name);
      const gone = [...group.members].filter(([person]) => !members.includes(person));
      const before = group.origin === 'new' ? [...gone, ...group.admins] : [];
      const wishes = [
        wish(group.isThere, true),
        wish(group.name, name),
        wish(group.isOffered, false),
        ...before.map(([, fact]) => wish(fact, false)),
        ...toLinkWishes(group.members, { added: members }),
      ];
      const body = toGroup(name, await Promise.all(members.map(actor.getId)));
      group.id = await actor.create(
        { method: 'POST', path: '/Groups', body, wishes },
        { filter: `displayName eq "${name}"`, wasThere: group.origin === 'found' },
      );
    },
  };
}

/** Gives a group another name. */
export function renameGroup(
  group: Group,
  displayName: string,
  dialect: (typeof renamingDialects)[number],
): Operation {
  return {
    text: `rename group ${group.n} (${dialect}): ${displayName}`,
    async perform({ ask, getGroupId }) {
      group.names.add(displayName);
      const id = getGroupId(group);
      const path = `/Groups/${id}`;
      const wishes = [wish(group.name, displayName)];
      const put = { schemas: [GROUP], displayName };
      if (dialect === 'put') return ask([{ method: 'PUT', path, body: put, wishes }]);
      const operation =
        dialect === 'path'
          ? { op: 'Replace', path: 'displayName', value: displayName }
          : { op: 'replace', value: { id, displayName } };
      return ask([{ method: 'PATCH', path, body: toPatch(operation), wishes }]);
    },
  };
}

/** Who comes and who goes. */
export interface Move {
  readonly added: readonly Person[];
  readonly removed: readonly Person[];
}

/** Adds people to a group and takes others out. */
export function moveMembers(
  group: Group,
  { added, removed }: Move,
  dialect: (typeof memberDialects)[number],
): Operation {
  return {
    text: `move members of group ${group.n}: +${toNumbers(added)} -${toNumbers(removed)}`,
    async perform({ ask, getId, getGroupId }) {
      const path = `/Groups/${getGroupId(group)}`;
      const [joining, leaving] = await toIds(getId, { added, removed });
      const joins = joining.map((id) => ({ op: 'add', path: 'members', value: toMembers([id]) }));
      const leaves = leaving.map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` }));
      const operations: JsonObject[] = [...joins, ...leaves];
      const wishes = toLinkWishes(group.members, { added, removed });
      const patch = (some: readonly JsonObject[], own: readonly Wish[]) =>
        ({ method: 'PATCH', path, body: toPatch(...some), wishes: own }) as const;
      if (dialect === 'one request each') {
        return ask(operations.map((one, n) => patch([one], wishes.slice(n, n + 1))));
      }
      if (operations.length === 0) return;
      const arrays = [
        { op: 'Add', path: 'members', value: toMembers(joining) },
        { op: 'Remove', path: 'members', value: toMembers(leaving) },
      ].filter(({ value }) => value.length > 0);
      return ask([patch(dialect === 'array' ? arrays : operations, wishes)]);
    },
  };
}

/** Makes people admins of a group and others not. */
export function moveAdmins(group: Group, { added, removed }: Move): Operation {
  return {
    text: `move admins of group ${group.n}: +${toNumbers(added)} -${toNumbers(removed)}`,
    async perform({ ask, getId, getGroupId }) {
      if (added.length + removed.length === 0) return;
      const list = `${GROUP_EXTENSION}:admins`;
      const [joining, leaving] = await toIds(getId, { added, removed });
      const joins = { op: 'add', path: list, value: toMembers(joining) };
      const leaves = leaving.map((id) => ({ op: 'remove', path: `${list}[value eq "${id}"]` }));
      const body = toPatch(...(joining.length === 0 ? [] : [joins]), ...leaves);
      const wishes = toLinkWishes(group.admins, { added, removed });
      await ask([{ method: 'PATCH', path: `/Groups/${getGroupId(group)}`, body, wishes }]);
    },
  };
}

/** Says who is in a group. @param displayName what a PUT calls it */
export function setMembers(
  group: Group,
  { displayName, members }: { readonly displayName: string; readonly members: readonly Person[] },
  dialect: 'put' | 'replace',
): Operation {
  return {
    text: `set members of group ${group.n} (${dialect}): ${toNumbers(members)}`,
    async perform({ ask, getId, getGroupId }) {
      const path = `/Groups/${getGroupId(group)}`;
      const value = toMembers(await Promise.all(members.map(getId)));
      const removed = [...group.members.keys()].filter((person) => !members.includes(person));
      const wishes = toLinkWishes(group.members, { added: members, removed });
      if (dialect === 'replace') {
        const body = toPatch({ op: 'replace', path: 'members', value });
        return ask([{ method: 'PATCH', path, body, wishes }]);
      }
      const body = { schemas: [GROUP], displayName, members: value };
      return ask([
        { method: 'PUT', path, body, wishes: [...wishes, wish(group.name, displayName)] },
      ]);
    },
  };
}

/** Offers a group in cards and spaces, or no longer. */
export function offerGroup(group: Group, isOffered: boolean): Operation {
  return {
    text: `offer group ${group.n}: ${isOffered}`,
    async perform({ ask, getGroupId }) {
      const value = { [GROUP_EXTENSION]: { addToCardsAndSpacesEnabled: isOffered } };
      const body = toPatch({ op: 'replace', value });
      const wishes = [wish(group.isOffered, isOffered)];
      await ask([{ method: 'PATCH', path: `/Groups/${getGroupId(group)}`, body, wishes }]);
    },
  };
}

/** Deletes a group. */
export function dissolve(group: Group): Operation {
  return {
    text: `dissolve group ${group.n}`,
    async perform({ ask, getGroupId }) {
      const path = `/Groups/${getGroupId(group)}`;
      await ask([{ method: 'DELETE', path, wishes: [wish(group.isThere, false)], alsoFine: 404 }]);
    },
  };
}

function toLinkWishes(list: Group['members'], { added, removed = [] }: Partial<Move>): Wish[] {
  const toWish = (value: boolean) => (person: Person) => wish(toLink(list, person), value);
  return [...(added ?? []).map(toWish(true)), ...removed.map(toWish(false))];
}

function toIds(getId: Actor['getId'], { added, removed }: Move): Promise<[string[], string[]]> {
  const toAll = (people: readonly Person[]) => Promise.all(people.map(getId));
  return Promise.all([toAll(added), toAll(removed)]);
}

function toNumbers(people: readonly Person[]): string {
  return `[${people.map(({ n }) => n).join(' ')}]`;
}
