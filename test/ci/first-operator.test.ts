import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../support/lifetimes.ts';
import { startBridge } from '../support/server.ts';

async function start(folder: string, env: Record<string, string> = {}) {
  const bridge = await startBridge({ folder, env: { SANDBOX_PORT: '0', ...env } });
  onTestFinished(() => bridge.kill());
  await bridge.ready();
  const ask = (path: string, headers: Record<string, string>) =>
    request(new URL(path, bridge.baseUrl), { headers });
  return { ...bridge, ask };
}

describe('the first operator without OPS_TOKEN and without a terminal', () => {
  test('is shown no token, and signs in once by the link in a file beside the store, which the log names', async () => {
    const folder = makeFolder();
    const first = await start(folder);
    const file = join(folder, 'bridge.db-sign-in');
    expect(first.output()).toContain(`"file":"${file}"`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const link = readFileSync(file, 'utf8').trim();
    expect(first.output()).not.toContain(new URL(link).search);
    await expect.poll(first.output).toContain('Try it:');
    expect(first.output()).not.toMatch(/Operator token|OPS_COMMAND_TOKEN/);

    const wrong = await request(link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')));
    expect(wrong.statusCode).toBe(403);
    const answers = await Promise.all([request(link), request(link), request(link)]);
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([302, 403, 403]);
    const [cookie = ''] = answers.flatMap(({ headers }) => headers['set-cookie'] ?? []);
    const session = { cookie: cookie.split(';')[0] ?? '' };
    const acts = await first.ask('/ops/acts', session);
    const { items } = Object(await acts.body.json());
    const outcomes = items.map((item: object) => Object(item).outcome).toSorted();
    expect(outcomes).toEqual(['done', 'refused']);
    const signedIn = { act: 'sign in', credential: 'sign-in-link' };
    expect(items).toContainEqual(expect.objectContaining({ ...signedIn, outcome: 'done' }));

    await first.stop();
    const second = await start(folder);
    expect(second.output()).not.toContain('bridge.db-sign-in');
    expect((await second.ask('/ops/status', session)).statusCode).toBe(200);
  });

  test('needs no link where a token of the settings or of the store lets somebody in', async () => {
    const folder = makeFolder();
    const first = await start(folder, { OPS_TOKEN: 'token-of-an-operator' });
    expect(first.output()).not.toContain('sign-in');
    expect(() => statSync(join(folder, 'bridge.db-sign-in'))).toThrow();
  });
});
