import { opsRoutes } from '../../src/ops/document.ts';
import { createSeededRandom, type SeededRandom } from '../model/interleavings/seeded-random.ts';
import { type BodySource, makeBody } from './bodies.ts';
import type { Sending } from './connection.ts';
import { makeFilter, makePath, makeRubbish, mutateText } from './text.ts';

/** One request that a stranger sends. */
export interface Attempt extends Sending {
  /** What a finding names: method and path. */
  readonly title: string;
  readonly path: string;
}

/** What attempts are made from. */
export interface Pool extends Omit<BodySource, 'random'> {
  readonly seed: number;
  /** Those of `ids` that are people. */
  readonly userIds: readonly string[];
  readonly scimToken: string;
  readonly opsToken: string;
}

const SCIM = [
  '/Users',
  '/Groups',
  '/Users/.search',
  '/Groups/.search',
  '/.search',
  '/Bulk',
  '/Me',
  '/Schemas',
  '/ResourceTypes',
  '/ServiceProviderConfig',
  '/',
] as const;
const OTHERS = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/oauth/token',
  '/',
  '/favicon.ico',
  '/ops',
  '/ops/',
  '/.well-known/x',
] as const;
const METHODS = [
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'BREW',
] as const;
/** What would stop the bridge from working for a while, which is not what is looked for. */
const HARMFUL = /pause|recovery/;
const TYPES = [
  'application/scim+json',
  'application/json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'application/json; charset=x',
  'multipart/form-data',
  '',
] as const;
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

/** The attempt at this place: always the same of one seed, so that a finding can be sent again alone. */
export function makeAttempt(pool: Pool, index: number): Attempt {
  const random = createSeededRandom(pool.seed * 1_000_003 + index);
  if (random.chance(0.02)) {
    const text = mutateBroken(random);
    return {
      title: JSON.stringify(text.slice(0, 60)),
      path: '',
      bytes: Buffer.from(text),
      isHead: true,
      cutAfter: text.length,
    };
  }
  const method = random.pick(METHODS);
  const path = makeAddress(random, pool);
  const hasBody = method !== 'GET' && method !== 'HEAD' ? random.chance(0.9) : random.chance(0.03);
  const body = hasBody ? makeBody({ ...pool, random }) : undefined;
  const bytes = toBytes(random, {
    method,
    path,
    credential: makeCredential(random, pool, path),
    body,
  });
  return {
    title: `${method} ${path.slice(0, 120)}`,
    path,
    bytes,
    isHead: method === 'HEAD',
    ...(random.chance(0.01) && { cutAfter: Math.floor(random.next() * bytes.length) }),
    ...(random.chance(0.02) &&
      bytes.length < 4_000 && { piece: 1 + Math.floor(random.next() * 40) }),
  };
}

function mutateBroken(random: SeededRandom): string {
  const text = random.pick(BROKEN);
  return random.chance(0.5) ? text : mutateText(random, text);
}

function makeAddress(random: SeededRandom, pool: Pool): string {
  const path = makePathname(random, pool);
  const query = random.chance(0.4) ? `?${makeQuery(random)}` : '';
  const address = `${path}${query}`;
  if (random.chance(0.01)) return `${address}${'x'.repeat(60_000)}`;
  // Only what a request line can hold; what it cannot is among the broken ones.
  return toWire(random.chance(0.05) ? mutateText(random, address) : address);
}

function makePathname(random: SeededRandom, { ids }: Pool): string {
  const kind = Math.floor(random.next() * 10);
  if (kind < 3) return `/scim/v2${random.pick(SCIM)}`;
  if (kind < 6)
    return `/scim/v2/${random.pick(['Users', 'Groups'])}/${random.chance(0.8) ? random.pick(ids) : makeRubbish(random)}`;
  if (kind === 6)
    return `/scim/v2/${random.pick(['Users', 'Groups', 'Schemas', makeRubbish(random)])}/${makeRubbish(random)}`;
  if (kind === 7) return random.pick(OTHERS);
  const { path } = random.pick(opsRoutes.filter((route) => !HARMFUL.test(route.path)));
  return `/ops${path.replace(/\{\w+\}/g, () => (random.chance(0.7) ? random.pick(ids) : makeRubbish(random)))}`;
}

function makeQuery(random: SeededRandom): string {
  const names = [
    'filter',
    'sortBy',
    'sortOrder',
    'startIndex',
    'count',
    'attributes',
    'excludedAttributes',
    'cursor',
    'q',
    'limit',
    'kind',
    makeRubbish(random),
  ];
  return Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => {
    const name = random.pick(names);
    const value =
      name === 'filter'
        ? makeFilter(random)
        : random.pick([makePath(random), makeRubbish(random), '1', '-5']);
    return `${name}=${random.chance(0.9) ? encodeText(value) : value}`;
  }).join('&');
}

/** Lone surrogates cannot be encoded; they come as rubbish bytes instead. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function toWire(address: string): string {
  return address
    .toWellFormed()
    .replaceAll('\u0000', '%00')
    .replace(/\s/g, (character) => encodeURIComponent(character));
}

function makeCredential(
  random: SeededRandom,
  { scimToken, opsToken }: Pool,
  path: string,
): string | undefined {
  const kind = Math.floor(random.next() * 100);
  if (kind === 0) return undefined;
  if (kind === 1) return `Bearer ${encodeText(makeRubbish(random))}`;
  if (kind === 2) return `Basic ${Buffer.from(`${makeRubbish(random)}:x`).toString('base64')}`;
  const isOps = path.startsWith('/ops') || path.startsWith('/metrics');
  return `Bearer ${isOps === kind < 98 ? opsToken : scimToken}`;
}

interface Message {
  readonly method: string;
  readonly path: string;
  readonly credential: string | undefined;
  readonly body: Buffer | undefined;
}

function toBytes(random: SeededRandom, { method, path, credential, body }: Message): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: bridge',
    ...(credential === undefined ? [] : [`Authorization: ${credential}`]),
    ...makeHeaders(random),
    ...(body === undefined
      ? []
      : [
          `Content-Type: ${random.chance(0.9) ? random.pick(TYPES.slice(0, 2)) : random.pick(TYPES)}`,
        ]),
  ];
  if (body === undefined) return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
  if (random.chance(0.1)) {
    const start = `${head.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`;
    return Buffer.concat([
      Buffer.from(start),
      body,
      Buffer.from(`\r\n${body.length === 0 ? '' : '0\r\n\r\n'}`),
    ]);
  }
  return Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`),
    body,
  ]);
}

function makeHeaders(random: SeededRandom): string[] {
  const headers: string[] = [];
  const value = () =>
    makeRubbish(random)
      .replace(/[^\x20-\x7e]/g, '?')
      .slice(0, 500);
  if (random.chance(0.1))
    headers.push(`If-Match: ${random.pick(['*', 'W/"1"', '"1"', 'W/"', value()])}`);
  if (random.chance(0.1)) headers.push(`If-None-Match: ${random.pick(['*', 'W/"1"', value()])}`);
  if (random.chance(0.02))
    headers.push(`Content-Encoding: ${random.pick(['gzip', 'br', 'zstd', 'x', 'gzip, gzip'])}`);
  if (random.chance(0.02)) headers.push(`Expect: ${random.pick(['100-continue', '200-ok'])}`);
  if (random.chance(0.02)) headers.push(`X-Request-Id: ${value()}`);
  if (random.chance(0.02)) headers.push(`Accept: ${value()}`, `Accept-Encoding: ${value()}`);
  if (random.chance(0.01)) headers.push(`Upgrade: websocket`, 'Connection: upgrade');
  if (random.chance(0.005)) headers.push(`X-Large: ${'x'.repeat(50_000)}`);
  if (random.chance(0.005))
    headers.push(...Array.from({ length: 500 }, (_, index) => `X-${index}: 1`));
  return headers;
}
