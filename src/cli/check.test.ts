import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { runAlone } from '../../test/support/command.ts';
import { makeFolder } from '../../test/support/lifetimes.ts';
import { describeStores } from '../../test/support/stores.ts';
import { startForTest } from '../sandbox/sandbox-test-support.ts';
import { openStore } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { createEagerClock } from '../upstream/testing/fake-clock.ts';
import { checkCommand } from './own-commands.ts';

async function runCheck(args: readonly string[], env: Record<string, string>) {
  const command = checkCommand({ clock: createEagerClock(), random: () => 0 });
  return runAlone(['check', ...args], env, { commands: [command] });
}

async function startService() {
  const { sandbox } = await startForTest({ seed: { users: 3, groups: 1 } });
  const env = {
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    SCIM_TOKENS: 'a-token-of-a-provider',
  };
  return { sandbox, env };
}

test('check prints lines, or one object, and ends with 0 when all that is needed works', async () => {
  const { sandbox, env } = await startService();
  const { code, out, err } = await runCheck([], env);
  const calls = sandbox.calls.count();
  const json = JSON.parse((await runCheck(['--json'], env)).out);

  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`Service  ${sandbox.url}`);
  expect(out).toContain('0 failures');
  const service = { url: sandbox.url, apiVersion: 'latest' };
  expect(json).toMatchObject({ ok: true, service, calls });
});

const damage = (path: string) => writeFileSync(path, 'this is no database at all, and long enough');
for (const { why, prepare, code, said } of [
  { why: 'is made by a start', prepare: () => {}, code: 0, said: 'none yet, a start makes' },
  { why: 'is damaged', prepare: damage, code: 1, said: 'store-corrupt' },
]) {
  test(`check looks at the store and changes nothing there: one that ${why}`, async () => {
    const { env } = await startService();
    const folder = makeFolder();
    const path = join(folder, 'bridge.db');
    prepare(path);
    const before = readdirSync(folder);

    const ended = await runCheck([], { ...env, DATABASE_URL: `sqlite:${path}` });

    expect(ended.code).toBe(code);
    expect(ended.out).toMatch(new RegExp(`store +.*${said}`));
    expect(readdirSync(folder)).toEqual(before);
  });
}

describeStores('check', ({ makeUrl }) => {
  test('says of a store that it is of this version, beside a bridge that runs on it', async () => {
    const { env } = await startService();
    const url = await makeUrl('migrated');
    const running = await openStore({ url });
    onTestFinished(() => running.close());

    const { code, out } = await runCheck([], { ...env, DATABASE_URL: url });

    expect(code).toBe(0);
    expect(out).toMatch(/store +(SQLite|PostgreSQL).*, of this version/);
  });

  test('refuses a store that a newer version has changed', async () => {
    const { env } = await startService();
    const url = await makeUrl('empty');
    const store = await openStore({ url });
    await migrate(store);
    await store.write((tx) => sql`insert into migrations values ('002-later')`.execute(tx));
    await store.close();

    const ended = await runCheck([], { ...env, DATABASE_URL: url });

    expect(ended.code).toBe(1);
    expect(ended.out).toContain('store-newer');
  });
});

test('check ends with 1 when something failed, and shows no token', async () => {
  const { sandbox, env } = await startService();

  const { code, out, err } = await runCheck([], { ...env, UPSTREAM_TOKEN: 'wrong-token' });

  expect(code).toBe(1);
  expect(out).toContain('upstream.token');
  for (const secret of ['wrong-token', sandbox.token, env.SCIM_TOKENS]) {
    expect(out + err).not.toContain(secret);
  }
});

test('without a service there is nothing to check: 78, on standard error', async () => {
  const { code, out, err } = await runCheck(['--json'], {});

  expect(code).toBe(78);
  expect(out).toBe('');
  expect(err).toContain('UPSTREAM_URL');
});
