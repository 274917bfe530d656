import { request } from 'undici';
import { z } from 'zod';
import type { LoadClient, LoadRequest } from './load-client.ts';

/** A bridge to send requests to. */
interface ScimTarget {
  /** With its path, without a slash at the end. */
  readonly baseUrl: string;
  readonly token: string;
}

/** How many people and groups there are; the first two groups are large, the others have 20 members. */
export interface CompanySize {
  readonly users: number;
  readonly groups: number;
  readonly largeGroups: readonly [number, number];
}

/** A user as requests address it. */
export interface BenchUser {
  readonly id: string;
  readonly userName: string;
}

/** A group whose members are taken out and put back. */
export interface LargeGroup {
  readonly id: string;
  readonly memberIds: readonly string[];
}

/** What the bridge holds when the measuring begins. */
export interface Company {
  readonly users: readonly BenchUser[];
  readonly largeGroups: readonly [LargeGroup, LargeGroup];
}

const usersPerPage = 1_000;
const ownerName = 'owner'; // There before anything is seeded, and nobody's to change.
const usersPage = z.object({
  Resources: z.array(z.object({ id: z.string(), userName: z.string() })),
});
const groupsPage = z.object({ Resources: z.array(z.object({ id: z.string() })) });
const groupWithMembers = z.object({ members: z.array(z.object({ value: z.string() })) });

/**
 * Makes every seeded person and group managed, as an identity provider does that finds them there: one PATCH for each,
 * which sets externalId.
 * @throws Error when the bridge does not show what was seeded, or refuses a PATCH.
 */
export async function adoptCompany(
  target: ScimTarget,
  client: LoadClient,
  size: CompanySize,
): Promise<Company> {
  const users = await listUsers(target, size.users);
  const groupIds = await listGroupIds(target, size.groups);
  await sendAll(client, [
    ...users.map(({ id }, index) => toAdoption(`/Users/${id}`, index)),
    ...groupIds.map((id, index) => toAdoption(`/Groups/${id}`, index)),
  ]);
  const [smaller, larger] = await Promise.all(
    groupIds.slice(0, 2).map((id) => getLargeGroup(target, id)),
  );
  if (smaller === undefined || larger === undefined) throw new Error('two groups are needed');
  return { users, largeGroups: [smaller, larger] };
}

/** Everybody but the owner, whom no scenario changes. @throws Error when it is not so many. */
async function listUsers(target: ScimTarget, expected: number): Promise<BenchUser[]> {
  const users: BenchUser[] = [];
  for (let startIndex = 1; startIndex <= expected + 1; startIndex += usersPerPage) {
    const query = `attributes=userName&count=${usersPerPage}&startIndex=${startIndex}`;
    const page = usersPage.parse(await fetchScim(target, `/Users?${query}`));
    users.push(...page.Resources.filter(({ userName }) => userName !== ownerName));
  }
  if (users.length !== expected) throw new Error(`the bridge shows ${users.length} users`);
  return users;
}

async function listGroupIds(target: ScimTarget, expected: number): Promise<string[]> {
  const query = 'excludedAttributes=members&count=1000';
  const page = groupsPage.parse(await fetchScim(target, `/Groups?${query}`));
  if (page.Resources.length !== expected) {
    throw new Error(`the bridge shows ${page.Resources.length} groups`);
  }
  return page.Resources.map(({ id }) => id);
}

async function getLargeGroup(target: ScimTarget, id: string): Promise<LargeGroup> {
  const { members } = groupWithMembers.parse(await fetchScim(target, `/Groups/${id}`));
  return { id, memberIds: members.map(({ value }) => value) };
}

function toAdoption(path: string, index: number): LoadRequest {
  return { method: 'PATCH', path, body: toPatch('replace', 'externalId', `external-${index}`) };
}

async function sendAll(client: LoadClient, requests: readonly LoadRequest[]): Promise<void> {
  const left = requests.values();
  const { failures, firstFailure } = await client.run(() => left.next().value);
  if (failures > 0) throw new Error(`${failures} were refused: ${JSON.stringify(firstFailure)}`);
}

async function fetchScim({ baseUrl, token }: ScimTarget, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(`${baseUrl}${path}`, { headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** The body of a PATCH with one operation. @see RFC 7644 §3.5.2 */
export function toPatch(op: 'add' | 'remove' | 'replace', path: string, value?: unknown): string {
  return JSON.stringify({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op, path, value }],
  });
}
