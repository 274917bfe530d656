import { createFact } from '../../store/facts.ts';
import { countAskedBefore } from '../../store/resources/backlog.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps, ReconcileEvents } from '../deps.ts';

/** Interval at which the log tells the progress of an approved plan, in milliseconds. */
const TOLD_EVERY_MS = 60_000;

/** Users and groups of an approved plan; times are epoch milliseconds. */
interface Release {
  readonly startedAt: number;
  readonly total: number;
  readonly toldAt: number;
}

const FACT = createFact<Release>('release');

/** Progress of an approved plan of going live, or of recovery. */
export interface ReleaseProgress {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Users and groups with changes in the plan. */
  readonly total: number;
  readonly done: number;
  /** Users and groups that the service refuses: they are tried again slowly. */
  readonly stuck: number;
  /** Estimated end at the rate so far (epoch milliseconds); undefined: nothing is done yet, or nothing left. */
  readonly endsAt: number | undefined;
}

/** Adds users and groups that wait for the service from now on. `now` is epoch milliseconds. */
export async function addReleased(tx: Db, resources: number, now: number): Promise<void> {
  if (resources === 0) return;
  const before = await FACT.lock(tx);
  const { startedAt, total, toldAt } = before ?? { startedAt: now, total: 0, toldAt: now };
  await FACT.save(tx, { startedAt, total: total + resources, toldAt }, now);
}

/** Finds the progress of the approved plan; undefined: none is under way. */
export async function findReleaseProgress(
  db: Db,
  now: number,
): Promise<ReleaseProgress | undefined> {
  const release = await FACT.find(db);
  return release && readProgress(db, release, now);
}

async function readProgress(
  db: Db,
  { startedAt, total }: Release,
  now: number,
): Promise<ReleaseProgress> {
  const { waiting, stuck } = await countAskedBefore(db, startedAt);
  const done = Math.max(0, total - waiting);
  const left = waiting - stuck;
  const isTold = done > 0 && left > 0;
  const endsAt = isTold ? Math.ceil(now + (left * (now - startedAt)) / done) : undefined;
  return { startedAt, total, done, stuck, endsAt };
}

/** Parts that the log line of the progress needs. */
interface TellingDeps extends Pick<ReconcileDeps, 'store' | 'clock'> {
  readonly events: Pick<ReconcileEvents, 'release'>;
}

/**
 * Logs every minute how far the approved plan has come, and once that it is done. @throws StoreError
 */
export async function tellRelease({ store, clock, events }: TellingDeps): Promise<void> {
  const now = clock.now();
  if ((await FACT.find(store.read)) === undefined) return;
  const told = await store.write(async (tx) => {
    const release = await FACT.lock(tx);
    if (release === undefined) return undefined;
    const progress = await readProgress(tx, release, now);
    const isOver = progress.done + progress.stuck >= progress.total;
    if (!isOver && now - release.toldAt < TOLD_EVERY_MS) return undefined;
    if (isOver) await FACT.delete(tx);
    else await FACT.save(tx, { ...release, toldAt: now }, now);
    return progress;
  });
  if (told === undefined) return;
  const { total, done, stuck, startedAt, endsAt } = told;
  const leftMs = endsAt === undefined ? {} : { leftMs: endsAt - now };
  events.release({ total, done, stuck, elapsedMs: now - startedAt, ...leftMs });
}
