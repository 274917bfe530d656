import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { freePort } from '../support/free-port.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { passOn, serve } from '../support/local-server.ts';
import { spawnBin } from '../support/process.ts';
import { toUser } from '../support/provider.ts';

async function makeService() {
  const sandbox = await forTest(startSandbox());
  const valid = new Set(['service-1']);
  const seen: string[] = [];
  const { url } = await forTest(
    serve(async (req, res) => {
      const token = (req.headers.authorization ?? '').replace('Bearer ', '');
      const sent = await buffer(req);
      if (!valid.has(token)) return res.writeHead(401).end('{"message":"no"}');
      seen.push(token);
      const headers = { ...req.headers, authorization: `Bearer ${sandbox.token}` };
      const asked = { ...(req.method && { method: req.method }), headers };
      const { status, text } = await passOn(asked, `${sandbox.url}${req.url}`, sent);
      return res.writeHead(status, { 'content-type': 'application/json' }).end(text);
    }),
  );
  return { url, valid, seen, sandbox };
}

async function serveWithFiles(secrets: Readonly<Record<string, string>>, upstream: string) {
  const folder = makeFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);
  for (const [name, text] of Object.entries(secrets)) write(name, text);
  const port = await freePort();
  const bridge = spawnBin(['serve'], {
    UPSTREAM_URL: upstream,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    SWEEP_INTERVAL: '0',
    AUDIT_POLL_INTERVAL: '0',
    DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
    PORT: String(port),
    ...Object.fromEntries(Object.keys(secrets).map((name) => [`${name}_FILE`, join(folder, name)])),
  });
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string, token: string, body?: object) => {
    const answer = await request(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    await answer.body.dump();
    return answer.statusCode;
  };
  const isReady = async () =>
    (await ask('/scim/v2/Users?count=1', 'provider-token-1').catch(() => 0)) === 200;
  await expect.poll(isReady).toBe(true);
  return { ...bridge, ask, write };
}

const SECRETS = {
  UPSTREAM_TOKEN: 'service-1',
  SCIM_TOKENS: 'provider-token-1',
  OPS_TOKEN: 'operators-token-1',
};

test('tokens of the service, of providers and of operators are rotated under load, and no request is refused', async () => {
  const service = await makeService();
  const { ask, write, child, out } = await serveWithFiles(SECRETS, service.url);
  const told = (count: number) =>
    expect.poll(() => out.text.split('secrets were read again and hold').length - 1).toBe(count);
  const statuses = new Map<string, number>();
  const note = (what: string, status: number) =>
    statuses.set(`${what} ${status}`, (statuses.get(`${what} ${status}`) ?? 0) + 1);
  let token = 'provider-token-1';
  let isOver = false;
  let count = 0;
  const provide = async () => {
    while (!isOver) {
      count += 1;
      note('create', await ask('/scim/v2/Users', token, toUser(`user${count}`)));
      note('read', await ask('/scim/v2/Users?count=5', token));
    }
  };
  const load = [provide(), provide(), provide(), provide()];
  await expect.poll(() => count).toBeGreaterThan(20);

  write('SCIM_TOKENS', 'provider-token-1,provider-token-2');
  await told(1);
  token = 'provider-token-2';
  service.valid.add('service-2');
  write('UPSTREAM_TOKEN', 'service-2');
  child.kill('SIGHUP');
  await told(2);
  await expect.poll(() => service.seen.at(-1)).toBe('service-2');
  service.valid.delete('service-1');
  write('OPS_TOKEN', 'operators-token-2');
  child.kill('SIGHUP');
  await told(3);
  write('SCIM_TOKENS', 'provider-token-2');
  child.kill('SIGHUP');
  await told(4);
  const before = count;
  await expect.poll(() => count).toBeGreaterThan(before + 20);
  isOver = true;
  await Promise.all(load);

  expect([...statuses.keys()].toSorted()).toEqual(['create 201', 'read 200']);
  expect(await ask('/scim/v2/Users?count=1', 'provider-token-1')).toBe(401);
  expect(await ask('/ops/status', 'operators-token-1')).toBe(401);
  expect(await ask('/ops/status', 'operators-token-2')).toBe(200);
  expect(out.text).not.toMatch(/provider-token-2|operators-token-2|service-2/);
});

test('a token that the service refuses stops calls, and a new one in its file lets them go on at once', async () => {
  const service = await makeService();
  const { ask, write, child } = await serveWithFiles(SECRETS, service.url);
  service.valid.clear();
  await ask('/scim/v2/Users', 'provider-token-1', toUser('ada'));
  service.valid.add('service-2');
  write('UPSTREAM_TOKEN', 'service-2');
  child.kill('SIGHUP');
  const names = () => service.sandbox.service.users().map(({ email }) => email);

  // Probes of a refused token are ten seconds apart and more.
  await expect.poll(names, { timeout: 8_000, interval: 20 }).toContain('ada@example.com');
});

test('secrets that cannot be used leave those of before, and a setting that needs a restart is told', async () => {
  const { ask, write, child, out } = await serveWithFiles(SECRETS, (await makeService()).url);
  write('OPS_TOKEN', 'short');
  child.kill('SIGHUP');
  await expect.poll(() => out.text).toContain('secrets that were read again cannot be used');

  expect(await ask('/ops/status', 'operators-token-1')).toBe(200);
  expect(out.text).toContain('ops.token is (hidden)');
});
