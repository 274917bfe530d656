import type { Detector } from '../../domain/drift.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { listDifferingLinks } from '../../store/links/links.ts';
import { isNameUnderWay } from '../../store/resources/by-name.ts';
import { endObserved, lockRow, type ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { seenByLook } from '../read/reading.ts';
import { compareGroup } from './compare-group.ts';
import { compareUser } from './compare-user.ts';
import { type Comparison, isUnchanged, type SeenSince } from './comparison.ts';
import { compareWithKnown, listKnown, storeDriftChanges } from './drift-changes.ts';
import { type Looking, type LookNeeds, lookAt, type Observation } from './look.ts';

/** Compares one user or group with what was seen of the service; undefined: nothing can be said. */
export async function compareRow(
  db: Db,
  row: ResourceRow,
  seen: SeenSince,
): Promise<Comparison | undefined> {
  // A sweep that shows it for the first time may show what a create of ours has just made.
  const isNew = row.origin === null && row.created_at >= seen.since;
  if (isNew && (await isAwaited(db, row))) return undefined;
  if (row.type === 'user') return compareUser(row, seen);
  // An unmanaged group has no desired members.
  const links = row.origin === null ? [] : await listDifferingLinks(db, row);
  return compareGroup(row, links, seen);
}

async function isAwaited(db: Db, row: ResourceRow): Promise<boolean> {
  if (row.type === 'group') return isNameUnderWay(db, 'group', [row.name_folded]);
  const { observed_user_name_folded: name, observed_email_folded: email } = row;
  const names = [name, email].filter((text) => text !== null);
  return isNameUnderWay(db, 'user', names);
}

/** A look at one resource. */
interface Inspection {
  readonly needs: LookNeeds;
  readonly detector: Detector;
  /** What was seen since then counts (epoch milliseconds); absent: what this look shows. */
  readonly since?: number;
}

/** Result of a look that was compared; `found` are the new drifts, undefined: it was written meanwhile. */
export type Inspected =
  | { readonly kind: 'seen' | 'gone'; readonly found: readonly DriftRow[] | undefined }
  | Extract<Observation, { readonly kind: 'could-not-look' }>;

/** Looks at one user or group, and stores what was seen and what differs. */
export async function inspect(
  { deps, signal }: Looking,
  row: ResourceRow,
  { needs, detector, since = deps.clock.now() }: Inspection,
): Promise<Inspected> {
  const observation = await lookAt({ deps, signal }, row, needs);
  if (observation.kind === 'could-not-look') return observation;
  const looked = { row, since, detector, observation };
  const found = await deps.store.write((tx) => storeLooked(tx, deps, looked));
  return { kind: observation.kind, found };
}

/** A look at a resource as it was read before, and what it has shown. */
interface Looked extends Required<Omit<Inspection, 'needs'>> {
  readonly row: ResourceRow;
  readonly observation: Exclude<Observation, { readonly kind: 'could-not-look' }>;
}

/**
 * Stores what a look has shown, and what differs. An unmanaged resource that is gone is forgotten. Returns the new
 * drifts; undefined: it was written since it was read, or a worker has it, and nothing can be said.
 */
async function storeLooked(
  tx: Db,
  { policy, clock }: Pick<ReconcileDeps, 'policy' | 'clock'>,
  { row, since, detector, observation }: Looked,
): Promise<DriftRow[] | undefined> {
  const locked = await lockRow(tx, row);
  if (locked === undefined || !isUnchanged(locked, row)) return undefined;
  const isGone = observation.kind === 'gone';
  if (observation.kind === 'seen') await observation.store(tx, locked);
  const now = clock.now();
  const fresh = (await lockRow(tx, row)) ?? locked;
  // A resource that is gone counts as unseen from now on.
  const seen = seenByLook(isGone ? Number.POSITIVE_INFINITY : since);
  const comparison = await compareRow(tx, fresh, { ...seen, deactivation: policy.deactivation });
  if (comparison === undefined) return undefined;
  const changes = compareWithKnown(comparison, await listKnown(tx, [row.id]));
  const found = await storeDriftChanges(tx, changes, { detector, now });
  if (isGone && row.origin === null) await endObserved(tx, fresh, now);
  return found;
}
