import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { forTest } from '../support/lifetimes.ts';
import { passOn, serve } from '../support/local-server.ts';
import { toUser } from '../support/provider.ts';
import { openSite } from '../support/site.ts';

const SECRETS = {
  UPSTREAM_TOKEN: 'service-1',
  SCIM_TOKENS: 'provider-token-1',
  OPS_TOKEN: 'operators-token-1',
};

/** A bridge whose secrets are in files, and a service that takes the tokens of a list. */
async function serveWithFiles() {
  const { sandbox, folder, start } = await openSite();
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
  const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);
  for (const [name, text] of Object.entries(SECRETS)) write(name, text);
  const files = Object.keys(SECRETS).map((name) => ({
    [name]: '',
    [`${name}_FILE`]: join(folder, name),
  }));
  const quiet = { UPSTREAM_URL: url, SWEEP_INTERVAL: '0', AUDIT_POLL_INTERVAL: '0' };
  const { baseUrl, output, pid, request } = await start(Object.assign(quiet, ...files));
  const ask = async (path: string, token: string, body?: JsonObject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const authorization = `Bearer ${token}`;
    return (await request(method, new URL(path, baseUrl).href, body, { authorization })).status;
  };
  return { sandbox, valid, seen, ask, write, output, hangUp: () => process.kill(pid, 'SIGHUP') };
}

test('tokens of the service, of providers and of operators are rotated under load, and no request is refused', async () => {
  const { ask, write, hangUp, output, valid, seen } = await serveWithFiles();
  const told = (count: number) =>
    expect.poll(() => output().split('secrets were read again and hold').length - 1).toBe(count);
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
  valid.add('service-2');
  write('UPSTREAM_TOKEN', 'service-2');
  hangUp();
  await told(2);
  await expect.poll(() => seen.at(-1)).toBe('service-2');
  valid.delete('service-1');
  write('OPS_TOKEN', 'operators-token-2');
  hangUp();
  await told(3);
  write('OPS_TOKEN', 'short');
  write('SCIM_TOKENS', 'provider-token-2');
  hangUp();
  await told(4);
  const before = count;
  await expect.poll(() => count).toBeGreaterThan(before + 20);
  isOver = true;
  await Promise.all(load);

  expect([...statuses.keys()].toSorted()).toEqual(['create 201', 'read 200']);
  expect(await ask('/scim/v2/Users?count=1', 'provider-token-1')).toBe(401);
  expect(await ask('/ops/status', 'operators-token-1')).toBe(401);
  expect(await ask('/ops/status', 'operators-token-2')).toBe(200);
  expect(output()).toContain('ops.token is (hidden)');
  expect(output()).not.toMatch(/provider-token-2|operators-token-2|service-2/);
});

test('a token that the service refuses stops calls, and a new one in its file lets them go on at once', async () => {
  const { ask, write, hangUp, valid, sandbox } = await serveWithFiles();
  valid.clear();
  await ask('/scim/v2/Users', 'provider-token-1', toUser('ada'));
  valid.add('service-2');
  write('UPSTREAM_TOKEN', 'service-2');
  hangUp();
  const names = () => sandbox.service.users().map(({ email }) => email);

  // Probes of a refused token are ten seconds apart and more.
  await expect.poll(names, { timeout: 8_000, interval: 20 }).toContain('ada@example.com');
});
