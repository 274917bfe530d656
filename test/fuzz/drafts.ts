import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import { toGroup, toUser } from '../support/provider.ts';
import type { RawRequest } from '../support/send-raw.ts';
import { type BodySource, makeJson, mutateValue } from './bodies.ts';
import { makeFilter } from './text.ts';

/** A request that can be sent again to users and groups made anew, which it names by placeholders. */
export interface Draft {
  readonly method: RawRequest['method'];
  readonly path: string;
  readonly body: JsonValue;
  /** Users and groups before the request, as they are made. */
  readonly user: JsonObject;
  readonly group: JsonObject;
}

/** What drafts are made from. */
export type DraftSource = Pick<BodySource, 'random' | 'samples'>;

/** `user` and `group` are made anew for each request, `member` is somebody who is there. */
const PLACEHOLDER = /\{\{(user|group|member)(\d+)\}\}/g;
const TARGETS = ['{{user1}}', '{{user2}}', '{{user3}}', '{{group1}}', '{{group2}}'] as const;
const MEMBERS = Array.from({ length: 40 }, (_, index) => `{{member${index}}}`);
/** A longer body is not read. */
const LENGTH_MAX = 1_000_000;

/** A draft made of rubbish. */
export function makeDraft(base: DraftSource): Draft {
  const source = toBodySource(base);
  const { random } = source;
  const [method, path] = random.pick([
    ['POST', '/Users/.search'],
    ['POST', '/Groups/.search'],
    ['POST', '/.search'],
    ['POST', '/Bulk'],
    ['POST', '/Users'],
    ['POST', '/Groups'],
    ['PUT', '/Users/{{user1}}'],
    ['PUT', '/Groups/{{group1}}'],
    ['PATCH', '/Users/{{user1}}'],
    ['PATCH', '/Groups/{{group1}}'],
  ] as const);
  const body = path.endsWith('.search') ? { filter: makeFilter(random) } : makeJson(source);
  return { method, path, body, user: toUser('ada'), group: toGroup('A', MEMBERS.slice(0, 5)) };
}

/** The draft with a part of it changed, mostly made longer; undefined when it is too long. */
export function mutateDraft(base: DraftSource, draft: Draft): Draft | undefined {
  const source = toBodySource(base);
  const { random } = source;
  const change = (value: JsonValue) =>
    random.chance(0.7) ? grow(random, value) : mutateValue(source, value, 0.05);
  const changed = random.chance(0.75)
    ? { ...draft, body: change(draft.body) }
    : changeBefore(random, draft, change);
  return JSON.stringify(changed).length <= LENGTH_MAX ? changed : undefined;
}

function changeBefore(
  random: SeededRandom,
  draft: Draft,
  change: (value: JsonValue) => JsonValue,
): Draft {
  const name = random.chance(0.7) ? 'user' : 'group';
  const changed = change(draft[name]);
  return isJsonObject(changed) ? { ...draft, [name]: changed } : draft;
}

function toBodySource({ random, samples }: DraftSource): BodySource {
  return { random, samples, ids: [...TARGETS, ...MEMBERS] };
}

/** The placeholders of users and groups to be made, each once. */
export function listPlaceholders({ path, body }: Draft): string[] {
  const found = `${path} ${JSON.stringify(body)}`.matchAll(PLACEHOLDER);
  const targets = [...found].flatMap(([text, kind]) => (kind === 'member' ? [] : [text]));
  return [...new Set(targets)].filter((text) => TARGETS.some((target) => target === text));
}

/** Ids behind the placeholders, and a name that nothing has yet. */
export interface Fresh {
  readonly ids: ReadonlyMap<string, string>;
  readonly members: readonly string[];
  readonly name: string;
}

/** The request with ids in the place of placeholders, and with names and addresses that nobody has yet. */
export function freshen(
  { method, path, body }: Pick<Draft, 'method' | 'path' | 'body'>,
  { ids, members, name }: Fresh,
): Pick<Draft, 'method' | 'path' | 'body'> {
  let number = 0;
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (placeholder, kind: string, at: string) =>
      kind === 'member'
        ? (members[Number(at) % members.length] ?? '')
        : (ids.get(placeholder) ?? placeholder),
    );
  const rename = (text: string) => {
    number += 1;
    return `${name}.${number}.${text}`;
  };
  return { method, path: fill(path), body: renew(body, { fill, rename }) };
}

interface Renewal {
  readonly fill: (text: string) => string;
  readonly rename: (text: string) => string;
}

function renew(value: JsonValue, renewal: Renewal): JsonValue {
  if (typeof value === 'string') return renewal.fill(value);
  if (Array.isArray(value)) return value.map((part) => renew(part, renewal));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, renewPart(name, part, renewal)]),
  );
}

function renewPart(name: string, part: JsonValue, renewal: Renewal): JsonValue {
  const isName = /^(?:userName|displayName)$/i.test(name);
  if (isName && typeof part === 'string') return renewal.rename(renewal.fill(part));
  if (name !== 'emails' || !Array.isArray(part)) return renew(part, renewal);
  return part.map((email) => {
    if (!isJsonObject(email) || typeof email.value !== 'string') return renew(email, renewal);
    return { ...email, value: renewal.rename(renewal.fill(email.value)) };
  });
}

/** The value with one of its parts made longer: a list or an object with more of the same, a text or a filter twice. */
function grow(random: SeededRandom, value: JsonValue): JsonValue {
  if (typeof value === 'string') return growText(random, value);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.4)) return growList(random, value);
    const at = Math.floor(random.next() * value.length);
    return value.map((part, index) => (index === at ? grow(random, part) : part));
  }
  if (!isJsonObject(value)) return [value, value];
  const names = Object.keys(value);
  const [name, ...others] = names;
  if (name === undefined) return value;
  const chosen = random.pick([name, ...others]);
  const part = grow(random, value[chosen] ?? null);
  return { ...value, [random.chance(0.1) ? `${chosen}${names.length}` : chosen]: part };
}

/** More of the same, or more that differs: equal values are one value to the bridge. */
function growList(random: SeededRandom, list: readonly JsonValue[]): JsonValue[] {
  const more = random.chance(0.5) ? list : list.map((part, index) => vary(part, index));
  return [...list, ...more, ...list.slice(0, 1)];
}

function vary(value: JsonValue, index: number): JsonValue {
  if (typeof value === 'string') return `${value}${index}`;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      typeof part === 'string' && !part.startsWith('{{') && name !== 'op' && name !== 'method'
        ? `${part}${index}`
        : part,
    ]),
  );
}

function growText(random: SeededRandom, text: string): string {
  return random.pick([
    `${text}${text}`,
    `${text} or ${text}`,
    `${text} and ${text}`,
    `not (${text})`,
    text.replaceAll('"', `${'x'.repeat(50)}"`),
    text.replaceAll('[', '[not (value eq "x") and '),
    `${text}${'\u0130'.repeat(100)}`,
  ]);
}
