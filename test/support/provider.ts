import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { isJsonObject } from '../../src/domain/values.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** A person as providers send one: `ada` is ada@example.com, named Ada Example. */
export function toUser(name: string, change: JsonObject = {}): JsonObject {
  const address = `${name}@example.com`;
  return {
    schemas: [USER],
    userName: address,
    name: { givenName: name.charAt(0).toUpperCase() + name.slice(1), familyName: 'Example' },
    emails: [{ value: address, type: 'work', primary: true }],
    active: true,
    ...change,
  };
}

/** A group as providers send one; `extension` is what only the service knows of groups. */
export function toGroup(
  displayName: string,
  memberIds: readonly string[] = [],
  extension?: JsonObject,
): JsonObject {
  const more = extension === undefined ? {} : { [GROUP_EXTENSION]: extension };
  return { schemas: [GROUP], displayName, members: toMembers(memberIds), ...more };
}

/** Members by their SCIM ids. */
export function toMembers(ids: readonly string[]): JsonValue[] {
  return ids.map((value) => ({ value }));
}

/** The body of a PATCH. */
export function toPatch(...operations: JsonObject[]): JsonObject {
  return { schemas: [PATCH], Operations: operations };
}

/** An answer of the bridge. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: JsonObject;
}

/** The operation of a PATCH that replaces a value. */
export function replace(path: string, value: JsonValue): JsonObject {
  return { op: 'replace', path, value };
}

/** The operation of a PATCH that puts people into a group. */
export function admit(...ids: readonly string[]): JsonObject {
  return { op: 'add', path: 'members', value: toMembers(ids) };
}

/** The operation of a PATCH that takes these people out of a group. */
export function expel(...ids: readonly string[]): JsonObject {
  return { op: 'remove', path: 'members', value: toMembers(ids) };
}

/** The operation of a PATCH that takes somebody out of a group. */
export function dismiss(id: string | undefined): JsonObject {
  return { op: 'remove', path: `members[value eq "${id}"]` };
}

/** The resources of a list answer. */
export function listResources({ body }: TestAnswer): JsonObject[] {
  return Array.isArray(body.Resources) ? body.Resources.filter(isJsonObject) : [];
}

/** Sends a request with a valid token, below the SCIM base URL or to a whole URL. An undefined header is left out. */
export type SendRequest = (
  method: string,
  path: string,
  body?: JsonValue,
  headers?: Readonly<Record<string, string | undefined>>,
) => Promise<TestAnswer>;

/** A provider that sends its requests in some way. */
export type Provider = ReturnType<typeof toProvider>;

/** A provider that sends its requests in this way. But for `request` and `tryPatch`, all of it has to succeed. */
export function toProvider(request: SendRequest) {
  /** @throws Error with the answer when it is not 2xx */
  async function send(method: string, path: string, body?: JsonValue): Promise<TestAnswer> {
    const answer = await request(method, path, body);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
  }
  const create = async (path: string, body: JsonObject) =>
    String((await send('POST', path, body)).body.id);
  const list = async (path: string) => listResources(await send('GET', path));
  const find = (path: string, filter: string) => list(`${path}?${new URLSearchParams({ filter })}`);
  const addUser = (name: string, change?: JsonObject) => create('/Users', toUser(name, change));

  return {
    request,
    send,
    patch: (path: string, ...operations: JsonObject[]) =>
      send('PATCH', path, toPatch(...operations)),
    tryPatch: (path: string, ...operations: JsonObject[]) =>
      request('PATCH', path, toPatch(...operations)),
    list,
    find,
    addUser,
    async addPeople<Names extends string[]>(...names: Names) {
      const ids: string[] = [];
      for (const name of names) ids.push(await addUser(name));
      return ids as { [At in keyof Names]: string };
    },
    addUsers: (count: number) =>
      Promise.all(Array.from({ length: count }, (_, index) => addUser(`person${index + 1}`))),
    addGroup: (name: string, memberIds?: readonly string[]) =>
      create('/Groups', toGroup(name, memberIds)),
    async findId({ type, name }: { type: 'Users' | 'Groups'; name: string }) {
      const attribute = type === 'Users' ? 'userName' : 'displayName';
      const [resource] = await find(`/${type}`, `${attribute} eq ${JSON.stringify(name)}`);
      if (resource === undefined) throw new Error(`${name} was not found`);
      return String(resource.id);
    },
    async readMemberIds(groupId: string) {
      const { members } = (await send('GET', `/Groups/${groupId}`)).body;
      const links = Array.isArray(members) ? members.filter(isJsonObject) : [];
      return links.map(({ value }) => String(value)).sort();
    },
  };
}
