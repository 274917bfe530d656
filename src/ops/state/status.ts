import { ACTIVE_STATUSES } from '../../domain/drift.ts';
import { countFreeSeats, toDaysLeft } from '../../domain/seats.ts';
import type { Queue } from '../../reconcile/bounded-wait.ts';
import { countDrifts } from '../../store/drifts.ts';
import {
  countTakenSeats,
  listFailing,
  listStuck,
  readBacklog,
} from '../../store/resources/backlog.ts';
import { findLateLeavers, type LateLeavers } from '../../store/resources/leavers.ts';
import type { Db } from '../../store/store.ts';
import { countWhere, findOne, listWhere } from '../../store/tables.ts';
import type { TransportHealth } from '../../upstream/transport.ts';
import { missing } from '../http/body.ts';
import { toPage } from '../http/list-query.ts';
import { ok, route } from '../http/route.ts';
import { toView } from '../http/view.ts';
import { acts } from '../lists/acts.ts';
import { SETTINGS } from '../lists/plans.ts';
import { toReadingView } from '../recovery/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { QUEUED_CLASSES } from '../schemas/state.ts';
import type { StatusSources } from '../sources.ts';
import { readWaitingWork, type WaitingWork, type WritesFacts } from './readiness-facts.ts';
import { readReadiness } from './reasons.ts';
import { findLastSweep } from './work.ts';

/** Requests for the state of the bridge, and those that stop and resume all changes of the service. */
export const statusRoutes = [
  route(
    {
      path: '/status',
      summary:
        'What waits, fails and is stuck, with the words of the service, and what stops calls.',
      answers: { 200: 'Status' },
    },
    async (sources) => ok(await readStatus(sources)),
  ),
  route(SETTINGS, async ({ settings }, { query }) => {
    const { from: wanted, q = '' } = query.filters;
    const text = q.toLowerCase();
    const all = settings.filter(({ name, variable, from }) => {
      const isNamed = [name, variable].some((word) => word.toLowerCase().includes(text));
      return isNamed && (wanted === undefined || from === wanted);
    });
    return ok(toPage(all, query));
  }),
  route(
    {
      path: '/sandbox',
      summary: 'Where the embedded sandbox is, for its controls: docs/command-line.md#sandbox.',
      answers: { 200: 'Sandbox' },
    },
    async ({ sandbox }, { operator }) => {
      if (sandbox === undefined) missing('The bridge stands before a real service.', 'no-sandbox');
      return ok({ ...sandbox, token: operator.purpose === 'operator' ? sandbox.token : null });
    },
  ),
  route(acts.PAUSE, (sources, { body }) =>
    change(sources, () => sources.pause(body.reason ?? null)),
  ),
  route(acts.RESUME, (sources) => change(sources, sources.resume)),
] as const;

const TROUBLE_MAX = 100;
const LATEST = { order: 'last_seen_at desc', limit: TROUBLE_MAX } as const;
const LEAVERS_SHOWN = 10;

async function readStatus(sources: StatusSources): Promise<OpsJson<'Status'>> {
  const { store, clock, about, scimUrl, news } = sources;
  const db = store.read;
  const now = clock.now();
  const backlog = await readWaitingWork(db, now);
  const drifts = await countDrifts(db);
  const { firstRead, health, reading } = news();
  const writes = sources.writes();
  const view = {
    ...(await readReadiness(sources)),
    scimUrl,
    queue: toQueue(await sources.readQueue(), backlog, sources),
    bridge: { ...about, engine: store.engine },
    firstRead: firstRead.kind === 'finished' ? null : toReadingView(firstRead),
    lastSweep: await findLastSweep(db, reading),
    drifts: drifts.filter(({ status }) => ACTIVE_STATUSES.some((active) => active === status)),
    unmanaged: await countWhere(db, 'drifts', { change: null, status: 'open' }),
    writes: toWrites(writes, backlog),
    due: backlog.due,
    failingCount: backlog.failing,
    failing: await listFailing(db, TROUBLE_MAX),
    oldestSince: backlog.oldestSince,
    seats: await sources.readSeats(),
    stuckCount: backlog.stuck,
    stuck: await listStuck(db, TROUBLE_MAX),
    leavers: toLeavers(await findLateLeavers(db, { before: now, limit: LEAVERS_SHOWN }), writes),
    disputes: (await listWhere(db, 'disputes', {}, LATEST)).map((row) => {
      const { resource_type: type, name_folded: name, last_seen_at: lastSeenAt } = row;
      return { ...row, type, name, firstSeenAt: row.first_seen_at, lastSeenAt };
    }),
    upstream: {
      ...health,
      credentials: toGate(health.credentials),
      service: toGate(health.service),
    },
    authentication: sources.viewAttempts(),
    activity: sources.activity(),
  };
  return toView('Status', view, {});
}

function toQueue(
  { isHeld, aheadMs: { remove, change } }: Queue,
  { queued }: WaitingWork,
  { news, requestsPerSecond }: StatusSources,
): OpsJson<'Status'>['queue'] {
  const { credentials, service, pausedForMs } = news().health;
  const isStopped = isHeld || credentials.kind === 'shut' || service.kind === 'shut';
  const callMs = requestsPerSecond === 0 ? 0 : 1_000 / requestsPerSecond;
  let ahead = 0;
  const classes = QUEUED_CLASSES.map((name) => {
    const waiting = queued[name];
    ahead += waiting;
    const endMs = waiting === 0 ? 0 : Math.round(pausedForMs + ahead * callMs);
    return { class: name, waiting, endMs: isStopped && waiting > 0 ? null : endMs };
  });
  return { isHeld, removeMs: Math.round(remove), changeMs: Math.round(change), classes };
}

function toGate(gate: TransportHealth['service']) {
  if (gate.kind === 'open') return gate;
  const { kind, sinceMs: since, nextProbeMs: nextProbeAt } = gate;
  return { kind, since, nextProbeAt };
}

/** Finds the decision of an operator that keeps a leaver in; undefined: the service does. */
export function findLeaverHold({ plan }: { plan: string | null }, { mode, pause }: WritesFacts) {
  if (plan !== null) return 'plan' as const;
  if (mode === 'observe') return 'observe-mode' as const;
  return pause && ('writes-paused' as const);
}

function toLeavers({ count, some }: LateLeavers, writes: WritesFacts) {
  const first = some.map(({ left_at: since, ...leaver }) => {
    return { ...leaver, since, heldBy: findLeaverHold(leaver, writes) ?? null };
  });
  return first[0] ? { ...first[0], count, first } : null;
}

function toWrites({ mode, pause }: WritesFacts, { changes: waiting }: WaitingWork) {
  return { mode, paused: pause ?? null, waiting };
}

/** Does something, and notes the states before and after it. */
async function change({ writes, store, clock }: StatusSources, work: () => Promise<unknown>) {
  const toState = ({ pause }: WritesFacts) => {
    return { paused: pause !== undefined, reason: pause?.reason ?? null };
  };
  const before = toState(writes());
  await work();
  const facts = writes();
  const waiting = await readWaitingWork(store.read, clock.now());
  const json = toView('Writes', toWrites(facts, waiting), {});
  return { json, change: { before, after: toState(facts) } };
}

/** Reads what is known of the seats of the service at `now` (epoch milliseconds). `total` is the number of the settings; 0: not known. */
export async function readSeats(db: Db, total: number, now: number): Promise<OpsJson<'Seats'>> {
  const { noSeat: waiting } = await readBacklog(db);
  const seats = { total: total || undefined, used: await countTakenSeats(db), waiting };
  const oldest = await findOne(db, 'samples', {}, { order: 'at' });
  return {
    ...seats,
    total: total || null,
    free: countFreeSeats(seats) ?? null,
    daysLeft: toDaysLeft(seats, oldest && { at: oldest.at, used: oldest.seats }, now) ?? null,
  };
}
