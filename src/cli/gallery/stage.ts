import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { type Answer, CheckFailed, findAt } from './answer.ts';
import { type Talk, toSearch } from './talk.ts';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** People whom a run makes; few, so that no limit of removals is met when they are taken away. */
export const PEOPLE = ['ada', 'bob', 'cyd'] as const;
type Person = (typeof PEOPLE)[number];
/** Groups that a run makes. */
export const GROUPS = ['crew', 'gone', 'spare', 'bulk'] as const;
type Crew = (typeof GROUPS)[number];

/** An OAuth client of a run, which ends with it. */
interface StageClient {
  readonly id: string;
  readonly secret: string | null;
}

/** People and groups that checks act on: of this run alone, each made when a check needs it first. */
export interface Stage {
  readonly send: Talk['send'];
  /** The SCIM base URL without a slash at its end. */
  readonly baseUrl: string;
  /** Begins every userName and externalId of the run, and no other one. */
  readonly mark: string;
  /** Makes an OAuth client that ends with the run. @param trust how its assertions prove it */
  makeClient(trust?: JsonObject): Promise<StageClient>;
  userNameOf(person: Person): string;
  groupNameOf(group: Crew): string;
  /** The answer to the creation of somebody, who is made once. */
  made(person: Person): Promise<Answer>;
  /** Sends the creation of somebody again. */
  makeAgain(person: Person): Promise<Answer>;
  /** The SCIM id of somebody. @throws CheckFailed when they cannot be made */
  idOf(person: Person): Promise<string>;
  madeGroup(group: Crew): Promise<Answer>;
  groupIdOf(group: Crew): Promise<string>;
  /** Somebody as a provider sends them. */
  toPerson(person: Person): JsonObject;
}

/** Names of a run. */
interface StageNames {
  readonly mark: string;
  /** Mail domain of the people. */
  readonly domain: string;
  /** Text before the name of each group. */
  readonly groupPrefix: string;
}

/** A stage, and how it is cleared. */
export interface OpenStage extends Stage {
  /** Deletes everybody whom the run made, and tells what is still there then. */
  clear(talk: Talk): Promise<Cleared>;
}

/** Counts of the deleted, and the names that are left. */
interface Cleared {
  readonly people: number;
  readonly groups: number;
  /** Names that answers still have. */
  readonly left: readonly string[];
}

/** How often what is left is deleted. */
const ROUNDS_MAX = 2;

/** Creates a stage without anybody on it. */
export function createStage(
  { mark, domain, groupPrefix }: StageNames,
  {
    talk,
    baseUrl,
    makeClient,
  }: {
    readonly talk: Talk;
    readonly baseUrl: string;
    readonly makeClient: Stage['makeClient'];
  },
): OpenStage {
  const answers: Promise<Answer>[] = [];
  const first = new Map<string, Promise<Answer>>();
  const userNameOf = (person: Person) => `${mark}-${person}@${domain}`;
  const groupNameOf = (group: Crew) => `${groupPrefix}${mark} ${group}`;
  const toPerson = (person: Person): JsonObject => ({
    schemas: [USER],
    userName: userNameOf(person),
    externalId: `${mark}-${person}`,
    name: { givenName: toCapital(person), familyName: 'Gallery' },
    displayName: `${toCapital(person)} Gallery`,
    emails: [{ value: userNameOf(person), type: 'work', primary: true }],
    active: true,
  });
  const post = (path: '/Users' | '/Groups', body: JsonObject) => {
    const answer = talk.send('POST', path, { body });
    answers.push(answer);
    return answer;
  };
  const once = (name: string, make: () => Promise<Answer>) => {
    const made = first.get(name) ?? make();
    first.set(name, made);
    return made;
  };
  const makeAgain = (person: Person) => post('/Users', toPerson(person));
  const made = (person: Person) => once(person, () => makeAgain(person));
  const madeGroup = (group: Crew) =>
    once(group, () => {
      const displayName = groupNameOf(group);
      const body = { schemas: [GROUP], displayName, externalId: `${mark}-${group}`, members: [] };
      return post('/Groups', body);
    });
  return {
    ...{ send: talk.send, baseUrl, mark, makeClient, userNameOf, groupNameOf, made, madeGroup },
    ...{ makeAgain, toPerson },
    idOf: async (person) => toId(await made(person)),
    groupIdOf: async (group) => toId(await madeGroup(group)),
    async clear(clearing) {
      const ids = await listIds(answers);
      return clear(clearing, [
        {
          ...{ type: 'Groups', key: 'displayName', begin: groupPrefix + mark, ids },
          names: GROUPS.map(groupNameOf),
        },
        { type: 'Users', key: 'userName', begin: mark, ids, names: PEOPLE.map(userNameOf) },
      ]);
    },
  };
}

/** Deletes whatever is there of a run, groups first, and looks again. */
async function clear(talk: Talk, wanted: readonly Wanted[]): Promise<Cleared> {
  const deleted = { Groups: new Set<string>(), Users: new Set<string>() };
  for (let round = 1; ; round += 1) {
    const left: Own[] = [];
    for (const each of wanted) left.push(...(await listOwn(talk, each)));
    if (left.length === 0 || round > ROUNDS_MAX) {
      const { Groups, Users } = deleted;
      return { people: Users.size, groups: Groups.size, left: left.map(({ name }) => name) };
    }
    for (const { id, type } of left) {
      await talk.send('DELETE', `/${type}/${id}`);
      deleted[type].add(id);
    }
  }
}

/** The body of a PATCH. */
export function toPatch(...operations: readonly JsonObject[]): JsonObject {
  return { schemas: [PATCH], Operations: [...operations] };
}

/** The id in the answer to a creation. @throws CheckFailed */
function toId(answer: Answer): string {
  const id = findAt(answer.body, 'id');
  if (answer.status < 300 && typeof id === 'string' && id !== '') return id;
  const words = `not tried: ${answer.request} made nobody, it was answered ${answer.status}`;
  throw new CheckFailed(words);
}

/** Ids in answers to creations. What was never sent, or never answered, has none. */
async function listIds(answers: readonly Promise<Answer>[]): Promise<string[]> {
  const settled = await Promise.allSettled(answers);
  return settled.flatMap((one) => {
    const id = one.status === 'fulfilled' ? findAt(one.value.body, 'id') : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

/** Somebody of this run, or a group of it. */
interface Own {
  readonly type: 'Users' | 'Groups';
  readonly id: string;
  readonly name: string;
}

/** The resource that is looked for. */
interface Wanted {
  readonly type: Own['type'];
  /** Attribute that has the name. */
  readonly key: 'userName' | 'displayName';
  readonly names: readonly string[];
  /** Begins every name of the run. */
  readonly begin: string;
  /** Of the creations of the run. */
  readonly ids: readonly string[];
}

/**
 * Lists what is there of this run: by name, and by the ids of its creations. Nothing counts but what has a name of the run,
 * whatever a bridge answers.
 */
async function listOwn(talk: Talk, { type, key, names, begin, ids }: Wanted): Promise<Own[]> {
  const found: JsonValue[] = [];
  for (const name of names) {
    const { body } = await talk.send('GET', toSearch(type, `${key} eq ${JSON.stringify(name)}`));
    const listed = findAt(body, 'Resources');
    if (Array.isArray(listed)) found.push(...listed);
  }
  for (const id of ids) found.push((await talk.send('GET', `/${type}/${id}`)).body);
  const own = new Map<string, Own>();
  for (const each of found) {
    if (!isJsonObject(each)) continue;
    const { id, [key]: name } = each;
    const isOwn = String(name).toLowerCase().startsWith(begin.toLowerCase());
    if (isOwn && typeof id === 'string') own.set(id, { type, id, name: String(name) });
  }
  return [...own.values()];
}

function toCapital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
