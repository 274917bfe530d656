import { toMoment } from '../http/moment.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { type HealthSources, type ReadinessFacts, readFacts } from './readiness-facts.ts';
import { listBlocking, listDegrading, type Reason } from './reasons.ts';

/** `unavailable` is answered with 503, the others with 200. */
export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly reasons: readonly Reason[];
  readonly leader: OpsJson<'Status'>['leader'];
}

/** Reads if the bridge can serve now. Never rejects for the store. */
export async function readReadiness(sources: HealthSources): Promise<Readiness> {
  return toReadiness(await readFacts(sources));
}

/**
 * Finds out if the bridge can serve, and what is wrong. An outage of the service is no reason to refuse: that is when accepting
 * writes matters. Only an unusable store, an unfinished first read and draining are.
 */
export function toReadiness(facts: ReadinessFacts): Readiness {
  const blocking = [...listBlocking(facts)];
  const reasons = [...blocking, ...listDegrading(facts)];
  const { leader } = facts;
  const status = blocking.length > 0 ? 'unavailable' : reasons.length > 0 ? 'degraded' : 'ok';
  if (leader?.isAlive !== true) return { status, reasons, leader: null };
  const { isSelf, epoch, since } = leader;
  return { status, reasons, leader: { isSelf, epoch, since: toMoment(since) } };
}
