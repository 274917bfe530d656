import { listEntityFields } from '../../domain/entity.ts';
import type { GivenKey } from '../../domain/ids.ts';
import { disownLink } from '../../domain/link.ts';
import { isGone } from '../../domain/resource-state.ts';
import { enterRules } from '../../rules/follow.ts';
import type { Rules } from '../../rules/rules.ts';
import { changeDrifts, listActiveDrifts } from '../../store/drifts.ts';
import { NOTHING_OPEN, parseCells, toChangedColumns } from '../../store/engine/columns.ts';
import { changeLinks, hasLink } from '../../store/links/links.ts';
import { listHeldChanges } from '../../store/plans.ts';
import { saveEmails } from '../../store/resources/names.ts';
import {
  type GroupRow,
  lockRow,
  type ResourceRow,
  type UserRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { listNested } from '../../store/resources/rule-inputs.ts';
import { toObservation } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import { isAtWork } from '../differences.ts';
import { toUnmanagedGroup } from '../group/observe.ts';
import { toUnmanagedUser } from '../user/observe.ts';

/** Has the bridge only observe a user or group from now on, as the service holds it. Nothing reaches the service. */
export async function stopManaging(
  { store, clock, rules }: Pick<ProcessDeps, 'store' | 'clock' | 'rules'>,
  key: GivenKey,
): Promise<Release> {
  return store.write(async (tx) => {
    await enterRules(tx, rules, 'names');
    const row = await lockRow(tx, key);
    if (row === undefined || row.deleted_at !== null) return { kind: 'unknown' };
    if (row.origin === null) return { kind: 'unmanaged' };
    if (await isUnsettled(tx, row)) return { kind: 'waits' };
    const observed = toObservation(row);
    if (observed === undefined || isGone(observed)) return { kind: 'not-in-service' };
    if (await isRuled(tx, row, rules)) return { kind: 'ruled' };
    const now = clock.now();
    await (row.type === 'user' ? releaseUser(tx, row, now) : releaseGroup(tx, row, now));
    const drifts = await listActiveDrifts(tx, [row.id]);
    await changeDrifts(tx, drifts, { status: 'gone', ended_at: now });
    return { kind: 'released', provider: row.provider };
  });
}

/** True while something of it may still change the service, or may have changed it, or a plan holds a change of it. */
async function isUnsettled(tx: Db, row: ResourceRow): Promise<boolean> {
  if (isAtWork(row) || (await listHeldChanges(tx, [row.id])).length > 0) return true;
  return row.type === 'group' && hasLink(tx, row, 'waiting');
}

/** True for a group from which rules or outer groups derive something: that ends with it, and the service would get that change. */
async function isRuled(tx: Db, row: ResourceRow, { book }: Rules): Promise<boolean> {
  if (row.type === 'user') return false;
  const isSource = book.drivesMembers(row.name) || book.isSource(row.name);
  if (isSource || listEntityFields(parseCells(row)).length > 0) return true;
  return (await hasLink(tx, row, 'ruled')) || (await listNested(tx, row.id, 'around')).length > 0;
}

async function releaseUser(tx: Db, row: UserRow, now: number): Promise<void> {
  const released: UserRow = { ...toUnmanagedUser(row), ...NOTHING_OPEN, modified_at: now };
  await updateRow(tx, row, toChangedColumns(row, released));
  await saveEmails(tx, row, released);
}

async function releaseGroup(tx: Db, row: GroupRow, now: number): Promise<void> {
  await changeLinks(tx, row, {}, disownLink);
  const version = row.version + 1;
  const rest = { ...NOTHING_OPEN, version, admins_asked: 0, modified_at: now } as const;
  const released: GroupRow = { ...toUnmanagedGroup(row), ...rest };
  await updateRow(tx, row, toChangedColumns(row, released));
}

/**
 * Result of a request to stop managing a user or group, without a change in the service.
 * - `unknown`: there is none of this id
 * - `unmanaged`: the bridge only observes it
 * - `waits`: something of it is still to reach the service, or it is not known whether it has
 * - `not-in-service`: the service was not seen to have it, so nothing of it would be left
 * - `ruled`: rules draw on the group, or fill its lists, and would change the service
 */
type Release =
  | { readonly kind: 'released'; readonly provider: string }
  | { readonly kind: 'unknown' | 'unmanaged' | 'waits' | 'not-in-service' | 'ruled' };
