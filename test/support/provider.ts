import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import type { TestAnswer, TestBridge } from './bridge.ts';
import { countDue } from './store-state.ts';

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

/** Whether what the service refused after it was acknowledged may stay. */
type Stuck = 'none' | 'may stay';

/** Users and groups that wait, those of them that are stuck, and those that are worked on. */
export interface Work {
  readonly due: number;
  readonly stuck: number;
  readonly running: number;
}

/** A bridge whose work can be read: from its store and its process where it is in this one, else as operators read it. */
export type Observed = Pick<TestBridge, 'request' | 'baseUrl' | 'opsToken'> &
  Partial<Pick<TestBridge, 'store' | 'countRuns'>>;

/** Reads the work of the bridge; undefined while it cannot tell. */
export async function readWork(bridge: Observed): Promise<Work | undefined> {
  const { store, countRuns } = bridge;
  // A hundredth of the work of an answer of the bridge.
  if (store !== undefined && countRuns?.() !== undefined) {
    return { ...(await countDue(store)), running: countRuns() ?? 0 };
  }
  const { status, body } = await askStatus(bridge);
  if (status !== 200) return undefined;
  const { due, stuckCount, activity } = body;
  return { due: Number(due), stuck: Number(stuckCount), running: Object(activity).running };
}

/** What the service refused after it was acknowledged, as `/ops/status` lists it. */
export async function listStuck(bridge: Observed): Promise<JsonObject[]> {
  const { stuck } = (await askStatus(bridge)).body;
  return Array.isArray(stuck) ? stuck.filter(isJsonObject) : [];
}

function askStatus(bridge: Observed): Promise<TestAnswer> {
  const url = new URL('/ops/status', bridge.baseUrl).href;
  return bridge.request('GET', url, undefined, { authorization: `Bearer ${bridge.opsToken}` });
}

/**
 * Waits until nothing is due and nothing runs, so that no call follows. @throws Error when nothing goes on
 * @param stuck whether what the service refused after it was acknowledged may stay
 */
export async function untilSettled(bridge: Observed, stuck: Stuck = 'none'): Promise<void> {
  const expectProgress = createPatience();
  const pollMs = bridge.store === undefined ? 25 : 5;
  for (;;) {
    const work = await readWork(bridge);
    // Looked at twice, because what ends between the two counts of one answer may leave something due.
    if (isQuiet(work, stuck) && isQuiet(await readWork(bridge), stuck)) return;
    expectProgress(JSON.stringify(work));
    await sleep(pollMs);
  }
}

function isQuiet(work: Work | undefined, stuck: Stuck): boolean {
  return work?.running === 0 && work.due - (stuck === 'none' ? 0 : work.stuck) === 0;
}

/** Throws when it is told the same for a minute: a busy machine is slow, not wrong. */
export function createPatience(): (left: string) => void {
  let before = '';
  let deadline = Date.now() + SILENT_MAX_MS;
  return (left) => {
    if (left !== before) deadline = Date.now() + SILENT_MAX_MS;
    else if (Date.now() > deadline) throw new Error(`nothing goes on, and left is ${left}`);
    before = left;
  };
}

/** The SCIM id in an answer. */
function toId({ body }: TestAnswer): string {
  return String(body.id);
}

function capitalise(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
