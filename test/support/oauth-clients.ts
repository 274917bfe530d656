import { request } from 'undici';
import { expect } from 'vitest';
import type { TestBridge } from './bridge.ts';

interface TestClient {
  readonly id: string;
  readonly secret: string;
  readonly secretId: string;
}

/** Makes a client below `/ops`, or gives it a second secret. */
export async function makeClient(bridge: TestBridge, name: string, verb = ''): Promise<TestClient> {
  const body = verb === '' ? { name } : {};
  const answer = await bridge.ops('POST', `/clients${verb}`, body);
  expect(answer.status).toBe(201);
  const secrets = Array.isArray(answer.body.secrets) ? answer.body.secrets : [];
  const secretId = String(Object(secrets.at(-1)).id);
  return { id: String(answer.body.id), secret: String(answer.body.secret), secretId };
}

interface TokenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks for an access token as `client_secret_post` has it. */
export async function fetchToken(
  bridge: TestBridge,
  { id, secret }: TestClient,
): Promise<TokenAnswer> {
  const grant = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const answer = await request(new URL('/oauth/token', bridge.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(grant).toString(),
  });
  const body = Object(await answer.body.json());
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** An access token for a client that gets one. */
export async function getToken(bridge: TestBridge, client: TestClient): Promise<string> {
  const { status, body } = await fetchToken(bridge, client);
  expect(status).toBe(200);
  return String(body.access_token);
}

/** Lists people with an access token. */
export async function askUsers(bridge: TestBridge, token: string) {
  return bridge.request('GET', '/Users', undefined, { authorization: `Bearer ${token}` });
}
