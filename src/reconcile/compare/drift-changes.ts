import { findRepair } from '../../domain/change.ts';
import { type Difference, toDifferenceKey } from '../../domain/drift.ts';
import {
  changeDrifts,
  type DriftRow,
  endDrifts,
  type Finding,
  insertDrifts,
  listActiveDrifts,
} from '../../store/drifts.ts';
import { type ActionKey, listHeldChanges } from '../../store/plans/actions.ts';
import { noteGone } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { Comparison } from './comparison.ts';

/** Effect of one comparison on the known drifts, with the new differences that have to be confirmed. */
export interface DriftChanges {
  readonly confirmed: readonly Confirmed[];
  readonly gone: readonly DriftRow[];
  readonly fresh: readonly Difference[];
}

/** Known drift, and the difference that shows it again. */
interface Confirmed {
  readonly row: DriftRow;
  readonly difference: Difference;
}

/** Drifts and changes that are known of resources. */
interface KnownDifferences {
  readonly drifts: readonly DriftRow[];
  /** Changes that a plan holds back: such a difference is no drift. */
  readonly held: readonly ActionKey[];
}

/** Lists what is known of these users or groups. */
export async function listKnown(db: Db, ids: readonly string[]): Promise<KnownDifferences> {
  return { drifts: await listActiveDrifts(db, ids), held: await listHeldChanges(db, ids) };
}

/** Separates known drifts from new differences; a drift under repair is left to its repair. Pure. */
export function compareWithKnown(
  { differences: all, unread }: Comparison,
  { drifts: known, held }: KnownDifferences,
): DriftChanges {
  const differences = all.filter((one) => !isHeld(one, held));
  const byKey = new Map(differences.map((one) => [toDifferenceKey(one), one]));
  const confirmed: Confirmed[] = [];
  const gone: DriftRow[] = [];
  for (const row of known) {
    const key = toDifferenceKey({ kind: row.kind, memberId: row.member_id });
    const difference = byKey.get(key);
    byKey.delete(key);
    if (row.status === 'repairing') continue;
    if (difference !== undefined) confirmed.push({ row, difference });
    else if (!unread.includes(row.kind)) gone.push(row);
  }
  return { confirmed, gone, fresh: [...byKey.values()] };
}

function isHeld({ kind, memberId }: Difference, held: readonly ActionKey[]): boolean {
  const change = findRepair(kind);
  return held.some((one) => one.kind === change && one.member_id === memberId);
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
  await endDrifts(tx, gone, { status: 'gone', now });
  const found = await insertDrifts(tx, fresh, finding);
  for (const { kind, type, resourceId } of fresh) {
    if (kind === `${type}.missing`) await noteGone(tx, { type, id: resourceId }, now);
  }
  return found;
}

/** True for a known drift whose values are still the same. */
export function isSame({ row, difference: { desired, observed } }: Confirmed): boolean {
  return row.desired === JSON.stringify(desired) && row.observed === JSON.stringify(observed);
}
