import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ObservedUser } from '../../../src/domain/kinds.ts';
import type { SandboxGroup, SandboxUser } from '../../../src/sandbox/model.ts';
import { hasWaiting } from '../../../src/store/engine/columns.ts';
import type { GroupRow, UserRow } from '../../../src/store/resources/rows.ts';
import { updateWhere } from '../../../src/store/tables.ts';
import type { Play } from './play.ts';
import { createPlay } from './play.ts';
import type { Snapshot, Trace } from './snapshot.ts';
import { createTrace, readName, readPending, readSnapshot } from './snapshot.ts';
import type { World } from './world.ts';
import { openWorld } from './world.ts';

/** A story of requests and mishaps, of which a seed makes one schedule. */
export interface Scenario {
  readonly name: string;
  /** How often time passes although something could go on, when it is not as usual. */
  readonly timePasses?: number;
  begin(play: Play): Promise<() => Promise<readonly string[]>>;
}

const STEPS_MAX = 4_000;
const PATIENCE_MS = 20_000;
const STUCK_AHEAD_MS = 50 * 60_000;
const TIME_PASSES = 0.04;
const AGAIN = 0.2;
const STUCK_ROUNDS = 2;

async function runSchedule(
  world: World,
  scenario: Scenario,
  seed: number,
  trace?: Trace,
): Promise<readonly string[]> {
  await world.empty();
  const play = createPlay(world, { seed, timePasses: scenario.timePasses ?? TIME_PASSES, trace });
  const check = await scenario.begin(play);
  for (let steps = 0; await play.isActing(); steps += 1) {
    if (steps > STEPS_MAX) return ['the requests never come to an end'];
    if (!(await play.scheduler.step())) return ['a request waits for something that never happens'];
  }
  if (!(await comeToRest(play, STUCK_ROUNDS))) return ['the work never comes to an end'];
  const violations = [...(await checkInvariants(play)), ...(await check())];
  const isAsked = violations.length === 0 && play.random.chance(AGAIN);
  return isAsked ? convergeAgain(play) : violations;
}

async function comeToRest(play: Play, stuckRounds: number): Promise<boolean> {
  const { scheduler } = play;
  play.setTrouble({});
  if (!play.replicas.some(({ isAlive }) => isAlive)) await play.addReplica('last');
  let rounds = 0;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    if (await scheduler.stepNow()) continue;
    const dueAt = findNextAt(play);
    if (dueAt === undefined) return true;
    if (dueAt > scheduler.now() + STUCK_AHEAD_MS) {
      rounds += 1;
      if (rounds > stuckRounds) return true;
    }
    scheduler.advanceTo(Math.max(dueAt, scheduler.now() + PATIENCE_MS));
    await scheduler.step();
  }
  return false;
}

function findNextAt({ world, scheduler, office, replicas }: Play): number | undefined {
  const isBusy = office.isChanging || replicas.some(({ isCalling }) => isCalling);
  return isBusy ? scheduler.now() : world.findNextAt();
}

async function convergeAgain(play: Play): Promise<readonly string[]> {
  const { world, company, scheduler } = play;
  const before = company.calls;
  const atRest = { deleted_at: null, stuck_at: null };
  await world.store.write((tx) => updateWhere(tx, 'resources', atRest, { due_at: 1 }));
  scheduler.advanceTo(scheduler.now() + PATIENCE_MS);
  if (!(await comeToRest(play, 0))) return ['converging again never ends'];
  const calls = company.calls - before;
  return calls === 0 ? [] : [`converging again made ${calls} calls`];
}

async function checkInvariants(play: Play): Promise<string[]> {
  const snapshot = await readSnapshot(play.world.store);
  return [
    ...play.failures.map((failure) => `our own error: ${describeError(failure)}`),
    ...checkAnswers(play),
    ...[...snapshot.users, ...snapshot.groups].flatMap(checkRest),
    ...snapshot.users.flatMap((row) => checkUser(play, row)),
    ...snapshot.groups.flatMap((row) => checkGroup(play, row, snapshot)),
    ...checkAccounts(play, snapshot),
    ...checkGroups(play, snapshot),
  ];
}

function describeError(error: unknown): string {
  return error instanceof Error
    ? `${error.message} ${describeError(error.cause)}`
    : String(error ?? '');
}

function checkAnswers({ sent, company }: Play): string[] {
  // 503 is said of what could not be looked at, and then nothing is stored.
  const odd = sent.filter(
    ({ status, stored, request }) =>
      ((status ?? 0) >= 500 && (status !== 503 || stored !== undefined)) ||
      (status === 400 && stored !== undefined && !company.mayRefuse(JSON.stringify(request.body))),
  );
  return odd.map(({ status, detail }) => `a request was answered ${status}: ${detail}`);
}

function checkRest(row: UserRow | GroupRow): string[] {
  const waits = hasWaiting(row);
  const isGone = row.deleted_at !== null && row.due_at === null;
  const problems = [
    row.unsure_until !== null && !isGone && 'a call may still take effect',
    waits && row.stuck_at === null && `${row.cells} waits and is not stuck`,
    waits && row.due_at === null && `${row.cells} waits and is never due`,
    row.stuck_at !== null && row.last_error === null && 'is stuck and nobody knows why',
    row.must_look !== 0 && !isGone && 'was never looked at',
  ];
  return problems.flatMap((problem) => (problem === false ? [] : [`${row.id}: ${problem}`]));
}

function checkAccounts({ company }: Play, { users }: Snapshot): string[] {
  const accounts = company.service.users().filter(({ id }) => id !== company.service.owner.id);
  return accounts.flatMap((account) => {
    const rows = users.filter(({ upstream_id }) => upstream_id === account.id);
    const live = rows.filter(({ deleted_at }) => deleted_at === null);
    if (live.length > 1) return [`account ${account.email} belongs to ${live.length} users`];
    return rows.length === 0 && account.active ? [`account ${account.email} is nobody's`] : [];
  });
}

function checkGroups({ company }: Play, { groups }: Snapshot): string[] {
  return company.service.groups().flatMap((group) => {
    const rows = groups.filter(({ upstream_id }) => upstream_id === group.id);
    const live = rows.filter(({ deleted_at }) => deleted_at === null);
    if (live.length > 1) return [`group ${group.name} belongs to ${live.length} groups`];
    return rows.length === 0 ? [`group ${group.name} is nobody's`] : [];
  });
}

function checkUser({ company }: Play, row: UserRow): string[] {
  const account = row.upstream_id === null ? undefined : company.service.findUser(row.upstream_id);
  const problems = account === undefined ? checkUnlinked(row) : checkLinked(row, account);
  return problems.map((problem) => `${row.id}: ${problem}`);
}

function checkUnlinked(row: UserRow): string[] {
  if (row.upstream_id !== null) return ['its account is not there'];
  const isWanted = row.deleted_at === null && row.active === 1 && row.origin !== null;
  const waits = readPending(row).account !== undefined;
  return isWanted && !waits ? ['is wanted and has no account'] : [];
}

function checkLinked(row: UserRow, account: SandboxUser): string[] {
  const { fullName, active }: Partial<ObservedUser> = row.observed ?? {};
  const waits = readPending(row);
  const wanted = toWanted(row);
  const isOurs = row.origin !== null;
  const problems = [
    fullName !== account.fullName && `${fullName} is not what the service holds`,
    active !== account.active && `active=${active} is not what it holds`,
    isOurs &&
      waits.active === undefined &&
      wanted.active !== account.active &&
      `active is not ${wanted.active}`,
    isOurs &&
      waits.name === undefined &&
      wanted.name !== undefined &&
      wanted.name !== account.fullName &&
      `${account.fullName} is not ${wanted.name}`,
  ];
  return problems.filter((problem) => problem !== false);
}

/** Of somebody who was deleted only access is wanted: none. */
function toWanted(row: UserRow): { active: boolean; name: string | undefined } {
  if (row.deleted_at !== null) return { active: false, name: undefined };
  return { active: row.active === 1, name: readName(row) };
}

function checkGroup(play: Play, row: GroupRow, snapshot: Snapshot): string[] {
  const { service } = play.company;
  const group = row.upstream_id === null ? undefined : service.findGroup(row.upstream_id);
  const problems =
    group === undefined ? checkMissing(row) : checkPresent(play, { row, group, snapshot });
  return problems.map((problem) => `${row.id}: ${problem}`);
}

function checkMissing(row: GroupRow): string[] {
  if (row.deleted_at !== null || row.origin === null) return [];
  if (row.upstream_id !== null) return ['the group is not in the service'];
  return !hasWaiting(row) ? ['is wanted and not there'] : [];
}

interface Present {
  readonly row: GroupRow;
  readonly group: SandboxGroup;
  readonly snapshot: Snapshot;
}

function checkPresent(play: Play, { row, group, snapshot }: Present): string[] {
  if (row.origin === null) return [];
  if (row.deleted_at !== null) return row.origin === 'created' ? ['is deleted and there'] : [];
  const isRenamed = !hasWaiting(row) && group.name !== row.name;
  return [
    ...(isRenamed ? [`is called ${group.name} in the service`] : []),
    ...checkMembers(play, { row, group, snapshot }),
  ];
}

function checkMembers({ company }: Play, { row, group, snapshot }: Present): string[] {
  const there = company.service.state.usersOf('member', group.id);
  const accounts = new Map(snapshot.users.map(({ seq, upstream_id }) => [seq, upstream_id]));
  const known = new Set<number>();
  const problems = snapshot.members.flatMap((link) => {
    const account = accounts.get(link.target);
    if (link.group_id !== row.seq || typeof account !== 'number') return [];
    known.add(account);
    const { target, desired, observed, pending, retry_at } = link;
    const isThere = there.has(account);
    const isOtherwise = desired !== null && (desired === 1) !== isThere;
    const found = [
      (observed === 1) !== isThere && `member ${target} observed=${observed} is ${isThere}`,
      pending !== null && retry_at === null && `member ${target} waits and is not stuck`,
      pending === null && isOtherwise && `member ${target} desired=${desired} is ${isThere}`,
    ];
    return found.filter((problem) => problem !== false);
  });
  const strangers = [...there].filter((account) => !known.has(account));
  return [...problems, ...strangers.map((account) => `nobody knows of member ${account}`)];
}

const SEED = process.env.INTERLEAVING_SEED;
const SCHEDULES = process.env.INTERLEAVING_SCHEDULES;
const TIMEOUT_MS = 600_000;

/** Plays each scenario in so many schedules, one a seed; the first that breaks a promise fails with its steps. */
export function describeScenarios(
  title: string,
  scenarios: readonly { scenario: Scenario; schedules: number }[],
): void {
  describe(title, () => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld(inject('sqliteTemplate'));
    });
    afterAll(() => world.close());

    for (const { scenario, schedules } of scenarios) {
      test(scenario.name, { timeout: TIMEOUT_MS }, async () => {
        const failure = await findFailure(world, scenario, listSeeds(schedules));

        expect(failure).toBeUndefined();
      });
    }
  });
}

function listSeeds(schedules: number): number[] {
  if (SEED !== undefined) return [Number(SEED)];
  return Array.from({ length: Number(SCHEDULES ?? schedules) }, (_, index) => index + 1);
}

async function findFailure(
  world: World,
  scenario: Scenario,
  seeds: readonly number[],
): Promise<string | undefined> {
  for (const seed of seeds) {
    const violations = await runSchedule(world, scenario, seed);
    if (violations.length === 0) continue;
    const trace = createTrace(world.store);
    await runSchedule(world, scenario, seed, trace);
    return [
      `INTERLEAVING_SEED=${seed} npx vitest run test/model/interleavings -t '${scenario.name}'`,
      ...violations,
      ...trace.lines,
    ].join('\n');
  }
  return undefined;
}
