import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, styleText } from 'node:util';
import { DRIFTS, toSubject } from '../../src/ops/lists/drifts.ts';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import { createTalk, type Talk } from './talk.ts';
import {
  ADMIN,
  ALAN,
  DemoError,
  expectThat,
  openWorld,
  PAYROLL,
  until,
  type World,
} from './world.ts';

/**
 * `npm run demo [-- --fast]`: tells what the bridge does, on an imitation of the service, in half a minute. Whatever
 * is shown was asked over HTTP and is so: otherwise it ends with 1. Leaves nothing behind.
 */
const { values } = parseArgs({ options: { fast: { type: 'boolean', default: false } } });
/** How long a line and a headline stay alone on the screen, in milliseconds. */
const [LINE_MS, SCENE_MS] = values.fast ? [0, 0] : [180, 1_200];
/** Nobody reads more of one line. */
const LINE_MAX = 144;

async function play(world: World): Promise<void> {
  const scenes = [
    ['Okta provisions people, and links a group that is there already', playOkta],
    ["An administrator changes things behind the provider's back", playBehindTheBack],
    ['A repair that would take away a lot waits for an operator', playIntrusion],
  ] as const;
  for (const [place, [title, scene]] of scenes.entries()) {
    await show(`\n${place + 1}. ${title}`, 'bold', SCENE_MS);
    await scene(createTalk(world, show));
    await sleep(SCENE_MS);
  }
}

/** Shows a line: coloured where it can be, and at a pace that can be read. */
async function show(
  line: string,
  style?: 'bold' | 'cyan' | 'gray',
  pauseMs = LINE_MS,
): Promise<void> {
  const short = line.length > LINE_MAX ? `${line.slice(0, LINE_MAX - 1)}…` : line;
  const text = style === undefined ? short : styleText(style, short, { stream: process.stdout });
  process.stdout.write(`${text}\n`);
  await sleep(pauseMs);
}

interface Person {
  readonly given: string;
  readonly family: string;
  readonly email: string;
}

function toPerson(given: string, family: string): Person {
  return { given, family, email: `${given}@example.com`.toLowerCase() };
}

const ADA = toPerson('Ada', 'Lovelace');
const GRACE = toPerson('Grace', 'Hopper');
/** Everybody else of whom Okta knows: more than one plan may take out of groups by itself. */
const COLLEAGUES = Array.from({ length: 25 }, (_, n) => toPerson(`Colleague${n + 1}`, 'Example'));

/** Okta looks each person up, creates them, and pushes a group, which is there already: its first write takes it over. */
async function playOkta(talk: Talk): Promise<void> {
  const ids = [await provision(talk.ask, ADA), await provision(talk.ask, GRACE)];
  for (const person of COLLEAGUES) await provision(talk.askQuietly, person);
  await talk.say(`… and the same for ${COLLEAGUES.length} colleagues`);
  const { Resources: found } = await talk.ask(
    'okta',
    'GET',
    toSearch('Groups', 'displayName', PAYROLL),
  );
  const id = Object([found].flat()[0]).id;
  expectThat(id !== undefined, `${PAYROLL} is found`);
  const value = ids.map((id, n) => ({ value: id, display: [ADA, GRACE][n]?.email ?? '' }));
  await talk.ask('okta', 'PATCH', `/scim/v2/Groups/${id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'members', value }],
  });
  const members = expectPayroll(talk);
  const people = [ADA, GRACE, ...COLLEAGUES];
  expectThat(
    people.every(({ email }) => talk.world.service.findUser(email)?.active === true),
    'everybody of Okta has an active account',
  );
  await talk.say(
    `The service now has ${people.length} accounts more, and ${PAYROLL} with ${members.join(' and ')}.`,
  );
}

/** The members of the group, who are those that Okta wants. */
function expectPayroll({ world }: Talk): readonly string[] {
  const members = world.service.members(PAYROLL);
  expectThat(members.join() === `${ADA.email},${GRACE.email}`, `${PAYROLL} has its two members`);
  return members;
}

function toSearch(type: 'Users' | 'Groups', attribute: string, value: string): string {
  const filter = encodeURIComponent(`${attribute} eq "${value}"`);
  return `/scim/v2/${type}?filter=${filter}&startIndex=1&count=100`;
}

/** As Okta does it: a look-up, then a POST. Returns the SCIM id. */
async function provision(ask: Talk['ask'], { given, family, email }: Person): Promise<string> {
  const found = await ask('okta', 'GET', toSearch('Users', 'userName', email));
  expectThat(found.totalResults === 0, `nobody is called ${email} yet`);
  const user = await ask('okta', 'POST', '/scim/v2/Users', {
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

/** Drifts that the administrator makes. */
const CHANGES = ['member.added', 'member.removed', 'user.deactivated'];

/** An administrator changes three things in the service; the bridge says who it was, and changes them back. */
async function playBehindTheBack(talk: Talk): Promise<void> {
  const { service, behindTheBack } = talk.world;
  await talk.say(
    `${ADMIN.email} takes Ada out of ${PAYROLL}, puts Alan in, and deactivates Grace.`,
  );
  behindTheBack.removeMember(PAYROLL, ADA.email);
  behindTheBack.addMember(PAYROLL, ALAN);
  behindTheBack.setActive(GRACE.email, false);
  const startedAt = performance.now();
  const { items } = await until(
    'three changes are repaired',
    () => talk.read('DriftList', DRIFTS.path),
    ({ items: found }) =>
      found.length === CHANGES.length && found.every(({ status }) => status === 'repaired'),
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  await talk.say('The bridge reads the audit log, looks at these three, and repairs them:');
  await talk.tell('GET /ops/drifts', items.map(toDriftLine));
  const kinds = items.map(({ kind }) => kind).toSorted();
  expectThat(kinds.join() === CHANGES.join(), `these were the changes: ${kinds.join()}`);
  const isByAdmin = ({ who }: OpsJson<'Drift'>) =>
    who?.address === ADMIN.address && ADMIN.email.startsWith(`${who.username}`);
  expectThat(items.every(isByAdmin), 'the audit log names the administrator of each');
  expectPayroll(talk);
  expectThat(service.getUser(GRACE.email).active, 'Grace is active again');
  await talk.say(`After ${seconds} s the service is again as the provider wants it.`);
}

/** One drift in a line: what, of whom, what became of it, and by whom. */
function toDriftLine(drift: OpsJson<'Drift'>): string {
  const { kind, status, who } = drift;
  const by = who === null ? 'by nobody known' : `by ${who.username} from ${who.address}`;
  return `${kind.padEnd(16)} ${toSubject(drift).padEnd(30)} ${status.padEnd(9)} ${by}`;
}

/** How many actions of a plan are shown. */
const SHOWN = 3;

/** Many people are put into a group. Taking them out again would be a mass removal, so the bridge asks first. */
async function playIntrusion(talk: Talk): Promise<void> {
  const { service, behindTheBack } = talk.world;
  await talk.say(`${ADMIN.email} puts ${COLLEAGUES.length} people into ${PAYROLL}.`);
  for (const { email } of COLLEAGUES) behindTheBack.addMember(PAYROLL, email);
  const { items: held } = await until(
    'a plan is held',
    () => talk.read('PlanList', '/plans?status=held'),
    ({ items }) => items.length > 0,
  );
  const [{ id, hash, counts } = { id: '', hash: '', counts: { harm: {} } }] = held;
  expectThat(held.length === 1, 'one plan waits');
  expectThat(Object(counts.harm).removeMember === COLLEAGUES.length, 'it would remove all of them');
  const lines = await talk.run('plan show');
  const decision = lines.find((line) => line.includes('plan approve')) ?? '';
  expectThat(decision.includes(hash), 'the plan says how it is approved');
  const actions = lines.slice(1).filter((line) => line.startsWith('  '));
  const more = `  … (${actions.length - SHOWN} more)`;
  await talk.answer([lines[0] ?? '', ...actions.slice(0, SHOWN), more, decision]);
  const before = service.members(PAYROLL).length;
  expectThat(before === COLLEAGUES.length + 2, 'nothing was done about it by itself');

  await talk.say('The operator has seen it, and approves exactly that:');
  const [head = ''] = await talk.run(`plan approve ${id} ${hash}`);
  await talk.answer([head]);
  const plan = await until(
    'the plan is applied',
    () => talk.read('Plan', `/plans/${id}`),
    ({ status }) => status === 'applied',
  );
  const done = plan.actions.filter(({ status }) => status === 'done').length;
  expectThat(done === COLLEAGUES.length, `all of it was done, not ${done}`);
  const members = expectPayroll(talk);
  await talk.say(`Applied: ${done} removed; ${PAYROLL} is ${members.join(' and ')} again.`);
}

// At the end, where everything that the story needs is there.
try {
  const world = await openWorld();
  try {
    await play(world);
  } finally {
    await world.stop();
  }
} catch (error) {
  process.exitCode = 1;
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = `The demo failed: ${error instanceof DemoError ? error.message : words}`;
  process.stderr.write(`\n${styleText('red', text, { stream: process.stderr })}\n`);
}
