import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { program } from '../support/repository.ts';
import { runToEnd } from '../support/server.ts';
import { openSite, toEnv } from '../support/site.ts';
import { copySqliteTemplate } from '../support/store-templates.ts';
import { getTemplate } from '../support/take-store.ts';

function makeStore(path: string, change: string): void {
  copySqliteTemplate(getTemplate(), path);
  const file = new DatabaseSync(path);
  file.exec(change);
  file.close();
}

/** One line, so that whoever starts the bridge reads what to do and nothing else. */
function expectOneLine(errors: string, ...words: string[]): void {
  expect(errors).toMatch(/^[^\n]+\n$/);
  for (const word of words) expect(errors).toContain(word);
}

describe.concurrent('a start that is refused', () => {
  test('a store of a newer version: exit code 1, one line, and the file is as it was', async (context) => {
    const folder = makeFolder(context);
    const path = join(folder, 'bridge.db');
    makeStore(path, "insert into migrations values ('999-later')");
    const before = readFileSync(path);

    const { exitCode, errors } = await runToEnd({ folder });

    expect(exitCode).toBe(1);
    expectOneLine(errors, 'newer version', '999-later', 'restore a backup');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('a real service, and nobody who could come in: exit code 78, one line, and how to make a token', async (context) => {
    const { sandbox, folder, settings } = await openSite({ test: context });
    const { SCIM_TOKENS: _, OPS_TOKEN: __, ...env } = settings;

    const { exitCode, errors } = await runToEnd({ folder, env });

    expect(exitCode).toBe(78);
    expect(errors).toContain('nobody could provision');
    expect(errors).toContain('scim-bridge token create');
    expect(sandbox.calls.count()).toBe(0);
  });

  test('another service, or another company at the same address: exit code 1, one line, and nothing is read or changed', async (context) => {
    const { sandbox, folder, settings, start } = await openSite({ test: context });
    await (await start()).stop();
    await sandbox.stop();
    const port = Number(new URL(sandbox.url).port);
    const other = await startSandbox({ port, token: sandbox.token });
    context.onTestFinished(() => other.stop());
    const { sandbox: elsewhere } = await openSite({ test: context });

    const { exitCode, errors } = await runToEnd({ folder, env: settings });
    const away = await runToEnd({ folder, env: toEnv(elsewhere) });

    expect([exitCode, away.exitCode]).toEqual([1, 1]);
    expectOneLine(errors, 'the store belongs to company', 'UPSTREAM_TOKEN', 'DATABASE_URL');
    expectOneLine(away.errors, 'the store belongs to', 'DATABASE_URL');
    expect(other.calls.count()).toBe(1);
    expect(elsewhere.calls.count({ mutating: true })).toBe(0);
  });

  test('a SQLite file that another bridge has: exit code 1, one line, and the first goes on; the first operator is made beside it', async (context) => {
    const { folder, settings, launch } = await openSite({ test: context });
    const { OPS_TOKEN: _, ...env } = settings;
    const first = await launch({ OPS_TOKEN: '' });

    const command = [program, 'token', 'create', 'ada', '--for', 'operator'];
    const [{ exitCode, errors }, made] = await Promise.all([
      runToEnd({ folder, env }),
      runToEnd({ folder, env, command }),
    ]);
    await first.ready();
    const [token = ''] = /scimbridge_token_\S+/.exec(made.output) ?? [];
    const acts = new URL('/ops/acts', first.baseUrl).href;
    const authorization = `Bearer ${token}`;
    const { body } = await first.request('GET', acts, undefined, { authorization });
    const again = await runToEnd({ folder, env, command });

    expect([exitCode, made.exitCode, again.exitCode === 0]).toEqual([1, 0, false]);
    expectOneLine(errors, 'another process has the store', 'PostgreSQL');
    expect(again.output).toContain('Another token has this name');
    const act = { act: 'token create', credential: 'command', outcome: 'done', status: 201 };
    expect(body.items).toMatchObject([{ ...act, target: expect.stringMatching(/^token-/) }]);
    expect(await first.stop()).toBe(0);
  });
});
