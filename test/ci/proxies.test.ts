import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { read } from '../support/repository.ts';

const HOST = 'scim.example.com';

function hasProgram(name: string, ...ask: string[]): boolean {
  const isThere = spawnSync(name, ask).status === 0;
  if (!isThere) console.warn(`\n*** No ${name} here: ITS CONFIGURATION IS NOT RUN.\n`);
  return isThere;
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return child;
}

function createAsker(port: number, { token }: TestBridge) {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false, servername: HOST } });
  onTestFinished(() => dispatcher.close());
  return async (path: string, body?: object) => {
    const { statusCode, body: answer } = await request(`https://127.0.0.1:${port}${path}`, {
      dispatcher,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        host: HOST,
        authorization: `Bearer ${token}`,
        'content-type': 'application/scim+json',
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: statusCode, text: await answer.text() };
  };
}

const settings = { TRUST_PROXY: 'loopback' };
const ADA = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
};

async function expectPassing(ask: ReturnType<typeof createAsker>): Promise<void> {
  const up = async () =>
    (await ask('/scim/v2/ServiceProviderConfig').catch(() => undefined))?.status;
  await expect.poll(up).toBe(200);
  const made = await ask('/scim/v2/Users', ADA);
  const long = { ...ADA, userName: 'eve@example.com', title: 'x'.repeat(2_000_000) };

  expect(made.status).toBe(201);
  // The bridge itself says that the body is too long, not the proxy.
  expect((await ask('/scim/v2/Users', long)).text).toContain('messages:2.0:Error');
  expect((await ask('/oauth/token', {})).status).toBe(400);
  expect((await ask('/.well-known/oauth-authorization-server')).status).toBe(200);
  const others = ['/ops/status', '/metrics', '/readyz', '/console/', '/scim/v2x', '/.well-known/x'];
  for (const path of others) expect((await ask(path)).status, path).toBe(404);
}

test('nginx: its configuration is read, and passes on what a provider does and nothing else', async () => {
  if (!hasProgram('nginx', '-v')) return;
  const folder = makeFolder();
  const bridge = await bridgeForTest({ settings });
  const port = await freePort();
  const subject = ['-subj', `/CN=${HOST}`, '-days', '2', '-nodes', '-x509', '-newkey', 'rsa:2048'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  execFileSync('openssl', ['req', ...subject, ...files], { stdio: 'pipe' });
  const server = read('config/nginx/scim-bridge.conf')
    .replace('127.0.0.1:8080', new URL(bridge.baseUrl).host)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ *listen \[::\]:443 ssl;\n/, '')
    .replace(/\/etc\/letsencrypt\/\S+fullchain\.pem/, join(folder, 'cert.pem'))
    .replace(/\/etc\/letsencrypt\/\S+privkey\.pem/, join(folder, 'key.pem'));
  writeFileSync(join(folder, 'scim-bridge.conf'), server);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const main = `${user} pid ${join(folder, 'pid')}; error_log ${join(folder, 'log')}; events {}
http { access_log off; ${temporary.join(' ')} include ${join(folder, 'scim-bridge.conf')}; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const args = ['-c', join(folder, 'nginx.conf'), '-p', folder, '-e', join(folder, 'log')];

  const checked = spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' });
  expect(checked.stderr).not.toMatch(/\[(warn|emerg)\]/);
  expect(checked.status).toBe(0);
  run('nginx', [...args, '-g', 'daemon off;']);
  await expectPassing(createAsker(port, bridge));
});

test('Caddy: its configuration is read, and passes on what a provider does and nothing else', async () => {
  if (!hasProgram('caddy', 'version')) return;
  const folder = makeFolder();
  const bridge = await bridgeForTest({ settings });
  const port = await freePort();
  const file = join(folder, 'Caddyfile');
  // Only the certificate is another: the names come from the environment, as the page says.
  const site = read('config/Caddyfile').replace('{$DOMAIN:localhost} {', '$&\n\ttls internal');
  const own = `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system ${folder}\n}\n`;
  writeFileSync(file, own + site);
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const names = { DOMAIN: `https://${HOST}:${port}`, BRIDGES: new URL(bridge.baseUrl).host };

  run('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { ...home, ...names });
  await expectPassing(createAsker(port, bridge));
});
