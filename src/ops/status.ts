import type { AttemptsView } from '../access/failure-counts.ts';
import type { DisputeView, StuckPart, TroubledResource } from '../store/trouble.ts';
import type { TransportHealth } from '../upstream/transport.ts';
import type { Readiness } from './readiness.ts';
import type { WaitingWork, WritesFacts } from './readiness-facts.ts';
import { toWritesView, type WritesView } from './writes-view.ts';

/** How many stuck resources and disputes a status lists. */
const TROUBLE_MAX = 100;

/** Where a status comes from. Nothing here calls the service. */
export interface StatusSources {
  readonly readReadiness: () => Promise<Readiness>;
  readonly readBacklog: () => Promise<WaitingWork>;
  readonly upstreamHealth: () => TransportHealth;
  readonly writes: () => WritesFacts;
  readonly viewAttempts: () => AttemptsView;
  readonly activity: () => { readonly lanes: number; readonly waiting: number };
  readonly listStuck: (limit: number) => Promise<StuckPart[]>;
  readonly listFailing: (limit: number) => Promise<TroubledResource[]>;
  readonly listDisputes: (limit: number) => Promise<DisputeView[]>;
}

/** What an operator asks first. Moments are ISO 8601; names and the service's words may be personal. */
export interface Status extends Readiness {
  readonly writes: WritesView;
  readonly due: number;
  readonly failingCount: number;
  readonly failing: readonly object[];
  /** Since when the oldest change waits that is not stuck. */
  readonly oldestSince: string | null;
  readonly stuckCount: number;
  readonly stuck: readonly object[];
  readonly disputes: readonly object[];
  /** Calls that wait for their turn by class, calls on their way, pauses, and what stops calls. */
  readonly upstream: object;
  /** Requests without a valid credential within ten minutes, in this process. */
  readonly authentication: object;
  /** Lanes that run and requests that wait in this process. */
  readonly activity: { readonly lanes: number; readonly waiting: number };
}

/** Reads what waits, what is stuck with the service's words, and what nobody but an operator can decide. */
export async function readStatus(sources: StatusSources): Promise<Status> {
  const [readiness, backlog, stuck, failing, disputes] = await Promise.all([
    sources.readReadiness(),
    sources.readBacklog(),
    sources.listStuck(TROUBLE_MAX),
    sources.listFailing(TROUBLE_MAX),
    sources.listDisputes(TROUBLE_MAX),
  ]);
  return {
    ...readiness,
    writes: toWritesView(sources.writes(), backlog),
    due: backlog.due,
    failingCount: backlog.failing,
    failing: failing.map(toTroubleStatus),
    oldestSince: toMoment(backlog.oldestSince),
    stuckCount: backlog.stuck,
    stuck: stuck.map(toTroubleStatus),
    disputes: disputes.map(({ firstSeenAt, lastSeenAt, ...one }) => ({
      ...one,
      firstSeenAt: toMoment(firstSeenAt),
      lastSeenAt: toMoment(lastSeenAt),
    })),
    upstream: toUpstreamStatus(sources.upstreamHealth()),
    authentication: toAttemptsStatus(sources.viewAttempts()),
    activity: sources.activity(),
  };
}

function toTroubleStatus({ since, nextAttemptAt, ...one }: TroubledResource): object {
  return { ...one, since: toMoment(since), nextAttemptAt: toMoment(nextAttemptAt) };
}

function toUpstreamStatus({ credentials, service, ...budget }: TransportHealth): object {
  return { ...budget, credentials: toGateStatus(credentials), service: toGateStatus(service) };
}

function toAttemptsStatus({ failed, sources }: AttemptsView): object {
  return { failed, sources: sources.map((one) => ({ ...one, lastAt: toMoment(one.lastAt) })) };
}

function toGateStatus(gate: TransportHealth['service']): object {
  if (gate.kind === 'open') return { kind: 'open' };
  const { sinceMs, nextProbeMs } = gate;
  return { kind: 'shut', since: toMoment(sinceMs), nextProbeAt: toMoment(nextProbeMs) };
}

function toMoment(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
