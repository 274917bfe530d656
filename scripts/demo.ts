// `npm run demo [-- --fast]`: shows in half a minute what the bridge does, in front of an imitation of the service. All
// that is shown was asked over HTTP and is checked; if something is not so, it ends with 1. It leaves nothing behind.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, styleText } from 'node:util';
import { request } from 'undici';
import { commands, runProgram } from '../src/cli/program.ts';
import type { JsonObject } from '../src/domain/values.ts';
import { serve } from '../src/main.ts';
import { DRIFTS, toSubject } from '../src/ops/lists/tables.ts';
import type { OpsJson } from '../src/ops/schemas/schemas.ts';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { loadSettings } from '../src/settings/load.ts';

const { values } = parseArgs({ options: { fast: { type: 'boolean', default: false } } });
/** How long a line and a headline stay alone on the screen, in milliseconds. */
const [LINE_MS, SCENE_MS] = values.fast ? [0, 0] : [180, 1_200];
const PATIENCE_MS = 20_000;

/** Each begins so that a search of the output finds a secret. */
const newToken = () => `demo-secret-${randomBytes(16).toString('hex')}`;
const tokens = { okta: newToken(), operator: newToken(), service: newToken() };
/** The administrator who changes the service without the provider, and from where. */
const ADMIN = { email: 'mallory@example.com', address: '198.51.100.7' };
const ALAN = 'alan@example.com';
const PAYROLL = 'Payroll';
const ADA = { given: 'Ada', family: 'Lovelace', email: 'ada@example.com' };
const GRACE = { given: 'Grace', family: 'Hopper', email: 'grace@example.com' };
/** More people than one plan may take out of groups by itself. */
const COLLEAGUES = Array.from({ length: 25 }, (_, n) => ({
  given: `Colleague${n + 1}`,
  family: 'Example',
  email: `colleague${n + 1}@example.com`,
}));

class DemoError extends Error {
  override readonly name = 'DemoError';
}

function expectThat(isSo: boolean, what: string): void {
  if (!isSo) throw new DemoError(`expected that ${what}`);
}

async function until<T>(what: string, read: () => Promise<T>, isSo: (value: T) => boolean) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    const last = JSON.stringify(value);
    expectThat(performance.now() < deadline, `within ${PATIENCE_MS} ms ${what}: ${last}`);
    await sleep(50);
  }
}

async function show(line: string, style?: 'bold' | 'cyan' | 'gray', pauseMs = LINE_MS) {
  const text = style === undefined ? line : styleText(style, line, { stream: process.stdout });
  process.stdout.write(`${text}\n`);
  await sleep(pauseMs);
}

const say = (text: string) => show(`   ${text}`);

/** Shows a request and the lines of its answer. */
async function tell(asked: string, lines: readonly string[]): Promise<void> {
  await show(`   > ${asked}`, 'cyan');
  for (const line of lines) await show(`     ${line}`, 'gray');
}

type Asked = readonly [method: 'GET' | 'POST' | 'PATCH', path: string, body?: JsonObject];

async function send(as: 'okta' | 'operator', [method, path, body]: Asked) {
  const type = as === 'operator' ? 'application/json' : 'application/scim+json';
  const answer = await request(url + path, {
    method,
    headers: { authorization: `Bearer ${tokens[as]}`, 'content-type': type },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  expectThat(answer.statusCode < 300, `${method} ${path} succeeds: ${answer.statusCode} ${text}`);
  return { status: answer.statusCode, json: JSON.parse(text || '{}') };
}

/** Reads below `/ops` until it is so. */
const untilRead = <T>(what: string, path: string, isSo: (value: T) => boolean) =>
  until<T>(what, async () => (await send('operator', ['GET', `/ops${path}`])).json, isSo);

/** Sends a request of Okta and shows it, without its password and schemas. */
async function ask(...asked: Asked): Promise<JsonObject> {
  const [method, path, body] = asked;
  const { schemas: _, password: __, ...shown } = body ?? {};
  const { status, json } = await send('okta', asked);
  const known = ['id', 'totalResults'].filter((name) => name in json);
  const summary = known.map((name) => `${name} ${json[name]}`).join(', ');
  const sent = body === undefined ? '' : `  ${JSON.stringify(shown)}`;
  await tell(`${method} ${decodeURIComponent(path)}${sent}`, [`${status}  ${summary}`]);
  return json;
}

/** Runs a command of the command line, and returns its lines. */
async function run(command: string): Promise<string[]> {
  await tell(`scim-bridge ${command}`, []);
  const texts: string[] = [];
  const write = (text: string) => void texts.push(text);
  const code = await runProgram(command.split(' '), {
    version: 'demo',
    commands,
    world: {
      env: { OPS_URL: url, OPS_TOKEN: tokens.operator },
      readFile: () => '',
      readInput: async () => '',
      write,
      writeError: write,
      untilStopped: async () => '',
    },
  });
  expectThat(code === 0, `scim-bridge ${command} ends with 0, not ${code}: ${texts.join('')}`);
  return texts.join('').trimEnd().split('\n');
}

function toSearch(type: 'Users' | 'Groups', attribute: string, value: string): string {
  const filter = encodeURIComponent(`${attribute} eq "${value}"`);
  return `/scim/v2/${type}?filter=${filter}&startIndex=1&count=100`;
}

function expectPayroll(): string {
  const members = service.members(PAYROLL);
  expectThat(members.join() === `${ADA.email},${GRACE.email}`, `${PAYROLL} has its two members`);
  return members.join(' and ');
}

/** As Okta does it: a look-up, then a POST. Returns the SCIM id. */
async function provision(asks: typeof ask, { given, family, email }: typeof ADA): Promise<string> {
  const found = await asks('GET', toSearch('Users', 'userName', email));
  expectThat(found.totalResults === 0, `nobody is called ${email} yet`);
  const user = await asks('POST', '/scim/v2/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: email,
    name: { givenName: given, familyName: family },
    emails: [{ primary: true, value: email, type: 'work' }],
    displayName: `${given} ${family}`,
    locale: 'en-US',
    externalId: `00u${given.toLowerCase()}`,
    groups: [],
    password: 'of-no-use-here',
    active: true,
  });
  return String(user.id);
}

/** Okta creates people and pushes a group that exists already: its first write takes it over. */
async function playOkta(): Promise<void> {
  const ids = [await provision(ask, ADA), await provision(ask, GRACE)];
  const askQuietly: typeof ask = async (...asked) => (await send('okta', asked)).json;
  for (const person of COLLEAGUES) await provision(askQuietly, person);
  await say(`… and the same for ${COLLEAGUES.length} colleagues`);
  const { Resources: found } = await ask('GET', toSearch('Groups', 'displayName', PAYROLL));
  const { id } = Object([found].flat()[0]);
  expectThat(id !== undefined, `${PAYROLL} is found`);
  const value = ids.map((each, n) => ({ value: each, display: [ADA, GRACE][n]?.email ?? '' }));
  await ask('PATCH', `/scim/v2/Groups/${id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'members', value }],
  });
  const people = [ADA, GRACE, ...COLLEAGUES];
  const isThere = ({ email }: typeof ADA) => service.findUser(email)?.active === true;
  expectThat(people.every(isThere), 'everybody of Okta has an active account');
  const members = expectPayroll();
  await say(`The service now has ${people.length} accounts more, and ${PAYROLL} with ${members}.`);
}

const CHANGES = ['member.added', 'member.removed', 'user.deactivated'];

/** An administrator changes three things in the service; the bridge says who it was, and changes them back. */
async function playBehindTheBack(): Promise<void> {
  await say(`${ADMIN.email} takes Ada out of ${PAYROLL}, puts Alan in, and deactivates Grace.`);
  behindTheBack.unlink(PAYROLL, ADA.email);
  behindTheBack.link(PAYROLL, ALAN);
  behindTheBack.updateUser(GRACE.email, { active: false });
  const startedAt = performance.now();
  const { items } = await untilRead<OpsJson<'DriftList'>>(
    'three changes are repaired',
    DRIFTS.path,
    ({ items: found }) =>
      found.length === CHANGES.length && found.every(({ status }) => status === 'repaired'),
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  await say('The bridge reads the audit log, looks at these three, and repairs them:');
  await tell('GET /ops/drifts', items.map(toDriftLine));
  const kinds = items.map(({ kind }) => kind).toSorted();
  expectThat(kinds.join() === CHANGES.join(), `these were the changes: ${kinds.join()}`);
  const isByAdmin = ({ who }: OpsJson<'Drift'>) =>
    who?.address === ADMIN.address && ADMIN.email.startsWith(`${who.username}`);
  expectThat(items.every(isByAdmin), 'the audit log names the administrator of each');
  expectPayroll();
  expectThat(service.getUser(GRACE.email).active, 'Grace is active again');
  await say(`After ${seconds} s the service is again as the provider wants it.`);
}

function toDriftLine(drift: OpsJson<'Drift'>): string {
  const { kind, status, who } = drift;
  const by = who === null ? 'by nobody known' : `by ${who.username} from ${who.address}`;
  return `${kind.padEnd(16)} ${toSubject(drift).padEnd(30)} ${status.padEnd(9)} ${by}`;
}

/** Many people are put into a group. Their removal would be a mass removal, so the bridge asks first. */
async function playIntrusion(): Promise<void> {
  await say(`${ADMIN.email} puts ${COLLEAGUES.length} people into ${PAYROLL}.`);
  for (const { email } of COLLEAGUES) behindTheBack.link(PAYROLL, email);
  const { items: held } = await untilRead<OpsJson<'PlanList'>>(
    'a plan is held',
    '/plans?status=held',
    ({ items }) => items.length > 0,
  );
  const [{ id, hash } = { id: '', hash: '' }] = held;
  expectThat(held.length === 1, 'one plan waits');
  const lines = await run('plan show');
  const decision = lines.find((line) => line.includes('plan approve')) ?? '';
  expectThat(decision.includes(hash), 'the plan says how it is approved');
  const first = lines.indexOf('') + 2; // Behind the heads of the columns.
  const more = `… (${COLLEAGUES.length - 3} more)`;
  for (const line of [lines[0] ?? '', ...lines.slice(first, first + 3), more, decision]) {
    await show(`     ${line}`, 'gray');
  }
  expectThat(service.members(PAYROLL).length > COLLEAGUES.length, 'nothing was done by itself');

  await say('The operator has seen it, and approves exactly that:');
  const [head = ''] = await run(`plan approve ${id} ${hash}`);
  await show(`     ${head}`, 'gray');
  const isApplied = ({ status }: OpsJson<'Plan'>) => status === 'applied';
  const plan = await untilRead('the plan is applied', `/plans/${id}`, isApplied);
  const done = plan.actions.filter(({ status }) => status === 'done').length;
  expectThat(done === COLLEAGUES.length, `all of it was done, not ${done}`);
  await say(`Applied: ${done} removed; ${PAYROLL} is ${expectPayroll()} again.`);
}

const scenes = [
  ['Okta provisions people, and links a group that is there already', playOkta],
  ["An administrator changes things behind the provider's back", playBehindTheBack],
  ['A repair that would take away a lot waits for an operator', playIntrusion],
] as const;

function fail(error: unknown): never {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = `The demo failed: ${error instanceof DemoError ? error.message : words}`;
  process.stderr.write(`\n${styleText('red', text, { stream: process.stderr })}\n`);
  process.exit(1);
}

/** Starts a bridge in front of an imitation of the service, and waits until it has read the service. */
async function openWorld() {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-demo-'));
  const sandbox = await startSandbox({ token: tokens.service });
  const people = sandbox.service;
  people.addUser({ email: ADMIN.email, fullName: 'Mallory Example' });
  people.addUser({ email: ALAN, fullName: 'Alan Turing' });
  people.createGroup({ name: PAYROLL });
  const stopping = Promise.withResolvers<string>();
  const listening = Promise.withResolvers<string>();
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '100',
    SCIM_TOKENS: tokens.okta,
    OPS_TOKEN: tokens.operator,
    AUDIT_POLL_INTERVAL: '1s',
    DRIFT_POLICY: 'repair',
    DRIFT_SETTLE: '0s',
  };
  const running = serve(loadSettings({ env, readFile: () => '' }), {
    env: {},
    write(banner) {
      const found = /^SCIM base URL\s+(http\S+)\/scim\/v2$/m.exec(banner)?.[1];
      if (found !== undefined) listening.resolve(found);
    },
    untilStopped: () => stopping.promise,
  });
  const address = await Promise.race([listening.promise, running]);
  const readStatus = async () => (await request(`${address}/readyz`)).statusCode;
  await until('the bridge has read the service', readStatus, (status) => status === 200);
  return {
    url: `${address}`,
    service: people,
    behindTheBack: people.as(ADMIN.email, ADMIN.address),
    async stop() {
      stopping.resolve('the end of the demo');
      await running;
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const { url, service, behindTheBack, stop } = await openWorld().catch(fail);
try {
  for (const [place, [title, scene]] of scenes.entries()) {
    await show(`\n${place + 1}. ${title}`, 'bold', SCENE_MS);
    await scene();
    await sleep(SCENE_MS);
  }
} catch (error) {
  await stop();
  fail(error);
}
await stop();
