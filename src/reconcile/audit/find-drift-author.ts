import type { Difference } from '../../domain/drift.ts';
import type { Db } from '../../store/database.ts';
import { findComparedSince } from '../../store/sweeps.ts';
import { type Author, findAuthor } from './find-author.ts';
import { TOLERANCE } from './match-events.ts';

/** A drift, and when it was first seen (epoch milliseconds). */
export interface SeenDrift extends Pick<Difference, 'kind' | 'type' | 'resourceId' | 'memberId'> {
  readonly firstSeenAt: number;
}

/**
 * Who brought a drift about, as far as the audit log was read by now: it is asked again each time, because an event
 * may be read later than the difference is seen. What does not say what it did counts only after the last sweep
 * that did not find the difference.
 */
export async function findDriftAuthor(db: Db, drift: SeenDrift): Promise<Author | undefined> {
  const { kind, type, resourceId, memberId, firstSeenAt } = drift;
  const admins = kind.startsWith('admin.');
  const since = await findComparedSince(db, { before: firstSeenAt, admins });
  const { beforeMs } = TOLERANCE;
  const question = { kind, type, resourceId, memberId, from: 0, vagueFrom: since - beforeMs };
  const author = await findAuthor(db, { ...question, until: firstSeenAt });
  // The clock of the service may be ahead.
  return author ?? findAuthor(db, { ...question, until: firstSeenAt + beforeMs });
}
