import { expect } from 'vitest';
import type { JsonValue } from '../../src/domain/values.ts';
import type { TestBridge } from './bridge.ts';
import { postTokenForm } from './credentials.ts';
import type { TestIssuer } from './issuer.ts';
import { toClaims } from './issuer.ts';

/** The kind of assertion that there is. */
export const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** Audience and app as Entra names them. */
export const AUDIENCE = 'api://b5ba7a93-4452-4522-aeb4-a2b5da870c16';
export const APP = 'b5ba7a93-4452-4522-aeb4-a2b5da870c16';

/** Issuers of tests are on loopback, without TLS. */
export const SETTINGS = {
  OAUTH_KEY_HOSTS: '127.0.0.1',
  OAUTH_PRIVATE_ADDRESSES: 'allow',
  ACCESS_FAILED_DELAY_MAX: '0',
};

/** What the provider sends: an app id, and a subject. */
export const WHO = { appid: APP, sub: 'd2f8ee76-c549-45b8-a143-f5b640669704' };

/** Makes a client that trusts an issuer. */
export async function makeClient(
  bridge: TestBridge,
  issuer: TestIssuer,
  more: Readonly<Record<string, JsonValue>> = {},
  name = 'entra',
): Promise<string> {
  const trust = { issuer: issuer.url, audiences: [AUDIENCE], claims: { appid: [APP] }, ...more };
  const { status, body } = await bridge.ops('POST', '/clients', { name, trust });
  expect(status, JSON.stringify(body)).toBe(201);
  return String(body.id);
}

/** Asks as Entra's provisioning service does. */
export function present(bridge: TestBridge, id: string | undefined, assertion: string) {
  const client = id === undefined ? {} : { client_id: id };
  const proof = { client_assertion_type: TYPE, client_assertion: assertion };
  return postTokenForm(bridge, { ...client, ...proof, scope: 'scim' });
}

/** Claims that the client of `makeClient` is proven by. */
export function toRight(issuer: TestIssuer, now = Date.now()) {
  return toClaims(now, { iss: issuer.url, aud: AUDIENCE, ...WHO });
}

/** Presents a right assertion. */
export async function presentRight(bridge: TestBridge, id: string, issuer: TestIssuer) {
  return present(bridge, id, await issuer.sign(toRight(issuer)));
}

/** The same value as JSON has it. */
export function toJson(value: object): Record<string, JsonValue> {
  return JSON.parse(JSON.stringify(value));
}
