import type { JsonValue } from '../../src/domain/values.ts';
import { opsRoutes } from '../../src/ops/router.ts';
import type { SeededRandom } from '../model/interleavings/seeded-random.ts';
import { createSeededRandom } from '../model/interleavings/seeded-random.ts';

/** One request that a stranger sends over a connection of its own. */
export interface Attempt {
  readonly title: string;
  readonly path: string;
  readonly bytes: Buffer;
  readonly cutAfter?: number;
  readonly piece?: number;
}

/** What attempts are made from. */
export interface Pool {
  readonly seed: number;
  readonly samples: readonly JsonValue[];
  readonly ids: readonly string[];
  readonly scimToken: string;
  readonly opsToken: string;
}

const toWords = (text: string) => text.trim().split(/\s+/);
const SCIM = toWords(`/Users /Groups /Users/.search /Groups/.search /.search /Bulk /Me /Schemas
  /ResourceTypes /ServiceProviderConfig /`);
const OTHERS = toWords(
  '/healthz /readyz /metrics /oauth/token / /favicon.ico /ops /ops/ /.well-known/x',
);
const METHODS = toWords('GET GET GET POST POST PUT PATCH DELETE HEAD OPTIONS TRACE PROPFIND BREW');
const QUERIES = toWords(`filter sortBy sortOrder startIndex count attributes excludedAttributes
  cursor q limit kind`);
/** What would stop the bridge from working for a while, which is not what is looked for. */
const HARMFUL = /pause|recovery/;
const TYPES = ['application/scim+json', 'application/json'] as const;
const STRANGE_TYPES = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''],
  ...['application/json; charset=utf-16', 'application/json; charset=x'],
] as const;
const HEADERS: readonly (readonly [chance: number, make: (value: string) => string])[] = [
  [0.1, (value) => `If-Match: ${value}`],
  [0.03, () => 'If-Match: *'],
  [0.03, () => 'If-None-Match: W/"1"'],
  [0.05, (value) => `If-None-Match: ${value}`],
  [0.01, () => 'Content-Encoding: gzip'],
  [0.01, (value) => `Content-Encoding: ${value}`],
  [0.01, () => 'Expect: 100-continue'],
  [0.01, (value) => `Expect: ${value}`],
  [0.02, (value) => `X-Request-Id: ${value}`],
  [0.02, (value) => `Accept: ${value}\r\nAccept-Encoding: ${value}`],
  [0.01, () => 'Upgrade: websocket\r\nConnection: upgrade'],
  [0.005, () => `X-Large: ${'x'.repeat(50_000)}`],
  [0.005, () => Array.from({ length: 500 }, (_, index) => `X-${index}: 1`).join('\r\n')],
];
const BROKEN = [
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  '\r\n\r\n\r\n',
  '\u0016\u0003\u0001\u0002',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost a\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc',
  'GET / HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
] as const;
const DEPTH = 200_000;

/** The attempt at this place: always the same of one seed, so that a finding can be sent again alone. */
export function makeAttempt(pool: Pool, index: number): Attempt {
  const random = createSeededRandom(pool.seed * 1_000_003 + index);
  const { pick, chance } = random;
  const text = createText(random);
  const count = (max: number) => Math.floor(random.next() * max);

  function makeAddress(): string {
    const query = chance(0.4) ? `?${makeQuery()}` : '';
    const address = `${makePathname()}${query}`;
    if (chance(0.01)) return `${address}${'x'.repeat(60_000)}`;
    // Only what a request line can hold; what it cannot is among the broken ones.
    return (chance(0.05) ? text.mutate(address) : address)
      .toWellFormed()
      .replaceAll('\u0000', '%00')
      .replace(/\s/g, (character) => encodeURIComponent(character));
  }

  function makePathname(): string {
    const kind = count(10);
    const type = pick(['Users', 'Groups', 'Users', 'Groups', 'Schemas', text.rubbish()]);
    if (kind < 3) return `/scim/v2${pick(SCIM)}`;
    if (kind < 6) return `/scim/v2/${pick(['Users', 'Groups'])}/${makeId()}`;
    if (kind === 6) return `/scim/v2/${type}/${text.rubbish()}`;
    if (kind === 7) return pick(OTHERS);
    const { path } = pick(opsRoutes.filter((route) => !HARMFUL.test(route.path)));
    return `/ops${path.replace(/\{\w+\}/g, makeId)}`;
  }

  const makeId = () => (chance(0.8) ? pick(pool.ids) : text.rubbish());

  function makeQuery(): string {
    return Array.from({ length: 1 + count(3) }, () => {
      const name = chance(0.1) ? text.rubbish() : pick(QUERIES);
      const value =
        name === 'filter' ? text.filter() : pick([text.path(), text.rubbish(), '1', '-5']);
      return `${name}=${chance(0.9) ? encodeURIComponent(value.toWellFormed()) : value}`;
    }).join('&');
  }

  function makeCredential(path: string): string {
    const kind = count(100);
    if (kind === 1) return `Bearer ${encodeURIComponent(text.rubbish().toWellFormed())}`;
    if (kind === 2) return `Basic ${Buffer.from(`${text.rubbish()}:x`).toString('base64')}`;
    const isOps = path.startsWith('/ops') || path.startsWith('/metrics');
    return `Bearer ${isOps === kind < 98 ? pool.opsToken : pool.scimToken}`;
  }

  function makeBody(): Buffer | string {
    const kind = count(20);
    if (kind === 0) return text.rubbish();
    if (kind === 1 && chance(0.2)) return pick(makeHuge(random));
    if (kind === 2) return text.mutate(JSON.stringify(makeValue(3)));
    if (kind === 3) return Buffer.from(Array.from({ length: 200 }, () => count(256)));
    return JSON.stringify(
      pick([makeSearch, makePatch, makeBulk, makeSample, makeSample, makeSample])(),
    );
  }

  const makeSample = () => mutateValue(pick(pool.samples), 0.08);

  function makeSearch(): JsonValue {
    return {
      filter: text.filter(),
      ...(chance(0.3) && { sortBy: text.path(), sortOrder: text.rubbish() }),
      ...(chance(0.3) && { attributes: [text.path(), text.rubbish()] }),
      ...(chance(0.3) && { count: makeValue(1), startIndex: makeValue(1) }),
      ...(chance(0.1) && { cursor: text.rubbish() }),
    };
  }

  function makePatch(): JsonValue {
    const Operations = Array.from({ length: chance(0.02) ? 1_200 : 1 + count(4) }, () => ({
      op: pick(['add', 'Replace', 'remove', 'move', '']),
      ...(chance(0.8) && { path: text.path() }),
      ...(chance(0.8) && { value: makeValue(2) }),
    }));
    return { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations };
  }

  function makeBulk(): JsonValue {
    const length = chance(0.02) ? 1_100 : 1 + count(5);
    const Operations = Array.from({ length }, (_, n) => {
      const next = `bulkId:b${(n + 1) % length}`;
      const group = { displayName: `g${random.next()}`, members: [{ value: next }] };
      const places = ['/Users', '/Groups', `/Users/${makeId()}`, `/Groups/${next}`, text.rubbish()];
      return {
        method: pick(['POST', 'PUT', 'PATCH', 'DELETE', 'GET', '']),
        path: pick(places),
        bulkId: `b${chance(0.8) ? n : 0}`,
        data: chance(0.3) ? group : makeSample(),
      };
    });
    return { Operations, ...(chance(0.2) && { failOnErrors: makeValue(1) }) };
  }

  function makeValue(depth: number): JsonValue {
    const inner = () => makeValue(depth - 1);
    const simple = [
      () => text.rubbish(),
      () => pick([0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER]),
      () => chance(0.5),
      () => null,
      makeId,
      makeId,
    ];
    const complex = [
      () => [inner(), inner()],
      () => [{ value: inner(), type: inner() }],
      () => ({ [text.path()]: inner(), value: inner() }),
    ];
    return pick<() => JsonValue>(depth === 0 ? simple : [...simple, ...complex])();
  }

  /** The value with some of its parts replaced or left out; `{{rand}}` and `{{userId}}` of a sample are somebody. */
  function mutateValue(value: JsonValue, share: number): JsonValue {
    if (chance(share)) return makeValue(2);
    if (typeof value === 'string')
      return value.replace(/\{\{(\w+)\}\}/g, (_, name: string) =>
        name === 'rand' ? String(count(400)) : makeId(),
      );
    if (Array.isArray(value)) return value.map((part) => mutateValue(part, share));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(() => !chance(share / 4));
    return Object.fromEntries(
      entries.map(([name, part]) => [
        chance(share / 4) ? text.mutate(name) : name,
        mutateValue(part, share),
      ]),
    );
  }

  function makeHead(method: string, path: string): string {
    const value = text
      .rubbish()
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 500);
    const lines = [
      `${method} ${path} HTTP/1.1\r\nHost: bridge`,
      ...(chance(0.99) ? [`Authorization: ${makeCredential(path)}`] : []),
      ...HEADERS.flatMap(([share, make]) => (chance(share) ? make(value) : [])),
    ];
    return lines.join('\r\n');
  }

  function frame(body: Buffer): Buffer {
    const head = `\r\nContent-Type: ${chance(0.9) ? pick(TYPES) : pick(STRANGE_TYPES)}\r\n`;
    const size = body.length;
    const isChunked = chance(0.1);
    const start = isChunked
      ? `${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`
      : `${head}Content-Length: ${size}\r\n\r\n`;
    const end = size === 0 ? '\r\n' : '\r\n0\r\n\r\n';
    return Buffer.concat([Buffer.from(start), body, Buffer.from(isChunked ? end : '')]);
  }

  if (chance(0.02)) {
    const broken = pick(BROKEN);
    const sent = chance(0.5) ? broken : text.mutate(broken);
    const title = JSON.stringify(sent.slice(0, 60));
    return { title, path: '', bytes: Buffer.from(sent), cutAfter: sent.length };
  }
  const method = pick(METHODS);
  const path = makeAddress();
  const hasBody = chance(method === 'GET' || method === 'HEAD' ? 0.03 : 0.9);
  const head = Buffer.from(makeHead(method, path));
  const rest = hasBody ? frame(Buffer.from(makeBody())) : Buffer.from('\r\n\r\n');
  const bytes = Buffer.concat([head, rest]);
  return {
    title: `${method} ${path.slice(0, 120)}`,
    path,
    bytes,
    ...(chance(0.01) && { cutAfter: count(bytes.length) }),
    ...(chance(0.02) && bytes.length < 4_000 && { piece: 1 + count(40) }),
  };
}

function makeHuge(random: SeededRandom): readonly string[] {
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

const RUBBISH = [
  ...toWords(`null undefined NaN -1 0 1e999 99999999999999999999 true [] {} __proto__ constructor
    prototype toString é 日本 🙂 % %00 %zz %25 .. ../../etc/passwd {{7*7}} <script> * users schemas
    urn:ietf:params:scim:schemas:core:2.0:User`),
  ...['', ' ', '\u0000', '\ud800', '\udfff', '\u202e', '\r\nX-A: b', 'a'.repeat(600)],
  ...["' or 1=1 --", '"; drop table users; --'],
];
const ATTRIBUTES = [
  'emails[type eq "work"].value',
  ...toWords(`userName displayName active emails emails.value name name.givenName externalId id
    meta.lastModified meta members members.value members.display groups.value title roles schemas
    password shoeSize
    urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department
    urn:ietf:params:scim:schemas:extension:enterprise:2.0:User
    urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins`),
];
const OPERATORS = [...toWords('eq ne co sw ew gt ge lt le pr EQ xx'), ''];
const LITERALS = toWords(
  '"a" "person1" true false null 1 -1.5e3 "2026-01-01T00:00:00Z" True "" "\\u0000" "\\ud800" word',
);

interface StrangeText {
  rubbish(): string;
  path(): string;
  /** A filter of the grammar, now and then with a fault in it. @param depth how deep it may nest */
  filter(depth?: number): string;
  mutate(text: string): string;
}

function createText({ next, pick, chance }: SeededRandom): StrangeText {
  function rubbish(): string {
    return pick(RUBBISH).repeat(chance(0.1) ? 1 + Math.floor(next() * 50) : 1);
  }

  function path(): string {
    const name = pick(ATTRIBUTES);
    if (chance(0.15)) return mutate(name);
    return chance(0.2) ? `${name}[${filter(1)}]` : name;
  }

  function filter(depth = 4): string {
    const one = term(depth);
    if (chance(0.02))
      return Array<string>(60)
        .fill(one)
        .join(pick([' or ', ' and ']));
    return chance(0.15) ? mutate(one) : one;
  }

  function term(depth: number): string {
    const inner = () => term(depth - 1);
    const compare = () => `${pick(ATTRIBUTES)} ${pick(OPERATORS)} ${pick(LITERALS)}`;
    if (depth === 0) return compare();
    return pick([
      () => `${inner()} and ${inner()}`,
      () => `${inner()} or ${inner()}`,
      () => `not (${inner()})`,
      () => `(${inner()})`,
      () => `${pick(ATTRIBUTES)}[${inner()}]`,
      ...[compare, compare, compare],
    ])();
  }

  function mutate(text: string): string {
    const at = Math.floor(next() * (text.length + 1));
    const end = at + Math.floor(next() * 5);
    return pick([
      () => text.slice(0, at) + text.slice(end),
      () => text.slice(0, end) + text.slice(at),
      () => text.slice(0, at) + rubbish() + text.slice(at),
    ])();
  }

  return { rubbish, path, filter, mutate };
}
