import type { Detector } from '../../domain/drift.ts';
import { type DriftRow, listActiveDrifts } from '../../store/drifts.ts';
import { listDifferingLinks } from '../../store/links/links.ts';
import { endObserved } from '../../store/resources/managed.ts';
import { isUserRow, lockAgain, type ResourceRow } from '../../store/resources/rows.ts';
import { isNameUnderWay } from '../../store/resources/sent-creates.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { seenByLook } from '../read/reading.ts';
import { compareGroup } from './compare-group.ts';
import { compareUser } from './compare-user.ts';
import { type Comparison, isUnchanged, type SeenSince, UNKNOWN } from './comparison.ts';
import { compareWithKnown, listKnown, storeDriftChanges } from './drift-changes.ts';
import type { Observation } from './look.ts';

/** Compares one user or group with what was seen of the service. */
export async function compareRow(db: Db, row: ResourceRow, seen: SeenSince): Promise<Comparison> {
  // A sweep that shows it for the first time may show what a create of ours has just made.
  const isNew = row.origin === null && row.created_at >= seen.since;
  if (isNew && (await isAwaited(db, row))) return UNKNOWN;
  if (isUserRow(row)) return compareUser(row, seen);
  // An unmanaged group has no desired members.
  const links = row.origin === null ? [] : await listDifferingLinks(db, row.id);
  return compareGroup(row, links, seen);
}

async function isAwaited(db: Db, row: ResourceRow): Promise<boolean> {
  if (!isUserRow(row)) return isNameUnderWay(db, 'groups', [row.display_name_folded]);
  const { observed_user_name_folded: name, observed_email_folded: email } = row;
  const names = [name, email].filter((text) => text !== null);
  return isNameUnderWay(db, 'users', names);
}

/** A resource that was looked at. */
export interface Compared {
  readonly row: ResourceRow;
  /** Beginning of the look (epoch milliseconds): a resource last seen before it was not there. */
  readonly since: number;
  /** Time of the look; drift that was seen later is newer. */
  readonly seenAt: number;
  readonly detector: Detector;
}

/** A look at a resource as it was read before, and what it has shown. */
export interface Looked extends Omit<Compared, 'seenAt'> {
  readonly observation: Exclude<Observation, { readonly kind: 'could-not-look' }>;
}

type CompareDeps = Pick<ReconcileDeps, 'policy' | 'clock'>;

/**
 * Stores what a look has shown, and what differs. An unmanaged resource that is gone is forgotten. Returns the new
 * drifts; undefined: it was written since it was read, or a worker has it, and nothing can be said.
 */
export async function storeLooked(
  tx: Db,
  deps: CompareDeps,
  { row, since, detector, observation }: Looked,
): Promise<DriftRow[] | undefined> {
  const locked = await lockAgain(tx, row);
  if (locked === undefined || !isUnchanged(locked, row)) return undefined;
  const isGone = observation.kind === 'gone';
  if (observation.kind === 'seen') await observation.store(tx, locked);
  const fresh = (await lockAgain(tx, row)) ?? locked;
  const seenAt = deps.clock.now();
  // A resource that is gone counts as unseen from now on.
  const from = isGone ? Number.POSITIVE_INFINITY : since;
  const found = await compareOne(tx, deps, { row: fresh, since: from, seenAt, detector });
  if (isGone && row.origin === null) await endObserved(tx, fresh, seenAt);
  return found;
}

/**
 * Compares a locked row with what a look has shown, and stores the drifts. Returns the new ones; undefined where a
 * worker has taken the resource, so that nothing can be said.
 */
export async function compareOne(
  tx: Db,
  { policy, clock }: CompareDeps,
  { row, since, seenAt, detector }: Compared,
): Promise<DriftRow[] | undefined> {
  const { deactivation } = policy;
  const known = await listKnown(tx, [row.id]);
  const comparison = await compareRow(tx, row, { ...seenByLook(since), deactivation });
  if (comparison.kind === 'unknown') return undefined;
  const compared = compareWithKnown(comparison, known);
  const gone = compared.gone.filter(({ last_seen_at }) => last_seen_at <= seenAt);
  await storeDriftChanges(tx, { ...compared, gone }, { detector, now: clock.now() });
  if (compared.fresh.length === 0) return [];
  const before = new Set(known.drifts.map(({ id }) => id));
  return (await listActiveDrifts(tx, [row.id])).filter(({ id }) => !before.has(id));
}
