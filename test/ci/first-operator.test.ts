import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { spawnBin } from '../support/process.ts';

async function start(more: Record<string, string> = {}) {
  const folder = makeFolder();
  const port = await freePort();
  const env = {
    ...{ DATABASE_URL: `sqlite:${folder}/bridge.db`, SANDBOX_FILE: `${folder}/sandbox.db` },
    ...{ SANDBOX_PORT: '0', PORT: `${port}`, ...more },
  };
  const serve = () => spawnBin(['serve'], env);
  const first = serve();
  await untilServing(port);
  const ask = (path: string, headers: Record<string, string>) =>
    request(`http://127.0.0.1:${port}${path}`, { headers });
  return { folder, port, env, serve, first, ask };
}

async function untilServing(port: number) {
  const isReady = async () => {
    const answer = await request(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode;
  };
  await expect.poll(isReady).toBe(200);
}

describe('the first operator without OPS_TOKEN and without a terminal', () => {
  test('is shown no token, and signs in once by the link in a file beside the store, which the log names', async () => {
    const { folder, port, serve, first, ask } = await start();
    const file = join(folder, 'bridge.db-sign-in');
    expect(first.out.text).toContain(`"file":"${file}"`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const link = readFileSync(file, 'utf8').trim();
    expect(first.out.text).not.toContain(new URL(link).search);
    await expect.poll(() => first.out.text).toContain('Try it:');
    expect(first.out.text).not.toMatch(/Operator token|OPS_COMMAND_TOKEN/);

    const wrong = await request(link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    expect(wrong.statusCode).toBe(403);
    const answers = await Promise.all([request(link), request(link), request(link)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([302, 403, 403]);
    const [cookie = ''] = answers.flatMap(({ headers }) => headers['set-cookie'] ?? []);
    const session = { cookie: cookie.split(';')[0] ?? '' };
    const acts = await ask('/ops/acts', session);
    const { items } = Object(await acts.body.json());
    const outcomes = items.map((item: object) => Object(item).outcome).toSorted();
    expect(outcomes).toEqual(['done', 'refused']);
    const signedIn = { act: 'sign in', credential: 'sign-in-link' };
    expect(items).toContainEqual(expect.objectContaining({ ...signedIn, outcome: 'done' }));

    first.child.kill('SIGTERM');
    await first.ended;
    const second = serve();
    await untilServing(port);
    await expect.poll(() => second.out.text).toContain('SCIM base URL');
    expect(second.out.text).not.toContain('bridge.db-sign-in');
    expect((await ask('/ops/status', session)).statusCode).toBe(200);
  });

  test('needs no link where a token of the settings or of the store lets somebody in', async () => {
    const { folder, first } = await start({ OPS_TOKEN: 'token-of-an-operator' });
    await expect.poll(() => first.out.text).toContain('SCIM base URL');
    expect(first.out.text).not.toContain('sign-in');
    expect(() => statSync(join(folder, 'bridge.db-sign-in'))).toThrow();
  });
});
