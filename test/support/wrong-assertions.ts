import { createHmac } from 'node:crypto';
import { UnsecuredJWT } from 'jose';
import { expect } from 'vitest';
import { APP, AUDIENCE, present, toJson, toRight } from './assertions.ts';
import type { TestBridge } from './bridge.ts';
import { makeKey, signText, type TestIssuer, type TestKey, toClaims } from './issuer.ts';

/** What wrong assertions are made of. */
export interface World {
  readonly issuer: TestIssuer;
  readonly id: string;
  readonly key: TestKey;
  readonly rsa: TestKey;
  readonly encrypting: TestKey;
  readonly stranger: TestKey;
  readonly own: { readonly id: string; readonly key: TestKey; readonly audience: string };
  readonly secretId: string;
  readonly revokedId: string;
  readonly used: string;
}

/** Makes the clients and keys that wrong assertions need. */
export async function makeWorld(
  bridge: TestBridge,
  issuer: TestIssuer,
  id: string,
): Promise<World> {
  const [key, rsa, encrypting] = issuer.keys;
  if (!key || !rsa || !encrypting) throw new Error('the issuer has no keys');
  const stranger = await makeKey('first');
  const ownKey = await makeKey('own');
  const make = async (body: object) =>
    String((await bridge.ops('POST', '/clients', toJson(body))).body.id);
  const trust = { issuer: issuer.url, audiences: [AUDIENCE], claims: { appid: [APP] } };
  const revokedId = await make({ name: 'gone', trust });
  await bridge.ops('POST', '/clients/gone/revoke');
  const used = await issuer.sign(toRight(issuer));
  expect((await present(bridge, id, used)).status).toBe(200);
  const ownId = await make({ name: 'own', trust: { jwks: { keys: [ownKey.shown] } } });
  const audience = new URL('/oauth/token', bridge.baseUrl).href;
  return {
    ...{ issuer, id, key, rsa, encrypting, stranger, revokedId, used },
    own: { id: ownId, key: ownKey, audience },
    secretId: await make({ name: 'secret' }),
  };
}

/** An assertion that may not be taken. */
export interface Wrong {
  readonly why: string;
  /** null: the request names no client. */
  readonly client?: string | null;
  readonly type?: string;
  readonly assertion: () => Promise<string>;
}

/** Every wrong assertion, each wrong in one way. */
export function listWrong(world: World): Wrong[] {
  return [
    ...listWrongClaims(world),
    ...listWrongTimes(world),
    ...listWrongHeaders(world),
    ...listWrongTexts(world),
    ...listWrongClients(world),
  ];
}

/** Assertions that are right but for these claims; undefined takes one away. */
function toRows(world: World, changes: Readonly<Record<string, object>>): Wrong[] {
  return Object.entries(changes).map(([why, change]) => ({
    why,
    assertion: () => world.issuer.sign({ ...toRight(world.issuer), ...change }),
  }));
}

function listWrongClaims(world: World): Wrong[] {
  const { issuer } = world;
  return toRows(world, {
    'no issuer': { iss: undefined },
    'another issuer': { iss: 'https://login.example.com' },
    'an issuer that only begins like it': { iss: `${issuer.url}.example.com` },
    'no audience': { aud: undefined },
    'another audience': { aud: 'api://another' },
    'an audience beside another': { aud: [AUDIENCE, 'api://another'] },
    'no claim of the app': { appid: undefined },
    'another app': { appid: '00000000-0000-0000-0000-000000000000' },
    'an app in a list': { appid: [APP] },
    'no id': { jti: undefined },
  });
}

function listWrongTimes(world: World): Wrong[] {
  const now = Math.floor(Date.now() / 1_000);
  return toRows(world, {
    'no end': { exp: undefined },
    'an end that was a minute ago': { iat: now - 300, nbf: now - 300, exp: now - 60 },
    'a validity of six minutes': { exp: now + 360 },
    'a beginning in two minutes': { nbf: now + 120, exp: now + 300 },
    'made in two minutes': { iat: now + 120, nbf: undefined, exp: now + 300 },
  });
}

/** Right claims, signed otherwise. */
function listWrongHeaders(world: World): Wrong[] {
  const { issuer, key, rsa, encrypting, stranger } = world;
  const sign = (by: TestKey, header?: object) => async () =>
    signText(JSON.stringify(toRight(issuer)), by, header);
  const unsigned =
    (header: object, toSignature = (_: string) => '') =>
    async () => {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const input = `${encode(header)}.${encode(toRight(issuer))}`;
      return `${input}.${toSignature(input)}`;
    };
  const hmac = (secret: string) => (input: string) =>
    createHmac('sha256', secret).update(input).digest('base64url');
  const known = { 'http://example.com/known': true, crit: ['http://example.com/known'] };
  return [
    { why: 'no signature', assertion: async () => new UnsecuredJWT(toRight(issuer)).encode() },
    {
      why: 'the public key as a shared secret',
      assertion: unsigned({ alg: 'HS256', kid: key.kid }, hmac(JSON.stringify(key.shown))),
    },
    { why: 'a key of a stranger under the id of a right one', assertion: sign(stranger) },
    {
      why: 'a key of a stranger in the header',
      assertion: sign(stranger, { jwk: stranger.shown }),
    },
    { why: 'an unknown key', assertion: sign({ ...stranger, kid: 'unknown' }) },
    { why: 'the id of a key of another kind', assertion: sign(key, { kid: rsa.kid }) },
    {
      why: 'another algorithm of the same key',
      assertion: async () => swap(await sign(rsa)(), { alg: 'PS256' }),
    },
    { why: 'a critical extension', assertion: sign(key, known) },
    { why: 'an access token', assertion: sign(key, { typ: 'at+jwt' }) },
    { why: 'a key for encrypting', assertion: sign(encrypting) },
  ];
}

/** Replaces a part of the header without signing again. */
function swap(assertion: string, change: object): string {
  const [header = '', ...rest] = assertion.split('.');
  const before = JSON.parse(Buffer.from(header, 'base64url').toString());
  const after = Buffer.from(JSON.stringify({ ...before, ...change })).toString('base64url');
  return [after, ...rest].join('.');
}

/** What is no assertion at all, or was changed. */
function listWrongTexts({ issuer, key }: World): Wrong[] {
  const right = () => issuer.sign(toRight(issuer));
  const change = (turn: (parts: string[]) => string[]) => async () =>
    turn((await right()).split('.')).join('.');
  const other = (await_: Promise<string>) => await_;
  return [
    { why: 'two parts', assertion: change((parts) => parts.slice(0, 2)) },
    {
      why: 'an empty signature',
      assertion: change(([header = '', body = '']) => [header, body, '']),
    },
    {
      why: 'a changed signature',
      assertion: change(([header = '', body = '', signature = '']) => [
        header,
        body,
        turnFirst(signature),
      ]),
    },
    {
      why: 'a changed payload',
      assertion: change(([header = '', , signature = '']) => [
        header,
        Buffer.from(JSON.stringify(toRight(issuer))).toString('base64url'),
        signature,
      ]),
    },
    { why: 'a payload that is no JSON', assertion: () => other(signText('x', key)) },
    {
      why: 'more text than is taken',
      assertion: () => issuer.sign({ ...toRight(issuer), x: 'y'.repeat(9_500) }),
    },
  ];
}

/** Another first letter; the last one has bits that mean nothing. */
function turnFirst(signature: string): string {
  return `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
}

/** Right assertions for the wrong client. */
function listWrongClients(world: World): Wrong[] {
  const { issuer, id, own, secretId, revokedId, used } = world;
  const right = () => issuer.sign(toRight(issuer));
  const sign = (change: object) => () => {
    const claims = { iss: own.id, sub: own.id, aud: own.audience, ...change };
    return signText(JSON.stringify(toClaims(Date.now(), claims)), own.key);
  };
  return [
    { why: 'no type', type: '', assertion: right },
    { why: 'one that was taken', assertion: async () => used },
    { why: 'no client, and a subject that is none', client: null, assertion: right },
    { why: 'an unknown client', client: 'client-0000000000000000', assertion: right },
    { why: 'a client that was revoked', client: revokedId, assertion: right },
    { why: 'a client with a secret', client: secretId, assertion: right },
    { why: 'a client that signs for itself', client: own.id, assertion: right },
    { why: 'another client than its own', client: id, assertion: sign({}) },
    { why: 'itself as another subject', client: own.id, assertion: sign({ sub: id }) },
    {
      why: 'itself for the address of SCIM',
      client: own.id,
      assertion: sign({ aud: own.audience.replace('/oauth/token', '/scim/v2') }),
    },
    { why: 'a subject that is another client', client: null, assertion: sign({ sub: id }) },
  ];
}
