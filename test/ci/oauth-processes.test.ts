import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { createSetClock } from '../support/set-clock.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const FORM = 'application/x-www-form-urlencoded';

interface TestClient {
  readonly id: string;
  readonly secret: string;
  readonly secretId: string;
}

/** Makes a client below `/ops`, or gives it a second secret. */
async function makeClient(bridge: TestBridge, name: string, verb = ''): Promise<TestClient> {
  const body = verb === '' ? { name } : {};
  const answer = await askOps(bridge, 'POST', `/clients${verb}`, body);
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

/** Asks for an access token with any form and any headers. */
async function post(
  bridge: TestBridge,
  form: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TokenAnswer> {
  const answer = await request(new URL('/oauth/token', bridge.baseUrl), {
    method: 'POST',
    headers: { 'content-type': FORM, ...headers },
    body: form,
  });
  const body = Object(await answer.body.json());
  return { status: answer.statusCode, headers: answer.headers, body };
}

/** Asks for an access token as `client_secret_post` has it. */
function fetchToken(
  bridge: TestBridge,
  { id, secret }: TestClient,
  more = '',
): Promise<TokenAnswer> {
  const client = new URLSearchParams({ client_id: id, client_secret: secret });
  return post(bridge, `grant_type=client_credentials&${client}${more}`);
}

async function getToken(bridge: TestBridge, client: TestClient): Promise<string> {
  const { status, body } = await fetchToken(bridge, client);
  expect(status).toBe(200);
  return String(body.access_token);
}

async function ask(bridge: TestBridge, token: string) {
  return bridge.request('GET', '/Users', undefined, { authorization: `Bearer ${token}` });
}

describePostgres('OAuth of two processes on one store', ({ makeUrl }) => {
  test('a token from here opens there, and ends there within five seconds of its client', async () => {
    const clock = createSetClock();
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeUrl('migrated') };
    await withTestBridge({ service, settings, clock }, (here) =>
      withTestBridge({ service, settings, clock }, async (there) => {
        const client = await makeClient(here, 'entra');
        const token = await getToken(there, client);
        expect((await ask(here, token)).status).toBe(200);
        expect((await ask(there, token)).status).toBe(200);
        await askOps(here, 'POST', '/clients/entra/revoke');
        expect((await ask(here, token)).status).toBe(401);
        expect((await fetchToken(there, client)).status).toBe(401);
        clock.state.aheadMs = 5_000;
        expect((await ask(there, token)).status).toBe(401);
      }),
    );
  });
});
