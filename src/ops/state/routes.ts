import { ACTIVE_STATUSES } from '../../domain/change.ts';
import { DAY_MS } from '../../domain/clock.ts';
import { countFreeSeats } from '../../domain/seats.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { requestSweep } from '../../reconcile/loop/sweeps.ts';
import type { ReadProgress } from '../../reconcile/read/reading.ts';
import { parseTerms } from '../../store/credentials.ts';
import { countDrifts } from '../../store/drifts.ts';
import type { Retried } from '../../store/due.ts';
import { listRestingGroupsOf, retryEach, retryResting } from '../../store/due.ts';
import type { LateLeavers } from '../../store/resources/backlog.ts';
import {
  countTakenSeats,
  findLateLeavers,
  listFailing,
  listStuck,
  listTimesOut,
  readBacklog,
} from '../../store/resources/backlog.ts';
import { listMeant } from '../../store/resources/find.ts';
import { LIVE } from '../../store/resources/rows.ts';
import type { Row } from '../../store/tables.ts';
import { countWhere, findOne, listNewest, listWhere } from '../../store/tables.ts';
import type { TransportHealth } from '../../upstream/transport.ts';
import { missing } from '../http/body.ts';
import { toPage } from '../http/list-query.ts';
import { getOnly, listRoute, ok, route } from '../http/route.ts';
import { acts } from '../lists/acts.ts';
import { SETTINGS } from '../lists/tables.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toView } from '../schemas/schemas.ts';
import type { OpsSources, StatusSources } from '../sources.ts';
import type { WaitingWork, WritesFacts } from './readiness-facts.ts';
import { readWaitingWork } from './readiness-facts.ts';
import { readReadiness } from './reasons.ts';

/** Requests for the state of the bridge, about sweeps and attempts, and those that stop and resume all changes. */
export const stateRoutes = [
  route(
    {
      path: '/status',
      summary:
        'What waits, fails and is stuck, with the words of the service, and what stops calls.',
      answers: { 200: 'Status' },
    },
    async (sources) => ok(await readStatus(sources)),
  ),
  route(SETTINGS, async ({ about }, { query }) => {
    const { from: wanted, q = '' } = query.filters;
    const text = q.toLowerCase();
    const all = about.settings.filter(({ name, variable, from }) => {
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
    async ({ target: { sandbox } }, { operator }) => {
      if (sandbox === undefined) missing('The bridge stands before a real service.', 'no-sandbox');
      return ok({ ...sandbox, token: operator.purpose === 'operator' ? sandbox.token : null });
    },
  ),
  route(acts.PAUSE, (sources, { body }) =>
    change(sources, () => sources.guard.pause(body.reason ?? null)),
  ),
  route(acts.RESUME, (sources) => change(sources, sources.guard.resume)),
  route(acts.RETRY, async (sources, { body }) => {
    const key =
      'name' in body ? getOnly(await listMeant(sources.store.read, body.name)) : undefined;
    const tried = await retry(sources, key);
    const count = tried.length;
    const heldBy = findLeaverHold({ plan: null }, sources.writes()) ?? null;
    const json = { count, heldBy, tried: tried.slice(0, LISTED_MAX) };
    const isOfAll = key === undefined;
    return { json, change: { after: { tried: count } }, target: key?.id, isOfAll };
  }),
  route(acts.SWEEP, async ({ process }, { body: { dryRun = false } }) => {
    const id = await requestSweep(process, dryRun);
    return { json: { id }, target: id, change: { after: { dryRun } } };
  }),
  listRoute(
    {
      path: '/sweeps',
      summary: 'Sweeps, the newest first.',
      filters: {},
      answers: { 200: 'SweepList' },
    },
    ({ store }, _filters, part) => listNewest(store.read, 'sweeps', {}, part),
    (row, { leadership }) => toSweep(row, leadership.news().reading),
  ),
  route(
    { path: '/sweeps/{id}', summary: 'One sweep.', answers: { 200: 'Sweep' } },
    async ({ store, leadership }, { params: { id } }) => {
      const row = await findOne(store.read, 'sweeps', { id });
      const sweep = row ?? missing('There is no sweep with this id.', 'unknown-sweep');
      return ok(toSweep(sweep, leadership.news().reading));
    },
  ),
] as const;

const LISTED_MAX = 100;
const LATEST = { order: 'last_seen_at desc', limit: LISTED_MAX } as const;
const LEAVERS_SHOWN = 10;

async function readStatus(sources: StatusSources): Promise<OpsJson<'Status'>> {
  const { store, clock, about, leadership, scim } = sources;
  const db = store.read;
  const now = clock.now();
  const backlog = await readWaitingWork(db, now);
  const drifts = await countDrifts(db);
  const last = await findOne(db, 'sweeps', {}, { order: 'seq desc' });
  const { firstRead, health, reading } = leadership.news();
  const { credentials, service } = health;
  const { isHeld, aheadMs } = await leadership.readQueue();
  const writes = sources.writes();
  const view = {
    ...(await readReadiness(sources)),
    scimUrl: scim.baseUrl,
    queue: { isHeld, removeMs: Math.round(aheadMs.remove), changeMs: Math.round(aheadMs.change) },
    bridge: { ...about, engine: store.engine },
    firstRead,
    lastSweep: last ? toSweep(last, reading) : null,
    drifts: drifts.filter(({ status }) => ACTIVE_STATUSES.some((active) => active === status)),
    unmanaged: await countWhere(db, 'drifts', { change: null, status: 'open' }),
    stopped: (await listWhere(db, 'providers', {})).flatMap((row) => {
      const { mode } = parseTerms(row);
      return mode === 'live' ? [] : { provider: row.name, mode };
    }),
    staged: await countWhere(db, 'resources', { staged: { '<>': null }, ...LIVE }),
    writes: toWrites(writes, backlog),
    due: backlog.due,
    failingCount: backlog.failing,
    failing: await listFailing(db, LISTED_MAX),
    oldestSince: backlog.oldestSince,
    seats: await readSeats(sources, backlog),
    stuckCount: backlog.stuck,
    stuck: await listStuck(db, LISTED_MAX),
    leavers: toLeavers(await findLateLeavers(db, { before: now, limit: LEAVERS_SHOWN }), writes),
    out: toOut(await listTimesOut(db, now - DAY_MS)),
    disputes: (await listWhere(db, 'disputes', {}, LATEST)).map((row) => {
      const { resource_type: type, name_folded: name, last_seen_at: lastSeenAt } = row;
      return { ...row, type, name, firstSeenAt: row.first_seen_at, lastSeenAt };
    }),
    upstream: { ...health, credentials: toGate(credentials), service: toGate(service) },
    authentication: sources.attempts.view(),
    activity: sources.reconciler.activity(),
  };
  return toView('Status', view, {});
}

/** @param times of leavers, in milliseconds, the shortest first */
function toOut(times: readonly number[]): OpsJson<'Status'>['out'] {
  const count = times.length;
  const at = (share: number) => times[Math.ceil(count * share) - 1] ?? 0;
  return count > 0 ? { count, p50Ms: at(0.5), p95Ms: at(0.95) } : null;
}

function toGate(gate: TransportHealth['service']) {
  if (gate.kind === 'open') return gate;
  return { kind: gate.kind, since: gate.sinceMs, nextProbeAt: gate.nextProbeMs };
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
  const after = toState(facts);
  return { json, change: { before, after }, isOfAll: before.paused !== after.paused };
}

/** Reads what is known of the seats of the service. @param backlog if it was read already */
export async function readSeats({ store, settings }: StatusSources, backlog?: WaitingWork) {
  const { total } = settings.seats;
  const { noSeat: waiting } = backlog ?? (await readBacklog(store.read));
  const seats = { total, used: await countTakenSeats(store.read), waiting };
  return { ...seats, total: total || null, free: countFreeSeats(seats) };
}

function toSweep(row: Row<'sweeps'>, reading: ReadProgress | null): OpsJson<'Sweep'> {
  const progress = row.status === 'running' ? reading : null;
  return toView('Sweep', row, { admins: row.reads_admins, progress });
}

async function retry({ store, clock }: OpsSources, key?: ResourceKey): Promise<Retried[]> {
  const at = clock.now();
  const tried: Retried[] = [];
  const note = (some: readonly Retried[]) => {
    tried.push(...some);
    store.bell.ring('due');
  };
  if (key === undefined) {
    await retryResting(store, { now: at, stuck: at, seat: at }, note);
    return tried;
  }
  // A membership of the user that waits is a change of its group.
  const groups = key.type === 'user' ? await listRestingGroupsOf(store.read, key.id, at) : [];
  note(await store.write((tx) => retryEach(tx, [key, ...groups], clock.now())));
  return tried;
}
