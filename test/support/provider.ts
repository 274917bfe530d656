import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { readBacklog } from '../../src/store/resources/backlog.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestAnswer, TestBridge } from './bridge.ts';

/** What requests are sent with; a bridge of its own process gives as much. */
export type Requester = Pick<TestBridge, 'request'>;

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const SILENT_MAX_MS = 60_000;

/** A person as providers send one: `ada` is ada@example.com, named Ada Example. */
export function toUser(name: string, change: JsonObject = {}): JsonObject {
  const address = `${name}@example.com`;
  return {
    schemas: [USER],
    userName: address,
    name: { givenName: capitalise(name), familyName: 'Example' },
    emails: [{ value: address, type: 'work', primary: true }],
    active: true,
    ...change,
  };
}

/** A group as providers send one. */
export function toGroup(displayName: string, memberIds: readonly string[] = []): JsonObject {
  return { schemas: [GROUP], displayName, members: toMembers(memberIds) };
}

/** Members by their SCIM ids. */
export function toMembers(ids: readonly string[]): JsonValue[] {
  return ids.map((value) => ({ value }));
}

/** The body of a PATCH. */
export function toPatch(...operations: JsonObject[]): JsonObject {
  return { schemas: [PATCH], Operations: operations };
}

/** Sends a request that has to succeed. @throws Error with the answer when it does not */
export async function send(
  bridge: Requester,
  method: string,
  path: string,
  body?: JsonValue,
): Promise<TestAnswer> {
  const answer = await bridge.request(method, path, body);
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`${method} ${path} was answered with ${answer.status}: ${answer.text}`);
}

/** Creates a person and gives the SCIM id. */
export async function addUser(bridge: Requester, name: string, change?: JsonObject) {
  return toId(await send(bridge, 'POST', '/Users', toUser(name, change)));
}

/** Creates people at the same time and gives their SCIM ids. */
export async function addUsers(bridge: Requester, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `person${index + 1}`);
  return Promise.all(names.map((name) => addUser(bridge, name)));
}

/** Creates a group and gives the SCIM id. */
export async function addGroup(bridge: Requester, name: string, memberIds?: readonly string[]) {
  return toId(await send(bridge, 'POST', '/Groups', toGroup(name, memberIds)));
}

/** The SCIM id of the only user with this userName, or of the only group with this name. */
export async function findId(
  bridge: Requester,
  { type, name }: { type: 'Users' | 'Groups'; name: string },
): Promise<string> {
  const attribute = type === 'Users' ? 'userName' : 'displayName';
  const query = new URLSearchParams({ filter: `${attribute} eq ${JSON.stringify(name)}` });
  const [resource] = listResources(await send(bridge, 'GET', `/${type}?${query}`));
  if (resource === undefined) throw new Error(`${name} was not found`);
  return String(resource.id);
}

/** The resources of a list answer. */
export function listResources({ body }: TestAnswer): JsonObject[] {
  return Array.isArray(body.Resources) ? body.Resources.filter(isJsonObject) : [];
}

/** The SCIM ids of a group's members, as the bridge shows them. */
export async function readMemberIds(bridge: Requester, groupId: string): Promise<string[]> {
  const { body } = await send(bridge, 'GET', `/Groups/${groupId}`);
  const members = Array.isArray(body.members) ? body.members.filter(isJsonObject) : [];
  return members.map(({ value }) => String(value)).sort();
}

/**
 * Waits until nothing is due and no lock is held, so that no call follows. @throws Error when nothing goes on
 * @param stuck whether what the service refused after it was acknowledged, which is told, may stay
 */
export async function untilSettled(
  { store }: Pick<TestBridge, 'store'>,
  stuck: 'none' | 'may stay' = 'none',
): Promise<void> {
  const expectProgress = createPatience(store);
  for (;;) {
    // In this order, because what ends may leave something due.
    const running = await countRunning(store);
    const backlog = await readBacklog(store.read);
    const due = backlog.due - (stuck === 'none' ? 0 : backlog.stuck);
    if (due + running === 0) return;
    await expectProgress(`${due} are still due and ${running} running`);
    await sleep(5);
  }
}

/** Throws, with what is told and what is left, once nothing has gone on for a minute: a busy machine is slow, not wrong. */
export function createPatience(store: Store): (told: string) => Promise<void> {
  let left = '';
  let deadline = Date.now() + SILENT_MAX_MS;
  return async (told) => {
    if (Date.now() <= deadline) return;
    const before = left;
    left = await describeLeft(store);
    if (left === before) throw new Error(`${told}: ${left}`);
    deadline = Date.now() + SILENT_MAX_MS;
  };
}

/** What is due or runs, when it is tried again, who leads and the last calls: the same text while nothing goes on. */
async function describeLeft({ read }: Store): Promise<string> {
  const calls = read.selectFrom('own_calls').selectAll().orderBy('id', 'desc').limit(5);
  const left = {
    rows: await listLeft(read),
    leader: await read.selectFrom('leader').select(['epoch', 'since']).execute(),
    calls: await calls.execute(),
  };
  return JSON.stringify(left, undefined, 1);
}

async function listLeft(read: Store['read']): Promise<object[]> {
  const columns = [
    'due_at',
    'due_class',
    'must_look',
    'in_flight',
    'cells',
    'attempts',
    'last_error',
  ] as const;
  const users = await read
    .selectFrom('users')
    .select(columns)
    .where((eb) => eb.or([eb('due_at', 'is not', null), eb('in_flight', '!=', 0)]))
    .orderBy('seq')
    .execute();
  const groups = await read
    .selectFrom('groups')
    .select(columns)
    .where((eb) => eb.or([eb('due_at', 'is not', null), eb('in_flight', '!=', 0)]))
    .orderBy('seq')
    .execute();
  return [...users, ...groups];
}

/** How many resources have a call on its way. */
export async function countRunning({ read }: Store): Promise<number> {
  let running = 0;
  for (const table of ['users', 'groups'] as const) {
    const held = read.selectFrom(table).select('id').where('in_flight', '!=', 0);
    running += (await held.execute()).length;
  }
  return running;
}

/** The SCIM id in an answer. */
function toId({ body }: TestAnswer): string {
  return String(body.id);
}

function capitalise(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
