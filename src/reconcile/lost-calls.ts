import { askAgain } from '../domain/cell.ts';
import type { ChangeKind } from '../domain/change.ts';
import { isEntityField } from '../domain/entity.ts';
import type { GroupField } from '../domain/group.ts';
import { LINK_LISTS } from '../domain/link.ts';
import type { UserField } from '../domain/user.ts';
import { type LostCall, listLostCalls } from '../store/audit/own-calls.ts';
import { parseCells } from '../store/engine/columns.ts';
import { claimAccounts, type GroupKey } from '../store/links/links.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';

/** Fields that a call of each kind may change. */
const FIELDS: Partial<Readonly<Record<ChangeKind, readonly (UserField | GroupField)[]>>> = {
  'user.activate': ['active', 'temporarilyInactive'],
  'user.deactivate': ['active', 'temporarilyInactive'],
  'user.rename': ['name'],
  'user.access': ['appsPermissions'],
  'user.address': ['address'],
  'group.rename': ['displayName'],
  'group.permissions': ['permissions', 'addToCardsAndSpacesEnabled'],
};

/** Row of a user or group, as far as calls of unknown outcome are concerned. */
interface UnsureRow {
  readonly id: string;
  readonly version: number;
  readonly cells: string;
  readonly must_look: number;
  readonly due_at: number | null;
  readonly unsure_since: number | null;
}

/** Time for which a call may still take effect after it left (`callMs`, milliseconds), and now (epoch milliseconds). */
interface LateWindow {
  readonly callMs: number;
  readonly now: number;
}

/** Longest time after which a lost call still counts, in windows: the look for it may have to wait. */
const WINDOWS = 10;

/**
 * The row of which nothing waits any more, after a call of unknown outcome. Where something was written since that call was
 * planned, another look follows once it cannot take effect any more. Only a step that became due after that is proof of it: an
 * earlier one may have done its work before the lost call did.
 */
export async function toRestingRow<Row extends UnsureRow>(
  tx: Db,
  row: Row,
  { callMs, now, original }: LateWindow & { readonly original: Pick<UnsureRow, 'due_at'> },
): Promise<Row> {
  const last = (await listLostCalls(tx, row.id, now - callMs * WINDOWS)).at(-1);
  const quietAt = last === undefined ? 0 : last.at + callMs;
  if (quietAt <= (original.due_at ?? 0)) return { ...row, unsure_since: null };
  if (row.version === row.unsure_since) return row;
  return { ...row, must_look: 1, due_at: Math.max(quietAt, now) };
}

/** Lets wait again, after a look, what lost calls may have changed since the resource was written. */
export async function claimOvertaken<Row extends ResourceRow>(
  tx: Db,
  row: Row,
  step: LateWindow & { readonly planned: { readonly mustLook: boolean } },
): Promise<Row> {
  if (!step.planned.mustLook) return row;
  const lost = await listOvertaken(tx, row, step);
  if (row.type === 'group') await claimLostLinks(tx, row, lost);
  return withFieldsClaimed(row, lost);
}

/** Lists what calls of unknown outcome may have changed of this resource after it was written, for a look. */
async function listOvertaken(
  tx: Db,
  { id, version, unsure_since }: UnsureRow,
  { callMs, now }: LateWindow,
): Promise<LostCall[]> {
  const isOvertaken = unsure_since !== null && version > unsure_since;
  return isOvertaken ? listLostCalls(tx, id, now - callMs * WINDOWS) : [];
}

/** Lets the fields wait again that lost calls may have changed. */
function withFieldsClaimed<Row extends UnsureRow>(row: Row, lost: readonly LostCall[]): Row {
  const fields = lost.flatMap(({ kind, memberId }): readonly (UserField | GroupField)[] => {
    if (memberId !== undefined && isEntityField(memberId)) return [memberId];
    return kind === null ? [] : (FIELDS[kind] ?? []);
  });
  return { ...row, cells: JSON.stringify(askAgain(parseCells(row), fields, row.version)) };
}

/** Lets the members and admins of a group wait again whom lost calls may have put in or taken out. */
async function claimLostLinks(
  tx: Db,
  row: GroupKey & { readonly version: number },
  lost: readonly LostCall[],
): Promise<void> {
  for (const list of LINK_LISTS) {
    const named = lost.filter(({ kind }) => kind?.startsWith(`${list}.`));
    const accounts = named.map(({ memberId }) => Number(memberId)).filter(Number.isSafeInteger);
    await claimAccounts(tx, row, { list, accounts, version: row.version });
  }
}
