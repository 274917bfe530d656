import { findReleasing } from '../../store/plans/plans.ts';
import { countAskedBefore } from '../../store/resources/backlog.ts';
import type { Db } from '../../store/store.ts';

/** Progress of an approved plan of going live, or of recovery. */
export interface ReleaseProgress {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Users and groups with changes in the plan. */
  readonly total: number;
  readonly done: number;
  /** Users and groups that the service refuses: they are tried again slowly. */
  readonly stuck: number;
  /** Estimated end at the rate so far (epoch milliseconds); undefined: nothing is done yet. */
  readonly endsAt: number | undefined;
}

/** Finds the progress of the approved plan; undefined: none is under way, or what is left of it is stuck. */
export async function findReleaseProgress(
  db: Db,
  now: number,
): Promise<ReleaseProgress | undefined> {
  const releasing = await findReleasing(db);
  if (releasing === undefined) return undefined;
  const { startedAt, total } = releasing;
  const { waiting, stuck } = await countAskedBefore(db, startedAt);
  const done = Math.max(0, total - waiting);
  const left = waiting - stuck;
  if (left <= 0) return undefined;
  const endsAt = done > 0 ? Math.ceil(now + (left * (now - startedAt)) / done) : undefined;
  return { startedAt, total, done, stuck, endsAt };
}
