import type { AttemptsView } from '../../access/attempts.ts';
import type { Queue } from '../../reconcile/bounded-wait.ts';
import { QUEUED_CLASSES, type TroubledResource } from '../../store/resources/backlog.ts';
import type { TransportHealth } from '../../upstream/transport.ts';
import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import { toReadingView, toReleaseView } from '../recovery/view.ts';
import type { Status } from '../schemas/state.ts';
import type { OpsSources, StatusSources } from '../sources.ts';
import { toLeaversStatus } from './leavers.ts';
import type { WaitingWork } from './readiness-facts.ts';
import { toWritesView } from './writes.ts';

/** Stuck resources and disputes that a status lists. */
const TROUBLE_MAX = 100;

/** The request for the state of the bridge. */
export const statusRoute = route({
  method: 'get',
  path: '/status',
  tag: 'State',
  summary: 'What waits, fails and is stuck, with the words of the service, and what stops calls.',
  answers: { 200: 'Status' },
  handle: async ({ status }: OpsSources) => ok(await readStatus(status)),
});

/** Reads what waits, what is stuck with the service's words, and what only an operator can decide. */
async function readStatus(sources: StatusSources): Promise<Status> {
  const [readiness, backlog, stuck, failing, disputes, leavers, release, queue, seats, seen] =
    await Promise.all([
      sources.readReadiness(),
      sources.readBacklog(),
      sources.listStuck(TROUBLE_MAX),
      sources.listFailing(TROUBLE_MAX),
      sources.listDisputes(TROUBLE_MAX),
      sources.findLeavers(),
      sources.findRelease(),
      sources.readQueue(),
      sources.readSeats(),
      readSeen(sources),
    ]);
  return {
    ...readiness,
    scimUrl: sources.scimUrl,
    queue: toQueueStatus(queue, backlog, sources),
    ...seen,
    writes: toWritesView(sources.writes(), backlog),
    due: backlog.due,
    failingCount: backlog.failing,
    failing: failing.map(toTroubleStatus),
    oldestSince: backlog.oldestSince === undefined ? null : toMoment(backlog.oldestSince),
    seats,
    stuckCount: backlog.stuck,
    stuck: stuck.map(toTroubleStatus),
    leavers: toLeaversStatus(leavers, sources.writes()),
    disputes: disputes.map(({ firstSeenAt, lastSeenAt, ...one }) => ({
      ...one,
      firstSeenAt: toMoment(firstSeenAt),
      lastSeenAt: toMoment(lastSeenAt),
    })),
    upstream: toUpstreamStatus(sources.upstreamHealth()),
    authentication: toAttemptsStatus(sources.viewAttempts()),
    activity: sources.activity(),
    release: toReleaseView(release),
  };
}

/** Reads what is known of the service: the first read, the last sweep, the differences. */
async function readSeen(
  sources: StatusSources,
): Promise<Pick<Status, 'bridge' | 'firstRead' | 'lastSweep' | 'drifts' | 'unmanaged'>> {
  const { version, startedAt } = sources.about;
  const firstRead = await sources.readFirstRead();
  return {
    bridge: { version, startedAt: toMoment(startedAt), engine: sources.engine },
    firstRead: firstRead.kind === 'finished' ? null : toReadingView(firstRead),
    lastSweep: await sources.findLastSweep(),
    drifts: await sources.countDrifts(),
    unmanaged: await sources.countUnmanaged(),
  };
}

function toTroubleStatus({ since, nextAttemptAt, ...one }: TroubledResource) {
  return {
    ...one,
    since: toMoment(since),
    nextAttemptAt: toMoment(nextAttemptAt),
  };
}

function toUpstreamStatus({ credentials, service, ...budget }: TransportHealth) {
  return { ...budget, credentials: toGateStatus(credentials), service: toGateStatus(service) };
}

function toQueueStatus(
  { isHeld, aheadMs: { remove, change } }: Queue,
  { queued }: WaitingWork,
  sources: Pick<StatusSources, 'upstreamHealth' | 'callMs'>,
): Status['queue'] {
  let ahead = 0;
  const { credentials, service, pausedForMs } = sources.upstreamHealth();
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

function toAttemptsStatus({ failed, sources }: AttemptsView) {
  return { failed, sources: sources.map((one) => ({ ...one, lastAt: toMoment(one.lastAt) })) };
}

function toGateStatus(gate: TransportHealth['service']) {
  if (gate.kind === 'open') return { kind: gate.kind };
  const { kind, sinceMs, nextProbeMs } = gate;
  return { kind, since: toMoment(sinceMs), nextProbeAt: toMoment(nextProbeMs) };
}
