import { request } from 'undici';
import { expect } from 'vitest';
import type { TestBridge } from './bridge.ts';

/** Makes a token below `/ops`. */
export async function makeToken(bridge: TestBridge, wish: { [name: string]: string }) {
  const { status, body } = await bridge.ops('POST', '/tokens', wish);
  expect(status).toBe(201);
  return { id: String(body.id), text: String(body.token) };
}

/** Makes an OAuth client below `/ops`, or gives it a second secret. */
export async function makeClient(bridge: TestBridge, name: string, verb = '') {
  const { status, body } = await bridge.ops('POST', `/clients${verb}`, verb === '' ? { name } : {});
  expect(status).toBe(201);
  const secretId = String(Object([body.secrets].flat().at(-1)).id);
  return { id: String(body.id), secret: String(body.secret), secretId };
}

/** An answer to a request for an access token. */
export type TokenAnswer = Awaited<ReturnType<typeof postTokenForm>>;

/** Asks for an access token with this form. */
export async function postTokenForm({ baseUrl }: { baseUrl: string }, form: object, headers = {}) {
  const fields = new URLSearchParams({ grant_type: 'client_credentials', ...form });
  const answer = await request(new URL('/oauth/token', baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: fields.toString(),
  });
  const body: Readonly<Record<string, unknown>> = Object(await answer.body.json());
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** Asks for an access token as `client_secret_post` has it. */
export function fetchToken(bridge: TestBridge, { id, secret }: { id: string; secret: string }) {
  return postTokenForm(bridge, { client_id: id, client_secret: secret });
}

/** An access token for a client that gets one. */
export async function getToken(bridge: TestBridge, client: { id: string; secret: string }) {
  const { status, body } = await fetchToken(bridge, client);
  expect(status).toBe(200);
  return String(body.access_token);
}

/** Asks for users with this token. */
export function askWith(bridge: TestBridge, token: unknown) {
  return bridge.request('GET', '/Users', undefined, { authorization: `Bearer ${token}` });
}
