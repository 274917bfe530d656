import express from 'express';
import { expect, test } from 'vitest';
import { SettingsError } from './errors.ts';
import { loadSettings } from './load.ts';
import { settingRows } from './rows.ts';

const token = 'correct-horse-battery';

function load(env: Record<string, string>, yaml?: string, files: Record<string, string> = {}) {
  const configFile = yaml === undefined ? undefined : 'bridge.yaml';
  const readFile = (path: string): string => {
    const content = path === configFile ? yaml : files[path];
    if (content === undefined) throw new Error(`ENOENT: no such file, open '${path}'`);
    return content;
  };
  return loadSettings({ env, readFile, configFile });
}

function refusal(...[env, yaml, files]: Parameters<typeof load>): SettingsError {
  try {
    load(env, yaml, files);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}

for (const proxies of ['10.0.0.0/8, loopback', '::1/128', '::ffff:10.0.0.1/104', '2', 'none']) {
  test(`TRUST_PROXY=${proxies} is taken by express as it is by the settings`, () => {
    const { settings } = load({ TRUST_PROXY: proxies });
    expect(() => express().set('trust proxy', settings.trustProxy)).not.toThrow();
  });
}

test('the sandbox has a default store of its own, so that a real service finds its file untouched', () => {
  const real = { UPSTREAM_URL: 'https://company.example', UPSTREAM_TOKEN: 'secret' };

  expect(load({}).settings.database.url).toBe('sqlite:data/sandbox-bridge.db');
  expect(load({}).settings.sandbox.file).toBe('data/sandbox.db');
  expect(load(real).settings.database.url).toBe('sqlite:data/bridge.db');
  expect(load({ DATABASE_URL: 'sqlite:here.db' }).settings.database.url).toBe('sqlite:here.db');
});

test('the file overrides the default and the environment overrides the file', () => {
  const yaml = 'port: 1000\nscim:\n  writeWait: 1s\n  whenUpstreamIsDown: refuse\n';
  const { settings } = load({ SCIM_WRITE_WAIT: '250ms' }, yaml);
  expect(settings.port).toBe(1_000);
  expect(settings.scim).toMatchObject({ writeWait: 250, whenUpstreamIsDown: 'refuse' });
});

test('a variable that is set to nothing and a key without a value count as not set', () => {
  const { settings } = load({ PORT: '', UPSTREAM_URL: '', SCIM_PAGE: '' }, 'ops:\nhost:\n');
  expect(settings).toMatchObject({ port: 8_080, host: '127.0.0.1', ops: {} });
});

test('a secret is read from the file that its _FILE variable names, without the line end', () => {
  const named = { UPSTREAM_TOKEN_FILE: '/run/t', SCIM_TOKENS_FILE: '/run/s' };
  const files = { '/run/t': 'abc\n', '/run/s': `${token},${token}2\n` };
  const { settings } = load({ UPSTREAM_URL: 'https://example.com/', ...named }, undefined, files);
  expect(settings.upstream).toMatchObject({ url: 'https://example.com', token: 'abc' });
  expect(settings.scim.tokens).toEqual([token, `${token}2`]);
});

test('a value and a _FILE for the same secret is refused, as is a file that cannot be read or is empty', () => {
  expect(refusal({ OPS_TOKEN: token, OPS_TOKEN_FILE: '/run/t' }).message).toContain('set twice');
  const unreadable = refusal({ OPS_TOKEN_FILE: '/run/t' });
  expect(unreadable.message).toContain("open '/run/t'");
  expect(unreadable.cause).toBeInstanceOf(Error);
  const empty = refusal({ OPS_TOKEN_FILE: '/run/t' }, undefined, { '/run/t': '\n' });
  expect(empty.message).toContain('ops.token');
});

test('every problem is listed at once, with name, value, source and what is allowed', () => {
  const env = { PORT: '99999', DRIFT_POLICY: '{"member.aded":"repair"}' };
  const { problems, code, message } = refusal(env, 'seats:\n  total: none\n');
  expect(code).toBe('settings-invalid');
  expect(problems.map(({ setting }) => setting)).toEqual(['port', 'seats.total', 'drift.policy']);
  for (const problem of [
    'Unrecognized key: "member.aded"; allowed: report, repair, accept; or a map',
    'port is "99999" (from PORT); allowed: a whole number from 0 to 65535.',
  ])
    expect(message).toContain(problem);
});

for (const { setting, env } of [
  { setting: 'scim.writeWait', env: { SCIM_WRITE_WAIT: '2m' } },
  { setting: 'audit.pollInterval', env: { AUDIT_POLL_INTERVAL: '999ms' } },
  { setting: 'upstream.requestsPerSecond', env: { UPSTREAM_REQUESTS_PER_SECOND: '1.5' } },
  { setting: 'upstream.quirks', env: { UPSTREAM_QUIRKS: '{"apiVersion":"v2"}' } },
  { setting: 'publicUrl', env: { PUBLIC_URL: 'https://example.com/?a=b' } },
  { setting: 'database.url', env: { DATABASE_URL: 'mysql://localhost/x' } },
  { setting: 'scim.tokens', env: { SCIM_TOKENS: `${token},too short` } },
  { setting: 'ops.token', env: { OPS_TOKEN: 'fifteen-letters' } },
  { setting: 'publicUrl', env: { PUBLIC_URL: 'https://example.com/scim/v2/' } },
  { setting: 'upstream.url', env: { UPSTREAM_URL: 'https://example.com/scim/v2' } },
  { setting: 'console.url', env: { CONSOLE_URL: 'https://example.com/console' } },
  { setting: 'database.url', env: { DATABASE_URL: 'postgres://' } },
  { setting: 'database.url', env: { DATABASE_URL: 'sqlite::memory:' } },
  ...['https://x', 'x/y', 'x:443', '::1', 'bücher.example'].flatMap((host) => [
    { setting: 'notify.hosts', env: { NOTIFY_HOSTS: `*.example.com,${host}` } },
    { setting: 'oauth.keyHosts', env: { OAUTH_KEY_HOSTS: host } },
  ]),
  ...['10.0.0.0/0', '::/0', '10.0.0.0/33', 'fe80::1%eth0', '11', 'proxy'].map((TRUST_PROXY) => {
    return { setting: 'trustProxy', env: { TRUST_PROXY } };
  }),
  { setting: 'oidc.issuer', env: { OIDC_CLIENT_ID: 'bridge' } },
  { setting: 'oidc.issuer', env: { OIDC_READER_GROUPS: 'Staff' } },
]) {
  test(`${JSON.stringify(env)} is refused`, () => {
    expect(refusal(env).problems.map((problem) => problem.setting)).toEqual([setting]);
  });
}

const quirks = { memberForm: 'single', filter: false };
const deactivation = 'temporarilyInactive';
const goodValues: [variable: string, value: string, want: object][] = [
  ['SCIM_WRITE_WAIT', '0', { scim: { writeWait: 0 } }],
  ['SCIM_WRITE_WAIT', '1m', { scim: { writeWait: 60_000 } }],
  ['UPSTREAM_QUIRKS', JSON.stringify(quirks), { upstream: { quirks } }],
  ['PUBLIC_URL', 'https://example.com/bridge/', { publicUrl: 'https://example.com/bridge' }],
  ['USERS_DEACTIVATION', deactivation, { users: { deactivation } }],
  ['NOTIFY_HOSTS', '*,[::1],*.a-b.example', { notify: { hosts: ['*', '[::1]', '*.a-b.example'] } }],
];
for (const [variable, value, want] of goodValues) {
  const env = { [variable]: value };
  test(`${JSON.stringify(env)} is understood`, () =>
    expect(load(env).settings).toMatchObject(want));
}

test('the examples of durations are allowed themselves', () => {
  for (const { name, variable, allowed } of settingRows) {
    const [, examples = ''] = / such as (\d.*)/.exec(allowed) ?? [];
    for (const example of examples.split(/, | or /).filter((text) => text !== ''))
      expect(() => load({ [variable]: example }), `${name} ${example}`).not.toThrow();
  }
});

test('an unknown key is refused with the nearest name', () => {
  const { message } = refusal({}, 'upstrem:\n  url: x\nscim:\n  writeWiat: 3s\nusers: everybody\n');
  const none = '(in bridge.yaml) is no setting of the bridge. Did you mean';
  expect(message).toContain(`upstrem ${none} upstream?`);
  expect(message).toContain(`scim.writeWiat ${none} scim.writeWait?`);
  expect(message).toContain('users (in bridge.yaml) is a section');
});

test('a variable that resembles a setting is warned of with the nearest name, and never with its value', () => {
  const files = { PORT_FILE: 's3cret', UPSTREAM_URL_FILE: 's3cret' };
  expect(load({ UPSTREAM_TOKN: 's3cret', SCIM_TOKENS_FLIE: 's3cret', ...files }).warnings).toEqual([
    'The environment variable UPSTREAM_TOKN is not read. Did you mean UPSTREAM_TOKEN?',
    'The environment variable SCIM_TOKENS_FLIE is not read. Did you mean SCIM_TOKENS_FILE?',
    'The environment variable PORT_FILE is not read, only PORT is.',
    'The environment variable UPSTREAM_URL_FILE is not read, only UPSTREAM_URL is.',
  ]);
});

test('variables of other programs are left alone, also where they begin as settings do', () => {
  const paths = { SERVER_NAME: 'web-1', LOG_DIR: '/var/log', USERS_HOME: '/home' };
  const { warnings } = load({ ...paths, DATABASE_PASSWORD: 's3cret', ACCESS_KEY: 's3cret' });
  expect(warnings).toEqual([]);
});

test('the variables that Kubernetes adds for a service of our name are no settings', () => {
  const ports = { PORT: 'tcp://10.0.0.1:8080', PORT_8080_TCP_ADDR: '10.0.0.1' };
  const added = { ...ports, SERVICE_HOST: '10.0.0.1', SERVICE_PORT_HTTP: '8080' };
  const variables = Object.entries(added).map(([name, value]) => [`SCIM_BRIDGE_${name}`, value]);
  expect(() => load(Object.fromEntries(variables))).not.toThrow();
});

test('a sign-in by OpenID Connect needs what belongs to it, and says that it does', () => {
  const { problems } = refusal({ OIDC_ISSUER: 'https://login.example.com' });
  expect(problems.map(({ message }) => message)).toEqual([
    'console.url is not set, but oidc.issuer is, and needs it. Set CONSOLE_URL.',
    'oidc.clientId is not set, but oidc.issuer is, and needs it. Set OIDC_CLIENT_ID.',
    'oidc.clientSecret is not set, but oidc.issuer is, and needs it. Set OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE.',
    'oidc.operatorGroups is not set, but oidc.issuer is, and needs it. Set OIDC_OPERATOR_GROUPS.',
  ]);
});

test('a token that strangers could guess is refused', () => {
  const weak = ['a'.repeat(16), 'ab'.repeat(50).slice(0, 30), '1234'.repeat(4), 'aaaaaaaaaaabcdef'];
  for (const token of weak) expect(() => load({ OPS_TOKEN: token })).toThrow(SettingsError);
  const strong = ['7193502846605172', 'correct-horse-battery', 'f00dfeedf00dbeef5eed'];
  for (const token of strong) expect(() => load({ OPS_TOKEN: token })).not.toThrow();
});

test('an issuer of operators is asked over TLS, but on loopback', () => {
  const isRefused = (issuer: string) =>
    refusal({ OIDC_ISSUER: issuer }).problems.some(({ message }) => message.includes('https://'));
  const hosts = ['a.example', 'localhost.a.example', '127.0.0.1.a.example'];
  expect(hosts.filter((host) => !isRefused(`http://${host}`))).toEqual([]);
  const own = ['https://a.example', 'http://localhost:8080', 'http://[::1]', 'http://127.0.0.1/x'];
  expect(own.filter(isRefused)).toEqual([]);
});

test.each([
  { SCIM_TOKENS: token, OPS_TOKEN: token },
  { SCIM_TOKENS: `${token}2,${token}`, OPS_READER_TOKEN: token },
  { OPS_TOKEN: token, OPS_READER_TOKEN: token },
])('one token for two purposes is refused, and not shown: %o', (env) => {
  const { problems } = refusal(env);
  expect(problems.map(({ setting }) => setting)).toEqual(['ops.token']);
  expect(JSON.stringify(problems)).not.toContain(token);
});

const served = { UPSTREAM_TOKEN: 'x', SCIM_TOKENS: token };
for (const [url, publicUrl, ...wanted] of [
  ['http://service.example.com', 'https://x.example.com', /upstream.url .* unencrypted/],
  ['https://service.example.com', 'http://x.example.com', /publicUrl .* https/],
  ['https://service.example.com', '', /publicUrl is not set/],
  ['https://service.example.com', 'https://x.example.com'],
  ['http://[::1]:3000', 'https://x.example.com'],
] as const) {
  test(`${url} behind ${publicUrl || 'no public address'} is allowed with ${wanted.length || 'no'} warning`, () => {
    const { warnings } = load({ ...served, UPSTREAM_URL: url, PUBLIC_URL: publicUrl });
    expect(warnings).toEqual(wanted.map((want) => expect.stringMatching(want)));
  });
}

const leaks: [why: string, env?: Record<string, string> | undefined, yaml?: string][] = [
  ['a refused token', { SCIM_TOKENS: 's3cret' }],
  ['a refused database address', { DATABASE_URL: 'mysql://bridge:s3cret@db/x' }],
  ['a service address with credentials', { UPSTREAM_URL: 'https://me:s3cret@example.com' }],
  ['a service address with a query', { UPSTREAM_URL: 'https://example.com/?token=s3cret' }],
  ['an unknown key', undefined, 'upstream:\n  tokn: s3cret\n'],
  ['a file that is no YAML', undefined, 'upstream:\n  token: "s3cret\n'],
  ['a token that YAML takes for an alias', undefined, 'ops:\n  token: *s3cret\n'],
];
for (const [why, env = {}, yaml] of leaks) {
  test(`a secret is never shown: ${why}`, () => {
    const error = refusal(env, yaml);
    expect(error.message).not.toContain('s3cret');
    expect(JSON.stringify(error.problems)).not.toContain('s3cret');
  });
}

test('a settings file that is missing or no mapping is refused', () => {
  const readFile = () => {
    throw new Error('ENOENT');
  };
  const loadGone = () => loadSettings({ env: {}, readFile, configFile: 'gone.yaml' });
  expect(loadGone).toThrow(/gone.yaml cannot be read: ENOENT/);
  expect(refusal({}, '- a\n- b\n').message).toContain('must hold values by name');
  expect(load({}, '# nothing but a comment\n').settings.port).toBe(8_080);
});
