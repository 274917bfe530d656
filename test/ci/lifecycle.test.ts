import { request } from 'undici';
import { expect, type TestContext, test } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { toUser } from '../support/provider.ts';
import { sendRaw, toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';

const token = 'token-of-a-provider';

async function startService(
  { onTestFinished }: TestContext,
  options?: SandboxOptions,
): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

/** Settings of a bridge with a service of its own and no limit of the rate. */
function toEnv({ url, token: upstreamToken }: { url: string; token: string }) {
  return {
    UPSTREAM_URL: url,
    UPSTREAM_TOKEN: upstreamToken,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    SCIM_TOKENS: token,
  };
}

async function start(
  context: TestContext,
  folder: string,
  env: Record<string, string> = {},
): Promise<BridgeProcess> {
  const bridge = await startBridge({ folder, env });
  context.onTestFinished(() => bridge.kill());
  return bridge;
}

async function readStatus(bridge: BridgeProcess, path: '/healthz' | '/readyz'): Promise<number> {
  const { statusCode, body } = await request(new URL(path, bridge.baseUrl));
  await body.dump();
  return statusCode;
}

test.concurrent('with nothing configured it prints an address and a token; both work, and survive a restart with the data', async (context) => {
  const folder = makeFolder(context);
  const first = await start(context, folder);
  await first.ready();
  const created = await toRequester(first).request('POST', '/Users', toUser('ada'));
  const exitCode = await first.stop();

  const second = await start(context, folder);
  await second.ready();
  const read = await sendRaw(second, { method: 'GET', path: `/Users/${String(created.body.id)}` });
  const again = await toRequester(second).request('POST', '/Users', toUser('ada'));

  expect(created.status).toBe(201);
  expect(exitCode).toBe(0);
  expect(second.token).toBe(first.token);
  expect(first.output()).toContain('curl');
  expect(read).toMatchObject({ status: 200, body: { userName: 'ada@example.com' } });
  expect(again.status).toBe(409);
  expect(await readStatus(second, '/healthz')).toBe(200);
  expect(await second.stop()).toBe(0);
});

test.concurrent('SIGTERM lets the requests that run finish, takes no new ones, and ends with 0; what was said tells no token and no address', async (context) => {
  const sandbox = await startService(context);
  const folder = makeFolder(context);
  const bridge = await start(context, folder, { ...toEnv(sandbox), LOG_LEVEL: 'trace' });
  await bridge.ready();
  const slow = sandbox.faults.add({ operation: 'scim.addUser', fault: { kind: 'hang' } });
  const running = toRequester(bridge).request('POST', '/Users', toUser('ada'));
  await slow.until(1);

  const stopped = bridge.stop();
  await context.expect.poll(() => isListening(bridge)).toBe(false);
  slow.remove();
  sandbox.faults.release();

  expect(await running).toMatchObject({ status: 201, body: { userName: 'ada@example.com' } });
  expect(await stopped).toBe(0);
  expect(sandbox.service.getUser('ada@example.com').fullName).toBe('Ada Example');
  expect(bridge.output()).toContain('SCIM base URL');
  for (const secret of [token, sandbox.token, 'ada@example.com'])
    expect(bridge.output()).not.toContain(secret);
});

test.concurrent('a restart serves at once, also while the service does not answer, and asks only who it is', async (context) => {
  const sandbox = await startService(context, { seed: { users: 5, groups: 2 } });
  const folder = makeFolder(context);
  const first = await start(context, folder, toEnv(sandbox));
  await first.ready();
  await first.stop();
  sandbox.calls.reset();
  const operation = 'users.retrieveCurrentUser';
  const asked = sandbox.faults.add({ operation, fault: { kind: 'hang' } });

  const second = await start(context, folder, toEnv(sandbox));
  const { body } = await sendRaw(second, { method: 'GET', path: '/Users' });

  expect(body.totalResults).toBe(6);
  await asked.until(1);
  expect(sandbox.calls.count()).toBe(0);
});

test.concurrent('a service that is down at the start is waited for', async (context) => {
  const port = await freePort();
  const upstreamToken = 'token-of-the-service';
  const folder = makeFolder(context);
  const env = toEnv({ url: `http://127.0.0.1:${port}`, token: upstreamToken });
  const bridge = await start(context, folder, env);
  const whileDown = [await readStatus(bridge, '/healthz'), await readStatus(bridge, '/readyz')];
  const refused = await sendRaw(bridge, { method: 'GET', path: '/Users' });

  await startService(context, { port, token: upstreamToken });
  await bridge.ready();

  expect(whileDown).toEqual([200, 503]);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await sendRaw(bridge, { method: 'GET', path: '/Users' })).body.totalResults).toBe(1);
});

async function isListening(bridge: BridgeProcess): Promise<boolean> {
  try {
    await readStatus(bridge, '/healthz');
    return true;
  } catch {
    return false;
  }
}
