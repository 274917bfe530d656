import { findRepair, toChangeKey } from '../../domain/change.ts';
import type { Difference } from '../../domain/drift.ts';
import {
  changeDrifts,
  type DriftRow,
  type Finding,
  insertDrifts,
  listActiveDrifts,
} from '../../store/drifts.ts';
import { listHeldChanges } from '../../store/plans.ts';
import type { Db } from '../../store/store.ts';

/** Effect of one comparison on the known drifts, with the new differences that have to be confirmed. */
export interface DriftChanges {
  readonly confirmed: readonly Confirmed[];
  readonly gone: readonly DriftRow[];
  readonly fresh: readonly Difference[];
}

interface Confirmed {
  readonly row: DriftRow;
  readonly difference: Difference;
}

/** Drifts that are known of resources, and changes that a plan holds back: such a difference is no drift. */
export type KnownDifferences = Awaited<ReturnType<typeof listKnown>>;

/** Lists what is known of these users or groups. */
export async function listKnown(db: Db, ids: readonly string[]) {
  return { drifts: await listActiveDrifts(db, ids), held: await listHeldChanges(db, ids) };
}

/** Separates known drifts of a row from its new differences; a drift under repair is left to its repair. Pure. */
export function compareWithKnown(
  { id }: { readonly id: string },
  differences: readonly Difference[],
  { drifts, held }: KnownDifferences,
): DriftChanges {
  const isHeld = ({ kind, memberId }: Difference) =>
    held.some(
      (one) =>
        one.resource_id === id && one.kind === findRepair(kind) && one.member_id === memberId,
    );
  const byKey = new Map(
    differences.filter((one) => !isHeld(one)).map((one) => [toChangeKey(one), one]),
  );
  // Nothing else is known of what is not there.
  const isMissing = differences.some(({ kind }) => kind.endsWith('.missing'));
  const confirmed: Confirmed[] = [];
  const gone: DriftRow[] = [];
  for (const row of drifts.filter(({ resource_id }) => resource_id === id)) {
    const key = toChangeKey({ kind: row.kind, memberId: row.member_id });
    const difference = byKey.get(key);
    byKey.delete(key);
    if (row.status === 'repairing') continue;
    if (difference !== undefined) confirmed.push({ row, difference });
    else if (!isMissing) gone.push(row);
  }
  return { confirmed, gone, fresh: [...byKey.values()] };
}

/** Stores the changes of known drifts, and the new drifts that were seen twice; returns the new ones. */
export async function storeDriftChanges(
  tx: Db,
  { confirmed, gone, fresh }: DriftChanges,
  finding: Finding,
): Promise<DriftRow[]> {
  const { now } = finding;
  const same = confirmed.filter(isSame).map(({ row }) => row);
  await changeDrifts(tx, same, { last_seen_at: now });
  for (const { row, difference } of confirmed.filter((seen) => !isSame(seen))) {
    const desired = JSON.stringify(difference.desired);
    const observed = JSON.stringify(difference.observed);
    await changeDrifts(tx, [row], { desired, observed, last_seen_at: now });
  }
  await changeDrifts(tx, gone, { status: 'gone', ended_at: now });
  return insertDrifts(tx, fresh, finding);
}

/** True for a known drift whose values are still the same. */
export function isSame({ row, difference: { desired, observed } }: Confirmed): boolean {
  return row.desired === JSON.stringify(desired) && row.observed === JSON.stringify(observed);
}
