import type { JsonValue } from '../../src/domain/json.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import { makeFilter, makePath, makeRubbish, mutateText } from './text.ts';

/** What bodies are made from. */
export interface BodySource {
  readonly random: SeededRandom;
  /** Bodies that providers send. */
  readonly samples: readonly JsonValue[];
  /** Ids of people and groups that may be hurt. */
  readonly ids: readonly string[];
}

const DEPTH = 200_000;

/** The bytes of a body: mostly one of a provider with faults, now and then one that only wants to hurt. */
export function makeBody(source: BodySource): Buffer {
  const { random } = source;
  const kind = Math.floor(random.next() * 20);
  if (kind === 0) return Buffer.from(makeRubbish(random));
  if (kind === 1 && random.chance(0.2)) return Buffer.from(random.pick(makeHuge(random)));
  if (kind === 2) return Buffer.from(mutateText(random, JSON.stringify(makeValue(source, 3))));
  if (kind === 3)
    return Buffer.from(Array.from({ length: 200 }, () => Math.floor(random.next() * 256)));
  return Buffer.from(JSON.stringify(makeJson(source)));
}

function makeHuge(random: SeededRandom): readonly [string, ...string[]] {
  const wide = Array.from({ length: 20_000 }, (_, index) => `"a${index}":${index}`);
  const ids = Array.from({ length: 15_000 }, () => `{"value":"${random.next()}"}`);
  return [
    `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`,
    '{"a":'.repeat(DEPTH),
    `{${wide.join(',')}}`,
    `{"displayName":"x","members":[${ids.join(',')}]}`,
    `{"userName":"${'x'.repeat(900_000)}"}`,
    `{"Operations":[{"op":"add","path":"members","value":[${ids.join(',')}]}]}`,
    ' '.repeat(2_000_000),
    `{"filter":"${'('.repeat(100_000)}"}`,
    `[${'[],'.repeat(300_000)}[]]`,
  ];
}

/** A body that is JSON: a search, a PATCH, a bulk request, or what a provider sends with faults. */
function makeJson(source: BodySource): JsonValue {
  const { random, samples } = source;
  const kind = Math.floor(random.next() * 6);
  if (kind === 0) return makeSearch(source);
  if (kind === 1) return makePatch(source);
  if (kind === 2) return makeBulk(source);
  return mutateValue(source, random.pick(samples), 0.08);
}

function makeSearch(source: BodySource): JsonValue {
  const { random } = source;
  return {
    filter: makeFilter(random),
    ...(random.chance(0.3) && { sortBy: makePath(random), sortOrder: makeRubbish(random) }),
    ...(random.chance(0.3) && { attributes: [makePath(random), makeRubbish(random)] }),
    ...(random.chance(0.3) && { count: makeValue(source, 1), startIndex: makeValue(source, 1) }),
    ...(random.chance(0.1) && { cursor: makeRubbish(random) }),
  };
}

function makePatch(source: BodySource): JsonValue {
  const { random } = source;
  const count = random.chance(0.02) ? 1_200 : 1 + Math.floor(random.next() * 4);
  const Operations = Array.from({ length: count }, () => ({
    op: random.pick(['add', 'Replace', 'remove', 'move', '']),
    ...(random.chance(0.8) && { path: makePath(random) }),
    ...(random.chance(0.8) && { value: makeValue(source, 2) }),
  }));
  return { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations };
}

function makeBulk(source: BodySource): JsonValue {
  const { random, ids, samples } = source;
  const count = random.chance(0.02) ? 1_100 : 1 + Math.floor(random.next() * 5);
  const Operations = Array.from({ length: count }, (_, index) => ({
    method: random.pick(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', '']),
    path: random.pick([
      '/Users',
      '/Groups',
      `/Users/${random.pick(ids)}`,
      `/Groups/bulkId:b${index + 1}`,
      makeRubbish(random),
    ]),
    bulkId: `b${random.chance(0.8) ? index : 0}`,
    data: random.chance(0.3)
      ? { displayName: `g${random.next()}`, members: [{ value: `bulkId:b${(index + 1) % count}` }] }
      : mutateValue(source, random.pick(samples), 0.05),
  }));
  return { Operations, ...(random.chance(0.2) && { failOnErrors: makeValue(source, 1) }) };
}

/** Any value. */
function makeValue(source: BodySource, depth: number): JsonValue {
  const { random, ids } = source;
  const kind = Math.floor(random.next() * (depth === 0 ? 6 : 9));
  if (kind === 0) return makeRubbish(random);
  if (kind === 1) return random.pick([0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER]);
  if (kind === 2) return random.chance(0.5);
  if (kind === 3) return null;
  if (kind < 6) return random.pick(ids);
  const inner = () => makeValue(source, depth - 1);
  if (kind === 6) return [inner(), inner()];
  if (kind === 7) return [{ value: inner(), type: inner() }];
  return { [makePath(random)]: inner(), value: inner() };
}

/** The value with some of its parts replaced or left out. */
function mutateValue(source: BodySource, value: JsonValue, chance: number): JsonValue {
  const { random } = source;
  if (random.chance(chance)) return makeValue(source, 2);
  if (typeof value === 'string') return fill(source, value);
  if (Array.isArray(value)) return value.map((part) => mutateValue(source, part, chance));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(() => !random.chance(chance / 4));
  return Object.fromEntries(
    entries.map(([name, part]) => [
      random.chance(chance / 4) ? mutateText(random, name) : name,
      mutateValue(source, part, chance),
    ]),
  );
}

/** `{{rand}}` and `{{userId}}` of a sample are somebody. */
function fill({ random, ids }: BodySource, text: string): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
    name === 'rand' ? String(Math.floor(random.next() * 400)) : random.pick(ids),
  );
}
