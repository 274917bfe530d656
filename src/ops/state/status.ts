import { ACTIVE_STATUSES } from '../../domain/drift.ts';
import { countFreeSeats, toDaysLeft } from '../../domain/seats.ts';
import type { Queue } from '../../reconcile/bounded-wait.ts';
import { countDrifts, countUnmanaged } from '../../store/drifts.ts';
import {
  countTakenSeats,
  countWaitingForSeat,
  findOldestSample,
  listFailing,
  listStuck,
  QUEUED_CLASSES,
  type TroubledResource,
} from '../../store/resources/backlog.ts';
import { findLateLeavers, type LateLeavers } from '../../store/resources/leavers.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, type Row } from '../../store/tables.ts';
import type { TransportHealth } from '../../upstream/transport.ts';
import { findLastSweep } from '../drift/sweeps.ts';
import { toPage } from '../http/list-query.ts';
import { ok, problem, route } from '../http/route.ts';
import { toMoment } from '../http/view.ts';
import { PAUSE, RESUME } from '../lists/acts.ts';
import { SETTINGS } from '../lists/plans.ts';
import { toReadingView } from '../recovery/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources, StatusSources } from '../sources.ts';
import { readWaitingWork, type WaitingWork, type WritesFacts } from './readiness-facts.ts';
import { readReadiness } from './reasons.ts';

const TROUBLE_MAX = 100;
const LATEST = { order: 'last_seen_at desc', limit: TROUBLE_MAX } as const;

/** The request for the state of the bridge. */
export const statusRoute = route({
  method: 'get',
  path: '/status',
  tag: 'State',
  summary: 'What waits, fails and is stuck, with the words of the service, and what stops calls.',
  answers: { 200: 'Status' },
  handle: async (sources: OpsSources) => ok(await readStatus(sources)),
});

const LEAVERS_SHOWN = 10;

/** Reads what waits, what is stuck with the service's words, and what only an operator can decide. */
async function readStatus({
  status: sources,
  findReading,
}: OpsSources): Promise<OpsJson<'Status'>> {
  const { store, clock, about, engine, scimUrl, news } = sources;
  const db = store.read;
  const now = clock.now();
  const backlog = await readWaitingWork(db, now);
  const late = { before: now, limit: LEAVERS_SHOWN };
  const drifts = await countDrifts(db);
  const { firstRead, health } = news();
  const attempts = sources.viewAttempts();
  return {
    ...(await readReadiness(sources)),
    scimUrl,
    queue: toQueueStatus(await sources.readQueue(), backlog, sources),
    bridge: { version: about.version, startedAt: toMoment(about.startedAt), engine },
    firstRead: firstRead.kind === 'finished' ? null : toReadingView(firstRead),
    lastSweep: await findLastSweep(db, findReading()),
    drifts: drifts.filter(({ status }) => ACTIVE_STATUSES.some((active) => active === status)),
    unmanaged: await countUnmanaged(db),
    writes: toWritesView(sources.writes(), backlog),
    due: backlog.due,
    failingCount: backlog.failing,
    failing: (await listFailing(db, TROUBLE_MAX)).map(toTroubleStatus),
    oldestSince: backlog.oldestSince === undefined ? null : toMoment(backlog.oldestSince),
    seats: await sources.readSeats(),
    stuckCount: backlog.stuck,
    stuck: (await listStuck(db, TROUBLE_MAX)).map(toTroubleStatus),
    leavers: toLeaversStatus(await findLateLeavers(db, late), sources.writes()),
    disputes: (await listWhere(db, 'disputes', {}, LATEST)).map(toDisputeStatus),
    upstream: {
      ...health,
      credentials: toGateStatus(health.credentials),
      service: toGateStatus(health.service),
    },
    authentication: {
      failed: attempts.failed,
      sources: attempts.sources.map((one) => ({ ...one, lastAt: toMoment(one.lastAt) })),
    },
    activity: sources.activity(),
  };
}

function toTroubleStatus({ since, nextAttemptAt, ...one }: TroubledResource) {
  return {
    ...one,
    since: toMoment(since),
    nextAttemptAt: toMoment(nextAttemptAt),
  };
}

function toQueueStatus(
  { isHeld, aheadMs: { remove, change } }: Queue,
  { queued }: WaitingWork,
  sources: Pick<StatusSources, 'news' | 'callMs'>,
): OpsJson<'Status'>['queue'] {
  let ahead = 0;
  const { credentials, service, pausedForMs } = sources.news().health;
  const isStopped = isHeld || credentials.kind === 'shut' || service.kind === 'shut';
  return {
    ...{ isHeld, removeMs: Math.round(remove), changeMs: Math.round(change) },
    classes: QUEUED_CLASSES.map((name) => {
      const waiting = queued[name];
      ahead += waiting;
      const endMs = waiting === 0 ? 0 : Math.round(pausedForMs + ahead * sources.callMs);
      return { class: name, waiting, endMs: isStopped && waiting > 0 ? null : endMs };
    }),
  };
}

function toGateStatus(gate: TransportHealth['service']) {
  if (gate.kind === 'open') return { kind: gate.kind };
  const { kind, sinceMs, nextProbeMs } = gate;
  return { kind, since: toMoment(sinceMs), nextProbeAt: toMoment(nextProbeMs) };
}

/** Decision of an operator that keeps leavers in. */
export type LeaverHold = NonNullable<NonNullable<OpsJson<'Status'>['leavers']>['heldBy']>;

/** Finds the decision of an operator that keeps a leaver in; undefined: the service does. */
export function findLeaverHold(
  { plan }: { readonly plan: string | null },
  { mode, pause }: WritesFacts,
): LeaverHold | undefined {
  if (plan !== null) return 'plan';
  if (mode === 'observe') return 'observe-mode';
  return pause && 'writes-paused';
}

function toLeaversStatus({ count, some }: LateLeavers, writes: WritesFacts) {
  const [oldest] = some;
  if (oldest === undefined) return null;
  const toView = (leaver: LateLeavers['some'][number]) => ({
    since: toMoment(leaver.left_at),
    heldBy: findLeaverHold(leaver, writes) ?? null,
    plan: leaver.plan,
  });
  const first = some.map((leaver) => ({
    ...{ id: leaver.id, name: leaver.name, ...toView(leaver) },
  }));
  return { count, ...toView(oldest), first };
}

function toWritesView({ mode, pause }: WritesFacts, { changes }: WaitingWork): OpsJson<'Writes'> {
  const paused =
    pause === undefined ? null : { since: toMoment(pause.since), reason: pause.reason };
  return { mode, paused, waiting: changes };
}

/** Requests that stop and resume all changes of the service. */
export const writesRoutes = [
  route({
    ...PAUSE,
    handle: ({ status, pause }: OpsSources, { body }) =>
      change(status, () => pause(body.reason ?? null)),
  }),
  route({
    ...RESUME,
    handle: ({ status, resume }: OpsSources) => change(status, resume),
  }),
] as const;

/** Does something, and notes the states before and after it. */
async function change(status: StatusSources, work: () => Promise<unknown>) {
  const before = await readWrites(status);
  await work();
  const after = await readWrites(status);
  return { ...ok(after), change: { before: toState(before), after: toState(after) } };
}

async function readWrites({ writes, store, clock }: StatusSources): Promise<OpsJson<'Writes'>> {
  return toWritesView(writes(), await readWaitingWork(store.read, clock.now()));
}

function toState({ paused }: OpsJson<'Writes'>) {
  return { paused: paused !== null, reason: paused?.reason ?? null };
}

/** The request for the settings in effect. */
export const settingsRoute = route({
  ...SETTINGS,
  async handle({ settings }: OpsSources, { query }) {
    const { from: wanted, q = '' } = query.filters;
    const text = q.toLowerCase();
    const all = settings.filter(({ name, variable, from }) => {
      const isNamed = [name, variable].some((word) => word.toLowerCase().includes(text));
      return isNamed && (wanted === undefined || from === wanted);
    });
    return ok(toPage(all, query));
  },
});

/** The request for the embedded sandbox. */
export const sandboxRoute = route({
  method: 'get',
  path: '/sandbox',
  tag: 'State',
  summary: 'Where the embedded sandbox is, for its controls: docs/command-line.md#sandbox.',
  answers: { 200: 'Sandbox', 404: 'Problem' },
  handle: async ({ sandbox }: OpsSources, { operator }) =>
    sandbox === undefined
      ? problem(404, 'no-sandbox', 'The bridge stands before a real service.')
      : ok({ url: sandbox.url, token: operator.purpose === 'operator' ? sandbox.token : null }),
});

function toDisputeStatus(row: Row<'disputes'>): OpsJson<'Status'>['disputes'][number] {
  const { resource_type: type, name_folded: name, reason, count } = row;
  const [firstSeenAt, lastSeenAt] = [toMoment(row.first_seen_at), toMoment(row.last_seen_at)];
  return { type, name, reason, count, firstSeenAt, lastSeenAt };
}

/** Reads what is known of the seats of the service at `now` (epoch milliseconds). `total` is the number of the settings; 0: not known. */
export async function readSeats(db: Db, total: number, now: number): Promise<OpsJson<'Seats'>> {
  const [used, waiting, oldest] = await Promise.all([
    countTakenSeats(db),
    countWaitingForSeat(db),
    findOldestSample(db),
  ]);
  const seats = { total: total === 0 ? undefined : total, used, waiting };
  return {
    total: seats.total ?? null,
    used,
    waiting,
    free: countFreeSeats(seats) ?? null,
    daysLeft: toDaysLeft(seats, oldest, now) ?? null,
  };
}
