import { type Difference, toDifferenceKey } from '../../domain/drift.ts';
import { groupId, userId } from '../../domain/ids.ts';
import type { Pending } from '../../domain/pending.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { type GroupRow, hasUpstreamIds, lockGroup } from '../../store/groups/groups.ts';
import { listDifferingLinks, listLinks } from '../../store/links/links.ts';
import type { ActionKey } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { lockUser, type UserRow } from '../../store/users/users.ts';
import { judgeGroup } from '../compare/judge-group.ts';
import { judgeUser } from '../compare/judge-user.ts';
import { EVERY_LIST, type Judgement } from '../compare/judgement.ts';
import type { ReconcileDeps } from '../deps.ts';
import { findPlace } from './fields.ts';

/** A person or group, locked, and in what it differs by all that is known. */
export interface Current {
  readonly row: UserRow | GroupRow;
  readonly differences: ReadonlyMap<string, Difference>;
}

/** Who works on it does not matter: what is known now is what a release is compared with. */
const AT_REST = { lane_owner: null, must_look: 0 } as const;

/** Locks a person or group and tells in what it differs; undefined: the store has it no more. */
export async function lockCurrent(
  tx: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  { type, id }: { type: 'user' | 'group'; id: string },
): Promise<Current | undefined> {
  const seen = { lists: EVERY_LIST, since: 0, deactivation: policy.deactivation };
  if (type === 'user') {
    const row = await lockUser(tx, userId(id));
    return row && { row, differences: toMap(judgeUser({ ...row, ...AT_REST }, seen)) };
  }
  const row = await lockGroup(tx, groupId(id));
  if (row === undefined) return undefined;
  const links = row.origin === null ? [] : await listDifferingLinks(tx, row.id);
  return { row, differences: toMap(judgeGroup({ ...row, ...AT_REST }, links, seen)) };
}

function toMap(judgement: Judgement): Map<string, Difference> {
  const differences = judgement.kind === 'judged' ? judgement.differences : [];
  return new Map(differences.map((one) => [toDifferenceKey(one), one]));
}

/** Whether what an action presupposes holds: the same is desired, and the same was seen. */
export function isStillSo(
  { row, differences }: Current,
  action: ActionKey & { readonly desired: string; readonly observed: string },
): boolean {
  if (action.kind === 'user.missing' || action.kind === 'group.missing') return isWanted(row);
  const key = toDifferenceKey({ kind: action.kind, memberId: action.member_id });
  const difference = differences.get(key);
  if (difference === undefined) return false;
  const same = (value: unknown, text: string) => JSON.stringify(value) === text;
  return same(difference.desired, action.desired) && same(difference.observed, action.observed);
}

/** That somebody is missing is never stored of them, so all that can be asked is whether they are still wanted. */
function isWanted(row: UserRow | GroupRow): boolean {
  if (row.origin === null || row.deleted_at !== null) return false;
  return 'upstream_id' in row ? row.active === 1 && row.upstream_id !== null : hasUpstreamIds(row);
}

/** How a repair stands: it waits for the service, it is done, or the service differs again. */
export type RepairState = 'waits' | 'done' | 'differs';

/** How the repair of what is `current` stands. */
export async function judgeRepair(
  tx: Db,
  { row, differences }: Current,
  action: ActionKey & { readonly desired: string },
): Promise<RepairState> {
  if (row.must_look !== 0) return 'waits';
  const { kind, member_id: memberId } = action;
  const place = findPlace({ kind, desired: parseStored(action.desired) });
  if (place?.kind === 'fields') {
    const pending = parseStored<Pending<string>>(row.pending);
    if (place.fields.some((field) => pending[field] !== undefined)) return 'waits';
  }
  if (place?.kind === 'link') {
    const [link] = await listLinks(tx, place.list, groupId(row.id), [userId(memberId)]);
    if (link !== undefined && link.pending !== null) return 'waits';
  }
  return differences.has(toDifferenceKey({ kind, memberId })) ? 'differs' : 'done';
}
