import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STOP_GRACE_MS } from '../../src/app/tenure.ts';
import { exitCodes } from '../../src/cli/command.ts';
import { DRAIN_MAX_MS, SHUTDOWN_DELAY_MS } from '../../src/main.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { settingRows } from '../../src/settings/rows.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { packageJson, read, root } from '../support/repository.ts';

const unit = read('config/systemd/scim-bridge.service');
const ANALYZE = '/usr/bin/systemd-analyze';

function listValues(name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

function writeUnit(): string {
  const file = join(makeFolder(), 'scim-bridge.service');
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  return file;
}

test.runIf(existsSync(ANALYZE))(
  'systemd: the unit is one, and leaves the bridge little to harm',
  () => {
    const file = writeUnit();
    execFileSync(ANALYZE, ['verify', file]);
    const told = execFileSync(ANALYZE, ['security', '--offline=true', '--threshold=20', file], {
      encoding: 'utf8',
    });

    expect(told).toMatch(/Overall exposure level for scim-bridge\.service: [01]\.\d OK/);
  },
);

test('systemd: Node itself serves what a package holds, with the flags of npm start', () => {
  const [started = ''] = listValues('ExecStart');
  const flags = packageJson.scripts.start?.match(/--\S+=\S+/g);

  expect(started.split(' ')).toEqual([
    '/usr/bin/node',
    ...(flags ?? []),
    '/opt/scim-bridge/node_modules/scim-bridge/dist/cli/main.js',
    'serve',
  ]);
});

test('systemd: every variable is a setting, every secret a file, and they allow a start', () => {
  const given = listValues('Environment').flatMap((line) => line.split(' '));
  const entries = given.map((one): [string, string] => [
    one.slice(0, one.indexOf('=')),
    one.slice(one.indexOf('=') + 1),
  ]);
  const others = ['NODE_ENV', 'MALLOC_ARENA_MAX'];
  const known = settingRows.flatMap((row) => [row.fileVariable ?? row.variable]);
  const { settings } = loadSettings({
    env: { ...Object.fromEntries(entries), UPSTREAM_URL: 'https://company.example.com' },
    readFile: (path) => `content-of-${path.replaceAll('/', '-')}`,
  });

  const names = entries.map(([name]) => name).filter((name) => !others.includes(name));
  expect(names.filter((name) => ![...known, 'DATABASE_URL'].includes(name))).toEqual([]);
  expect(settings.database.url).toBe('sqlite:/var/lib/scim-bridge/bridge.db');
  expect(settings.upstream.token).toContain('upstream-token');
});

test('systemd: it has longer to stop than it takes at most, is reloaded by SIGHUP, and not started again with wrong settings', () => {
  const [seconds = ''] = listValues('TimeoutStopSec');
  const [reload = ''] = listValues('ExecReload');
  const [prevented = ''] = listValues('RestartPreventExitStatus');

  expect(Number.parseInt(seconds, 10) * 1_000).toBeGreaterThan(
    SHUTDOWN_DELAY_MS + DRAIN_MAX_MS + STOP_GRACE_MS,
  );
  expect(reload).toContain('-HUP');
  expect(prevented).toBe(`${exitCodes.usage} ${exitCodes.settings}`);
});

test('nginx: passes on what providers need and nothing else, and keeps no connection longer than the bridge', () => {
  const nginx = read('config/nginx/scim-bridge.conf');
  const [, pattern = ''] = /location ~ (\S+) \{/.exec(nginx) ?? [];
  const [, seconds = ''] = /keepalive_timeout (\d+)s/.exec(nginx) ?? [];
  const passes = (path: string) => new RegExp(pattern).test(path);

  expect(['/scim/v2', '/scim/v2/Users', '/oauth/token'].filter(passes)).toHaveLength(3);
  expect(
    ['/ops/status', '/metrics', '/readyz', '/scim/v2x', '/oauth/token/x'].filter(passes),
  ).toEqual([]);
  expect(Number(seconds) * 1_000).toBeLessThan(75_000);
});

test('the page of installing names every file that it is about', () => {
  const page = read('docs/install.md');
  const files = [
    'config/systemd/scim-bridge.service',
    'config/nginx/scim-bridge.conf',
    'config/Caddyfile',
    'config/kubernetes',
    'docker-compose.yml',
  ];
  for (const file of files) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(page).toContain(file);
  }
});
