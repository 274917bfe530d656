import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { createSeededRandom, type SeededRandom } from '../model/interleavings/seeded-random.ts';
import type { TestAnswer } from './bridge.ts';
import { listResources, toGroup, toMembers, toPatch, toUser } from './provider.ts';
import { toOwner, type WalledProvider } from './walled.ts';

type Type = 'Users' | 'Groups';

/** A user or group that all providers know of. */
interface Known {
  readonly type: Type;
  readonly id: string;
}

/** A story of providers that act at the same time on one company. */
export interface Interleaving {
  readonly providers: readonly WalledProvider[];
  readonly seed: number;
  /** Operations of each provider. */
  readonly operations: number;
  /** Users and groups that nobody manages at the beginning. */
  readonly known: readonly Known[];
}

/** Result of a story. */
export interface Interleaved {
  /** What a wall must not let through, in words. */
  readonly breaches: readonly string[];
  /** The provider whose writes of this id were taken. */
  readonly owners: ReadonlyMap<string, string>;
  /** Writes that were refused because of their owner. */
  readonly refusals: number;
}

const DOMAINS = ['example.com', 'example.net', 'example.org'];
const NUMBERS = [1, 2, 3, 4, 5, 6];
const PREFIXES = ['okta', 'entra', 'plain'];

/** Plays a story to its end. Each provider sends one request after the other, all providers at the same time. */
export async function interleave(story: Interleaving): Promise<Interleaved> {
  const world = {
    known: [...story.known],
    owners: new Map<string, string>(),
    breaches: [] as string[],
    refusals: 0,
  };
  const actors = story.providers.map((provider, index) =>
    createActor(world, provider, createSeededRandom(story.seed * 1_000 + index)),
  );
  await Promise.all(
    actors.map(async (act) => {
      for (let count = 0; count < story.operations; count += 1) await act(count);
    }),
  );
  return world;
}

/** Facts that the providers of a story share. */
interface World {
  readonly known: Known[];
  readonly owners: Map<string, string>;
  readonly breaches: string[];
  refusals: number;
}

/** Creates the acts of one provider: `count` makes each of its titles another one. */
function createActor(
  world: World,
  provider: WalledProvider,
  random: SeededRandom,
): (count: number) => Promise<void> {
  const { name, request } = provider;
  /** The externalId of each own user and group. */
  const own = new Map<string, JsonValue>();
  const breach = (text: string, { status, text: body }: TestAnswer) =>
    void world.breaches.push(`${name}: ${text}: ${status} ${body.slice(0, 500)}`);

  function judgeShown(answer: TestAnswer): void {
    for (const resource of [answer.body, ...listResources(answer)]) {
      const { id, externalId } = resource;
      if (typeof id !== 'string' || externalId === undefined) continue;
      if (own.get(id) !== externalId) breach('was shown an externalId', answer);
    }
  }

  /** Judges the outcome of one write of what was known before. */
  function judgeWrite(known: Known, status: number, answer: TestAnswer): void {
    const owner = world.owners.get(known.id);
    if (status < 300 && owner !== undefined && owner !== name) breach('wrote another’s', answer);
    if (status < 300) world.owners.set(known.id, owner ?? name);
    const told = toOwner(answer);
    if (told !== undefined) world.refusals += 1;
    if (told === name) breach('was refused its own', answer);
  }

  function toBody(type: Type, count: number): JsonObject {
    if (type === 'Groups') {
      const externalId = `${name} ${count}`;
      return { ...toGroup(`${random.pick(PREFIXES)} ${random.pick(NUMBERS)}`), externalId };
    }
    const address = `n${random.pick(NUMBERS)}@${random.pick(DOMAINS)}`;
    return toUser('x', {
      ...{ userName: address, externalId: `x-${random.pick(NUMBERS)}`, title: `${name} ${count}` },
      emails: [{ value: address, primary: true }],
      active: random.chance(0.7),
    });
  }

  function remember(type: Type, id: string, body: JsonObject): void {
    if (body.externalId !== undefined) own.set(id, body.externalId);
    if (!world.known.some((one) => one.id === id)) world.known.push({ type, id });
  }

  async function create(type: Type, count: number): Promise<void> {
    const body = toBody(type, count);
    const answer = await request('POST', `/${type}`, body);
    const id = String(answer.body.id);
    judgeWrite({ type, id }, answer.status, answer);
    if (answer.status === 201) remember(type, id, body);
    judgeShown(answer);
  }

  async function write(count: number): Promise<void> {
    if (world.known.length === 0) return;
    const known = random.pick(world.known);
    const { type, id } = known;
    const [method, body] = toWrite(type, count);
    const answer = await request(method, `/${type}/${id}`, body);
    judgeWrite(known, answer.status, answer);
    // An id of before a deletion leads to its successor, and what takes access away is taken without what is refused.
    const { body: shown } = answer;
    if (answer.status < 300 && method === 'PUT') remember(type, String(shown.id), shown);
    judgeShown(answer);
  }

  function toWrite(type: Type, count: number): [string, JsonObject?] {
    if (random.chance(0.1)) return ['DELETE'];
    if (random.chance(0.3)) return ['PUT', toBody(type, count)];
    if (type === 'Users') {
      const value = { title: `${name} ${count}`, active: random.chance(0.5) };
      return ['PATCH', toPatch({ op: 'replace', value })];
    }
    const people = world.known.filter((one) => one.type === 'Users');
    const op = random.chance(0.6) ? 'add' : 'remove';
    const value = toMembers(people.length === 0 ? [] : [random.pick(people).id]);
    return ['PATCH', toPatch({ op, path: 'members', value })];
  }

  async function bulk(count: number): Promise<void> {
    const targets = [random.pick(world.known), random.pick(world.known)];
    const operations = targets.map(({ type, id }, index) => {
      const [method, asked] = toWrite(type, count + index / 10);
      // What takes nothing away is taken as a whole or not at all.
      const { members: _, ...rest } = Object(asked);
      const data = method === 'PUT' ? { ...rest, active: true } : asked;
      return { method, path: `/${type}/${id}`, ...(data && { data }) };
    });
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'];
    const answer = await request('POST', '/Bulk', { schemas, Operations: operations });
    const results: unknown[] = Array.isArray(answer.body.Operations) ? answer.body.Operations : [];
    for (const [index, known] of targets.entries()) {
      const { status, response, location } = Object(results[index]);
      const body = isJsonObject(response) ? response : {};
      judgeWrite(known, Number(status), { ...answer, body });
      const { method, data } = operations[index] ?? {};
      const id =
        String(location ?? known.id)
          .split('/')
          .at(-1) ?? '';
      if (Number(status) < 300 && method === 'PUT') remember(known.type, id, Object(data));
    }
  }

  async function look(): Promise<void> {
    const type = random.pick(['Users', 'Groups'] as const);
    const absent = encodeURIComponent('not (externalId co "x")');
    const known = random.pick(world.known);
    const path = random.pick([
      `/${type}?filter=${absent}`,
      `/${type}?sortBy=externalId&attributes=externalId`,
      `/${type}?cursor=&count=5&sortBy=externalId`,
      `/${known.type}/${known.id}`,
      `/?filter=${encodeURIComponent('externalId pr')}`,
    ]);
    const answer = await request('GET', path);
    if (answer.status >= 300 && answer.status !== 404) breach(`could not read ${path}`, answer);
    judgeShown(answer);
  }

  async function find(): Promise<void> {
    const wanted = `x-${random.pick(NUMBERS)}`;
    const filter = encodeURIComponent(`externalId eq "${wanted}"`);
    const answer = await request('GET', `/Users?filter=${filter}`);
    const isOwn = ({ id }: JsonObject) => own.get(String(id)) === wanted;
    if (!listResources(answer).every(isOwn)) breach('found another’s', answer);
    judgeShown(answer);
  }

  return async (count) => {
    const chance = random.next();
    if (chance < 0.3) return create(random.chance(0.7) ? 'Users' : 'Groups', count);
    if (chance < 0.65) return write(count);
    if (chance < 0.75) return bulk(count);
    return chance < 0.9 ? look() : find();
  };
}
