import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { HANGING } from '../support/faults.ts';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { toUser } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import { startBridge } from '../support/server.ts';
import type { Life } from '../support/site.ts';
import { openSite, readReady } from '../support/site.ts';

const readHealth = async ({ request, baseUrl }: Pick<Life, 'request' | 'baseUrl'>) =>
  (await request('GET', new URL('/healthz', baseUrl).href)).status;

test.concurrent('with nothing configured it prints an address and a token; both work, and survive a restart with the data', async (context) => {
  const folder = makeFolder(context);
  const start = async () => {
    const bridge = await startBridge({ folder });
    context.onTestFinished(() => bridge.kill());
    await bridge.ready();
    return { ...toRequester(bridge), ...bridge };
  };
  const first = await start();
  const created = await first.request('POST', '/Users', toUser('ada'));
  const exitCode = await first.stop();

  const second = await start();
  const read = await second.request('GET', `/Users/${String(created.body.id)}`);
  const again = await second.request('POST', '/Users', toUser('ada'));

  expect(created.status).toBe(201);
  expect(exitCode).toBe(0);
  expect(second.token).toBe(first.token);
  expect(first.output()).toContain('curl');
  expect(read).toMatchObject({ status: 200, body: { userName: 'ada@example.com' } });
  expect(again.status).toBe(409);
  expect(await readHealth(second)).toBe(200);
  expect(await second.stop()).toBe(0);
});

test.concurrent('SIGTERM lets the requests that run finish, takes no new ones, and ends with 0; what was said tells no token and no address', async (context) => {
  const { sandbox, start } = await openSite({ test: context, env: { LOG_LEVEL: 'trace' } });
  const bridge = await start();
  const slow = sandbox.faults.add({ operation: 'scim.addUser', fault: HANGING });
  const running = bridge.request('POST', '/Users', toUser('ada'));
  await slow.until(1);

  const stopped = bridge.stop();
  await context.expect
    .poll(() => readHealth(bridge).catch(() => 'no one listens'))
    .toBe('no one listens');
  slow.remove();
  sandbox.faults.release();

  expect(await running).toMatchObject({ status: 201, body: { userName: 'ada@example.com' } });
  expect(await stopped).toBe(0);
  expect(sandbox.service.getUser('ada@example.com').fullName).toBe('Ada Example');
  expect(bridge.output()).toContain('SCIM base URL');
  for (const secret of [bridge.token, sandbox.token, 'ada@example.com'])
    expect(bridge.output()).not.toContain(secret);
});

test.concurrent('a restart serves at once, also while the service does not answer, and asks only who it is', async (context) => {
  const seed = { users: 5, groups: 2 };
  const { sandbox, start, launch } = await openSite({ test: context, sandbox: { seed } });
  await (await start()).stop();
  sandbox.calls.reset();
  const operation = 'users.retrieveCurrentUser';
  const asked = sandbox.faults.add({ operation, fault: HANGING });

  const { body } = await (await launch()).request('GET', '/Users');

  expect(body.totalResults).toBe(6);
  await asked.until(1);
  expect(sandbox.calls.count()).toBe(0);
});

test.concurrent('a service that is down at the start is waited for', async (context) => {
  const port = await freePort();
  const token = 'token-of-the-service';
  const env = { UPSTREAM_URL: `http://127.0.0.1:${port}`, UPSTREAM_TOKEN: token };
  const bridge = await (await openSite({ test: context, env })).launch();
  const whileDown = [await readHealth(bridge), (await readReady(bridge)).status];
  const refused = await bridge.request('GET', '/Users');

  const sandbox = await startSandbox({ port, token });
  context.onTestFinished(() => sandbox.stop());
  await bridge.ready();

  expect(whileDown).toEqual([200, 503]);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await bridge.request('GET', '/Users')).body.totalResults).toBe(1);
});

test.concurrent('a start logs how far it is from the file of providers and tokens, or what is wrong with it', async (context) => {
  const { folder, start } = await openSite({ test: context });
  const CONFIG = join(folder, 'settings.yaml');
  writeFileSync(CONFIG, '');
  const startWith = async (content: string) => {
    writeFileSync(join(folder, 'providers.yaml'), content);
    const bridge = await start({ CONFIG });
    await bridge.stop();
    return bridge.output();
  };

  const differing = await startWith('providers: [{ name: okta }, { name: entra }]');
  expect(differing).toMatch(/"command":"scim-bridge provider plan","changes":2/);
  const wrong = await startWith('tokens: [{ name: okta, secretFile: gone }]');
  expect(wrong).toMatch(/"problem":"[^"]+ tokens entry 1 secretFile: cannot be read/);
});
