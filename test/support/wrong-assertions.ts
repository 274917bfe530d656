import { createHmac } from 'node:crypto';
import { UnsecuredJWT } from 'jose';
import { expect } from 'vitest';
import { APP, AUDIENCE, present, toJson, toRight } from './assertions.ts';
import type { TestBridge } from './bridge.ts';
import type { TestIssuer, TestKey } from './issuer.ts';
import { makeKey, signText, toClaims } from './issuer.ts';

/** An assertion that may not be taken. */
export interface Wrong {
  readonly assertion: () => string | Promise<string>;
  readonly client?: string | null;
  readonly type?: string;
}

/** Every wrong assertion, each wrong in one way, by what is wrong; `id` is a client that trusts the issuer. */
export async function listWrong(bridge: TestBridge, issuer: TestIssuer, id: string) {
  return Object.entries<Wrong>({
    ...listWrongClaims(issuer),
    ...(await listWrongHeaders(issuer)),
    ...listWrongTexts(issuer),
    ...(await listWrongClients(bridge, issuer, id)),
  });
}

/** Assertions that are right but for these claims; undefined takes one away. */
function listWrongClaims(issuer: TestIssuer): Record<string, Wrong> {
  const now = Math.floor(Date.now() / 1_000);
  const changes = {
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
    'no end': { exp: undefined },
    'an end that was a minute ago': { iat: now - 300, nbf: now - 300, exp: now - 60 },
    'a validity of six minutes': { exp: now + 360 },
    'a beginning in two minutes': { nbf: now + 120, exp: now + 300 },
    'made in two minutes': { iat: now + 120, nbf: undefined, exp: now + 300 },
  };
  const rows = Object.entries(changes).map(([why, change]): [string, Wrong] => [
    why,
    { assertion: () => issuer.sign({ ...toRight(issuer), ...change }) },
  ]);
  return Object.fromEntries(rows);
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function listWrongHeaders(issuer: TestIssuer): Promise<Record<string, Wrong>> {
  const [key, rsa, encrypting] = issuer.keys;
  if (!key || !rsa || !encrypting) throw new Error('the issuer has no keys');
  const stranger = await makeKey('first');
  const sign = (by: TestKey, header?: object) => ({
    assertion: () => signText(JSON.stringify(toRight(issuer)), by, header),
  });
  const unsigned = `${encode({ alg: 'HS256', kid: key.kid })}.${encode(toRight(issuer))}`;
  const hmac = createHmac('sha256', JSON.stringify(key.shown)).update(unsigned);
  const known = { 'http://example.com/known': true, crit: ['http://example.com/known'] };
  const otherwise = swap(await sign(rsa).assertion(), { alg: 'PS256' });
  return {
    'no signature': { assertion: () => new UnsecuredJWT(toRight(issuer)).encode() },
    'the public key as a shared secret': {
      assertion: () => `${unsigned}.${hmac.digest('base64url')}`,
    },
    'a key of a stranger under the id of a right one': sign(stranger),
    'a key of a stranger in the header': sign(stranger, { jwk: stranger.shown }),
    'an unknown key': sign({ ...stranger, kid: 'unknown' }),
    'the id of a key of another kind': sign(key, { kid: rsa.kid }),
    'another algorithm of the same key': { assertion: () => otherwise },
    'a critical extension': sign(key, known),
    'an access token': sign(key, { typ: 'at+jwt' }),
    'a key for encrypting': sign(encrypting),
  };
}

function swap(assertion: string, change: object): string {
  const [header = '', ...rest] = assertion.split('.');
  const before = JSON.parse(Buffer.from(header, 'base64url').toString());
  return [encode({ ...before, ...change }), ...rest].join('.');
}

function listWrongTexts(issuer: TestIssuer): Record<string, Wrong> {
  const change = (turn: (head: string, body: string, signature: string) => string[]) => ({
    async assertion() {
      const [head = '', body = '', signature = ''] = (await issuer.sign(toRight(issuer))).split(
        '.',
      );
      return turn(head, body, signature).join('.');
    },
  });
  // The last letter has bits that mean nothing.
  const turnFirst = (text: string) => `${text.startsWith('A') ? 'B' : 'A'}${text.slice(1)}`;
  const [key] = issuer.keys;
  return {
    'two parts': change((head, body) => [head, body]),
    'an empty signature': change((head, body) => [head, body, '']),
    'a changed signature': change((head, body, signature) => [head, body, turnFirst(signature)]),
    'a changed payload': change((head, _, signature) => [head, encode(toRight(issuer)), signature]),
    'a payload that is no JSON': { assertion: () => (key ? signText('x', key) : '') },
    'more text than is taken': {
      assertion: () => issuer.sign({ ...toRight(issuer), x: 'y'.repeat(9_500) }),
    },
  };
}

async function listWrongClients(bridge: TestBridge, issuer: TestIssuer, id: string) {
  const make = async (body: object) =>
    String((await bridge.ops('POST', '/clients', toJson(body))).body.id);
  const trust = { issuer: issuer.url, audiences: [AUDIENCE], claims: { appid: [APP] } };
  const revoked = await make({ name: 'gone', trust });
  await bridge.ops('POST', '/clients/gone/revoke');
  const used = await issuer.sign(toRight(issuer));
  expect((await present(bridge, id, used)).status).toBe(200);
  const key = await makeKey('own');
  const own = await make({ name: 'own', trust: { jwks: { keys: [key.shown] } } });
  const aud = new URL('/oauth/token', bridge.baseUrl).href;
  const assertion = () => issuer.sign(toRight(issuer));
  const sign = (change: object) => () => {
    const claims = toClaims(Date.now(), { iss: own, sub: own, aud, ...change });
    return signText(JSON.stringify(claims), key);
  };
  return {
    'no type': { type: '', assertion },
    'one that was taken': { assertion: () => used },
    'no client, and a subject that is none': { client: null, assertion },
    'an unknown client': { client: 'client-0000000000000000', assertion },
    'a client that was revoked': { client: revoked, assertion },
    'a client with a secret': { client: await make({ name: 'secret' }), assertion },
    'a client that signs for itself': { client: own, assertion },
    'another client than its own': { client: id, assertion: sign({}) },
    'itself as another subject': { client: own, assertion: sign({ sub: id }) },
    'itself for the address of SCIM': {
      client: own,
      assertion: sign({ aud: aud.replace('/oauth/token', '/scim/v2') }),
    },
    'a subject that is another client': { client: null, assertion: sign({ sub: id }) },
  };
}
