import type { Detector } from '../../domain/drift.ts';
import { listEntityFields } from '../../domain/entity.ts';
import { type DriftRow, listActiveDrifts } from '../../store/drifts.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { isUserRow, type ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toUserState } from '../../store/users/users.ts';
import { compareRow } from '../compare/compare-row.ts';
import { EVERY_LIST } from '../compare/comparison.ts';
import { compareWithKnown, listKnown, storeDriftChanges } from '../compare/drift-changes.ts';
import type { LookNeeds } from '../compare/look.ts';
import type { DriftDeps } from './deps.ts';

/** Finds the parts to look at: those of the ordinary look, and the managed ones that it does not show. */
export function toNeeds(
  row: ResourceRow,
  { admins }: { readonly admins: boolean },
  { policy }: DriftDeps,
): LookNeeds {
  if (!isUserRow(row)) {
    const entities = listEntityFields(parseCells(row)).length > 0;
    return { ordinary: true, companyUser: false, admins, entities };
  }
  const { desired } = toUserState(row);
  const isOwned =
    desired.appsPermissions !== undefined || desired.temporarilyInactive !== undefined;
  const companyUser = isOwned || policy.deactivation === 'temporarilyInactive';
  return { ordinary: true, companyUser, admins: false, entities: false };
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

/**
 * Compares a locked row with what a look has shown, and stores the drifts. Returns the new ones; undefined where a
 * worker has taken the resource, so that nothing can be said.
 */
export async function compareOne(
  tx: Db,
  { policy, clock }: Pick<DriftDeps, 'policy' | 'clock'>,
  { row, since, seenAt, detector }: Compared,
): Promise<DriftRow[] | undefined> {
  const { deactivation } = policy;
  const known = await listKnown(tx, [row.id]);
  const comparison = await compareRow(tx, row, { lists: EVERY_LIST, since, deactivation });
  if (comparison.kind === 'unknown') return undefined;
  const compared = compareWithKnown(comparison, known);
  const gone = compared.gone.filter(({ last_seen_at }) => last_seen_at <= seenAt);
  const changes = { ...compared, gone };
  await storeDriftChanges(tx, changes, { detector, now: clock.now() });
  if (changes.fresh.length === 0) return [];
  const before = new Set(known.drifts.map(({ id }) => id));
  return (await listActiveDrifts(tx, [row.id])).filter(({ id }) => !before.has(id));
}
