import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { STOP_GRACE_MS } from '../../src/app/tenure.ts';
import { DRAIN_MAX_MS, SHUTDOWN_DELAY_MS } from '../../src/main.ts';
import { settingRows } from '../../src/settings/rows.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { read, root } from '../support/repository.ts';

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({
      profiles: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string()).default({}),
      ports: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      env_file: z.array(z.object({ path: z.string(), required: z.boolean() })).default([]),
      build: z.string().optional(),
      stop_grace_period: z.string().optional(),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});
const compose: unknown = parse(read('docker-compose.yml'), { merge: true });
const { services, volumes } = composeSchema.parse(compose);
const bridges = ['bridge', 'bridge-2', 'bridge-3'];

const linter = dirname(fileURLToPath(import.meta.resolve('dclint/package.json')));
/** The compose specification, as its linter carries it. It names its dialect by an address that ajv does not know. */
const { $schema: _dialect, ...specification } = z
  .record(z.string(), z.unknown())
  .parse(JSON.parse(readFileSync(join(linter, 'schemas/compose.schema.json'), 'utf8')));
const isCompose = new Ajv({ strict: false, validateFormats: false }).compile(specification);

test('compose: the file is what the compose specification allows', () => {
  isCompose(compose);
  expect(isCompose.errors ?? []).toEqual([]);
  // A mistake would be noticed.
  const wrong = { image: 'scim-bridge', stop_grace_periode: '60s' };
  expect(isCompose({ services: { bridge: wrong } })).toBe(false);
});

test('compose: what must survive is in a declared volume', () => {
  const named = Object.values(services)
    .flatMap((service) => service.volumes.map((mount) => mount.split(':')[0] ?? ''))
    .filter((source) => !source.startsWith('.'));
  expect(named.toSorted()).toEqual(Object.keys(volumes).toSorted());
  expect(services.bridge?.volumes).toContain('bridge-data:/app/data');
});

test('compose: the replicas are bridges like the first, on its database and on PostgreSQL by themselves', () => {
  const { ports: _ports, volumes: _volumes, ...bridge } = findService('bridge');
  const { DATABASE_URL: first, ...settings } = bridge.environment;
  expect(first).toMatch(/^\$\{DATABASE_URL:-\$\{POSTGRES_PASSWORD:\+postgres:/);
  for (const name of bridges.slice(1)) {
    const { environment, ...replica } = findService(name);
    const { DATABASE_URL: url, ...others } = environment;
    expect(others).toEqual(settings);
    expect(url).toMatch(/^\$\{DATABASE_URL:-postgres:/);
    expect(replica).toMatchObject({ build: bridge.build, profiles: ['replicas'] });
    expect({ ports: replica.ports, volumes: replica.volumes }).toEqual({ ports: [], volumes: [] });
  }
});

test('compose: each bridge has longer to stop than it takes at most', () => {
  const longestMs = SHUTDOWN_DELAY_MS + DRAIN_MAX_MS + STOP_GRACE_MS;
  for (const name of bridges) {
    const [, seconds] = /^(\d+)s$/.exec(findService(name).stop_grace_period ?? '') ?? [];
    expect(Number(seconds) * 1_000, name).toBeGreaterThan(longestMs);
  }
});

const proxies = [
  { file: 'config/Caddyfile', asks: ['balancer:8080', 'bridge:8080'] },
  { file: 'config/Caddyfile.replicas', asks: bridges.map((name) => `${name}:8080`) },
];
for (const { file, asks } of proxies) {
  test(`${file} asks what the compose file starts`, () => {
    const [, addresses = ''] =
      /^\s*reverse_proxy (?:\{\$BRIDGES:)?(.*?)\}? \{$/m.exec(read(file)) ?? [];
    expect(addresses.split(' ')).toEqual(asks);
    for (const address of asks) expect(Object.keys(services)).toContain(address.split(':')[0]);
    const mounts = ['caddy', 'balancer'].flatMap((name) => findService(name).volumes);
    expect(mounts).toContain(`./${file}:/etc/caddy/Caddyfile:ro`);
  });
}

test('compose: no secret is written down, and none of the services of the base profile faces the network', () => {
  const values = Object.values(services).flatMap(({ environment }) => Object.entries(environment));
  const secrets = values.filter(([name]) => /TOKEN|PASSWORD|DATABASE_URL/.test(name));
  expect(secrets.length).toBeGreaterThan(3);
  for (const [name, value] of secrets) expect(`${name}=${value}`).toMatch(/=\$\{.*\}$/);
  for (const name of [...bridges, 'balancer']) {
    for (const port of findService(name).ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
  }
});

const variables = settingRows.flatMap((row) => {
  const file = row.fileVariable;
  return file === undefined ? [row.variable] : [row.variable, file];
});
/** Compose itself decides where the container listens. */
const FIXED: Readonly<Record<string, string>> = { HOST: '0.0.0.0', PORT: '8080' };

test('compose: every setting is handed on to each bridge, and nothing else', () => {
  for (const name of bridges) {
    const handed = Object.keys(findService(name).environment);
    expect(handed.toSorted(), name).toEqual(['CONFIG', ...variables].toSorted());
    expect(findService(name).env_file).toEqual([{ path: '.env', required: false }]);
  }
});

test('compose: what is set arrives, from the shell or .env; what is not set stays so', () => {
  const set = Object.fromEntries(variables.map((name) => [name, `value of ${name}`]));
  for (const name of bridges) {
    const { environment } = findService(name);
    for (const variable of variables) {
      const text = environment[variable] ?? '';
      expect(interpolate(text, set), variable).toBe(FIXED[variable] ?? set[variable]);
      if (variable === 'DATABASE_URL' && name !== 'bridge') continue;
      expect(interpolate(text, {}), variable).toBe(FIXED[variable] ?? '');
    }
  }
});

function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  const found = /\$\{(\w+)(?:(:[-+])([^${}]*))?\}/.exec(text);
  if (found === null) return text;
  const [whole, name = '', operator, word = ''] = found;
  const value = values[name] ?? '';
  const meant = operator === ':+' ? (value === '' ? '' : word) : value === '' ? word : value;
  const next = text.replace(whole, () => meant);
  return interpolate(next, values);
}

function findService(name: string) {
  const service = services[name];
  if (service === undefined) throw new Error(`there is no service ${name}`);
  return service;
}

test('compose: no container has more rights, memory or processes than it needs', () => {
  for (const [name, service] of Object.entries(Object(compose).services)) {
    expect(service, name).toMatchObject({
      ...{ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ...{ mem_limit: expect.any(String), pids_limit: expect.any(Number) },
    });
  }
});

test('Dockerfile: two stages, an ordinary user, a volume, a health check without a shell', () => {
  const lines = read('Dockerfile').split('\n');
  expect(lines.filter((line) => /^FROM \$\{NODE_IMAGE\}( AS build)?$/.test(line))).toHaveLength(2);
  const lastStage = lines.findLastIndex((line) => line.startsWith('FROM '));
  expect(lines.indexOf('USER node')).toBeGreaterThan(lastStage);
  expect(lines).toContain('VOLUME /app/data');
  const check = lines.find((line) => line.startsWith('HEALTHCHECK'));
  expect(check).toMatch(/CMD \["node", .*"healthcheck"\]$/);
  expect(lines.find((line) => line.startsWith('CMD'))).toMatch(/^CMD \["node", .*"serve"\]$/);
});

function readStage(index: number) {
  const stage = read('Dockerfile').split(/^FROM .*$/m)[index] ?? '';
  const toCopies = ([, from = '', to = '']: RegExpMatchArray) =>
    from.split(' ').map((path) => ({ path, to: to.endsWith('/') ? join(to, basename(path)) : to }));
  const copies = [...stage.matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(toCopies);
  const lines = [...stage.matchAll(/^RUN (.+)$/gm)].map(([, line = '']) => line);
  return { copies, commands: lines.flatMap((line) => line.split(' && ')) };
}

test('Dockerfile: what it copies is enough for the commands that build the image, and for the program in it', async () => {
  const folder = makeFolder();
  const run = promisify(execFile);
  const copy = (stage: number, into: string) => {
    for (const { path, to } of readStage(stage).copies) {
      // As .dockerignore has it, and without what a fresh clone lacks.
      const filter = (from: string) => !/\.test\.ts$|client\/operations\.ts$/.test(from);
      cpSync(join(root, path), join(into, to), { recursive: true, filter });
    }
  };
  const build = join(folder, 'build');
  copy(1, build);
  symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'));
  const commands = readStage(1).commands.filter((command) => command.startsWith('npm run '));
  for (const command of commands) await run('npm', command.split(' ').slice(1), { cwd: build });
  const image = join(folder, 'image');
  copy(2, image);
  cpSync(join(build, 'dist'), join(image, 'dist'), { recursive: true });
  // Of the variables here, MODE is one of the test runner.
  const env = { ...process.env, MODE: undefined };
  const args = ['dist/cli/main.js', 'settings', '--here'];
  const { stdout } = await run(process.execPath, args, { cwd: image, env });

  expect(commands).toHaveLength(2);
  expect(stdout).toContain('upstream.timeout');
  expect(existsSync(join(image, 'dist/console/ui/index.html'))).toBe(true);
});

test('Dockerfile: what is copied exists and is not kept out by .dockerignore', () => {
  const copied = [1, 2].flatMap((stage) => readStage(stage).copies.map(({ path }) => path));
  const lines = read('.dockerignore').split('\n');
  const allowed = lines.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  expect(new Set(copied)).toEqual(new Set(allowed));
  for (const path of copied) expect(existsSync(join(root, path)), path).toBe(true);
});

test('the closing line of CI counts every run, and a failure of a later one fails', () => {
  const folder = makeFolder();
  const failed = { status: 'failed', assertionResults: [] };
  const runs = [
    { numPassedTests: 7, numFailedTests: 0, testResults: [] },
    { numPassedTests: 3, numFailedTests: 0, testResults: [failed] },
  ].flatMap((report, index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(report));
    return [file, index === 0 ? 'passed' : 'failed'];
  });
  const script = join(root, 'scripts/summarise-tests.mjs');
  const args = [script, 'passed', ...runs];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });

  expect(stdout.trimEnd().split('\n').at(-1)).toBe('10 passed, 1 failed');
  expect(status).toBe(1);
});
