import type { Detector } from '../../domain/drift.ts';
import { listEntityFields } from '../../domain/entity.ts';
import type { GivenKey } from '../../domain/ids.ts';
import { type DriftRow, listActiveDrifts } from '../../store/drifts.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { findGroupRow } from '../../store/groups/groups.ts';
import { isUserRow, type ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { findUserRow, toUserState } from '../../store/users/users.ts';
import { type ComparedKind, comparedGroups, comparedUsers } from '../compare/compared-kind.ts';
import { EVERY_LIST } from '../compare/comparison.ts';
import { compareWithKnown, listKnown, storeDriftChanges } from '../compare/drift-changes.ts';
import type { LookNeeds } from '../compare/look.ts';
import type { DriftDeps } from './deps.ts';

/** One user or group, and how such a resource is compared. */
export interface Found<Row extends ResourceRow> {
  readonly kind: ComparedKind<Row>;
  readonly row: Row;
}

/** Finds a user or group and uses it with the way in which its kind is compared; undefined: the store does not have it. */
export async function withCompared<Result>(
  db: Db,
  { type, id }: GivenKey,
  use: <Row extends ResourceRow>(found: Found<Row>) => Promise<Result>,
): Promise<Result | undefined> {
  if (type === 'user') {
    const row = await findUserRow(db, id);
    return row && use({ kind: comparedUsers, row });
  }
  const row = await findGroupRow(db, id);
  return row && use({ kind: comparedGroups, row });
}

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
export interface Compared<Row extends ResourceRow> extends Found<Row> {
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
export async function storeComparison<Row extends ResourceRow>(
  tx: Db,
  deps: DriftDeps,
  { kind, row, since, seenAt, detector }: Compared<Row>,
): Promise<DriftRow[] | undefined> {
  const { deactivation } = deps.policy;
  const known = await listKnown(tx, [row.id]);
  const comparison = await kind.compare(tx, row, { lists: EVERY_LIST, since, deactivation });
  if (comparison.kind === 'unknown') return undefined;
  const compared = compareWithKnown(comparison, known);
  const gone = compared.gone.filter(({ last_seen_at }) => last_seen_at <= seenAt);
  const changes = { ...compared, gone };
  await storeDriftChanges(tx, changes, { detector, now: deps.clock.now() });
  if (changes.fresh.length === 0) return [];
  const before = new Set(known.drifts.map(({ id }) => id));
  return (await listActiveDrifts(tx, [row.id])).filter(({ id }) => !before.has(id));
}
