import type { Backlog } from '../store/lanes.ts';
import type { DisputeView, StuckResource } from '../store/trouble.ts';
import type { Readiness } from './readiness.ts';

/** How many stuck resources and disputes a status lists. */
const TROUBLE_MAX = 100;

/** Where a status comes from. Nothing here calls the service. */
export interface StatusSources {
  readonly readReadiness: () => Promise<Readiness>;
  readonly readBacklog: () => Promise<Backlog>;
  readonly listStuck: (limit: number) => Promise<StuckResource[]>;
  readonly listDisputes: (limit: number) => Promise<DisputeView[]>;
}

/** What an operator asks first. Moments are ISO 8601; names and the service's words may be personal. */
export interface Status extends Readiness {
  readonly due: number;
  readonly oldestDueAt: string | null;
  readonly stuckCount: number;
  readonly stuck: readonly object[];
  readonly disputes: readonly object[];
}

/** Reads what waits, what is stuck with the service's words, and what nobody but an operator can decide. */
export async function readStatus(sources: StatusSources): Promise<Status> {
  const [readiness, backlog, stuck, disputes] = await Promise.all([
    sources.readReadiness(),
    sources.readBacklog(),
    sources.listStuck(TROUBLE_MAX),
    sources.listDisputes(TROUBLE_MAX),
  ]);
  return {
    ...readiness,
    due: backlog.due,
    oldestDueAt: toMoment(backlog.oldestDueAt),
    stuckCount: backlog.stuck,
    stuck: stuck.map(({ since, nextAttemptAt, ...one }) => ({
      ...one,
      since: toMoment(since),
      nextAttemptAt: toMoment(nextAttemptAt),
    })),
    disputes: disputes.map(({ firstSeenAt, lastSeenAt, ...one }) => ({
      ...one,
      firstSeenAt: toMoment(firstSeenAt),
      lastSeenAt: toMoment(lastSeenAt),
    })),
  };
}

function toMoment(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
