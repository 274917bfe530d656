import { groupId, type UserId, userId } from '../../domain/ids.ts';
import { addPending, type Pending } from '../../domain/pending.ts';
import type { HeldAction } from '../../domain/plan.ts';
import { parseStored, toDueClass } from '../../store/engine/columns.ts';
import { type GroupRow, lockGroup, updateGroup } from '../../store/groups/groups.ts';
import { LINK_TABLES } from '../../store/links/links.ts';
import { claimLinks } from '../../store/links/work.ts';
import { deleteHeldActions, type HeldRow, listHeldActions } from '../../store/plans/held.ts';
import type { Db } from '../../store/store.ts';
import { lockUser, toUserState, type UserRow, updateUser } from '../../store/users/users.ts';
import type { ReconcileDeps } from '../deps.ts';
import { listGroupActions, toHeldPolicy } from './recovery-make-plan.ts';
import type { HeldPlan } from './recovery-state.ts';
import { type HeldPolicy, toHeldUserActions } from './to-held-actions.ts';

/** Actions of one transaction. */
const PART = 500;

/** Numbers of actions that became pending, and that were dropped because they no longer held. */
export interface Released {
  readonly released: number;
  readonly dropped: number;
}

/**
 * Makes exactly the approved differences pending again. A difference that no longer holds is dropped, and each resource
 * is looked at before it is acted on. After a crash the next process goes on.
 */
export async function releasePlan(deps: ReconcileDeps, { readSince }: HeldPlan): Promise<Released> {
  const policy = toHeldPolicy(deps, readSince);
  let total: Released = { released: 0, dropped: 0 };
  for (;;) {
    const part = await deps.store.write((tx) => releasePart(tx, policy, deps.clock.now()));
    if (part === undefined) return total;
    total = {
      released: total.released + part.released,
      dropped: total.dropped + part.dropped,
    };
  }
}

async function releasePart(tx: Db, policy: HeldPolicy, now: number): Promise<Released | undefined> {
  const rows = await listHeldActions(tx, { afterId: 0, limit: PART });
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  let released = 0;
  for (const [id, actions] of Map.groupBy(rows, ({ resourceId }) => resourceId)) {
    released +=
      actions[0]?.resourceType === 'user'
        ? await releaseUser(tx, userId(id), { actions, policy, now })
        : await releaseGroup(tx, id, { actions, policy, now });
  }
  await deleteHeldActions(tx, last.id);
  return { released, dropped: rows.length - released };
}

interface Release {
  readonly actions: readonly HeldRow[];
  readonly policy: HeldPolicy;
  readonly now: number;
}

async function releaseUser(tx: Db, id: UserId, { actions, policy, now }: Release): Promise<number> {
  const row = await lockUser(tx, id);
  if (row === undefined) return 0;
  const holding = listHolding(actions, toHeldUserActions(toUserState(row), policy));
  if (holding.length > 0) await updateUser(tx, id, toDueColumns(row, holding, now));
  return holding.length;
}

async function releaseGroup(
  tx: Db,
  id: string,
  { actions, policy, now }: Release,
): Promise<number> {
  const row = await lockGroup(tx, groupId(id));
  if (row === undefined) return 0;
  const holding = listHolding(actions, await listGroupActions(tx, row, policy));
  if (holding.length === 0) return 0;
  for (const list of LINK_TABLES) {
    const userIds = holding.flatMap(({ field, memberId }) =>
      field === list && memberId !== undefined ? [userId(memberId)] : [],
    );
    await claimLinks(tx, list, row.id, { userIds, version: row.version });
  }
  await updateGroup(tx, row.id, toDueColumns(row, holding, now));
  return holding.length;
}

/** Lists the approved actions that would still be planned as they were. */
function listHolding(approved: readonly HeldRow[], current: readonly HeldAction[]): HeldRow[] {
  const keys = new Set(current.map(toKey));
  return approved.filter((action) => keys.has(toKey(action)));
}

function toKey({ kind, field, memberId, precondition }: HeldAction): string {
  return [kind, field, memberId, precondition].join('|');
}

function toDueColumns(row: UserRow | GroupRow, actions: readonly HeldRow[], now: number) {
  const fields = actions.flatMap(({ field, memberId }) => (memberId === undefined ? [field] : []));
  const pending = addPending(parseStored<Pending<string>>(row.pending), fields, row.version);
  const removes = actions.some(({ kind }) => /\.(deactivate|delete|remove)$/.test(kind));
  return {
    pending: JSON.stringify(pending),
    must_look: 1,
    due_at: now,
    // A removal that waits already keeps its class.
    due_class: toDueClass(removes || row.due_class === 0),
  };
}
