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
import type { ProcessDeps } from '../deps.ts';
import { type CompleteRead, isBelieved, listUnknownUsers } from './believe.ts';
import { listGroupActions, toHeldPolicy } from './recovery-make-plan.ts';
import { addReleased } from './release-progress.ts';
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
 * is looked at before it is acted on, unless the complete read is believed. After a crash the next process goes on.
 */
export async function releasePlan(deps: ProcessDeps, read: CompleteRead): Promise<Released> {
  const policy = toHeldPolicy(deps, read.readSince);
  let total: Released = { released: 0, dropped: 0 };
  for (;;) {
    const part = await deps.store.write((tx) =>
      releasePart(tx, { policy, read, now: deps.clock.now() }),
    );
    if (part === undefined) return total;
    total = {
      released: total.released + part.released,
      dropped: total.dropped + part.dropped,
    };
  }
}

async function releasePart(tx: Db, releasing: Releasing): Promise<Released | undefined> {
  const rows = await listHeldActions(tx, { afterId: 0, limit: PART });
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  let released = 0;
  let resources = 0;
  for (const [id, actions] of Map.groupBy(rows, ({ resourceId }) => resourceId)) {
    const holding =
      actions[0]?.resourceType === 'user'
        ? await releaseUser(tx, userId(id), { ...releasing, actions })
        : await releaseGroup(tx, id, { ...releasing, actions });
    released += holding;
    resources += Number(holding > 0);
  }
  await addReleased(tx, resources, releasing.now);
  await deleteHeldActions(tx, last.id);
  return { released, dropped: rows.length - released };
}

interface Releasing {
  readonly policy: HeldPolicy;
  readonly read: CompleteRead;
  readonly now: number;
}

interface Release extends Releasing {
  readonly actions: readonly HeldRow[];
}

async function releaseUser(tx: Db, id: UserId, release: Release): Promise<number> {
  const { actions, policy } = release;
  const row = await lockUser(tx, id);
  if (row === undefined) return 0;
  const holding = listHolding(actions, toHeldUserActions(toUserState(row), policy));
  if (holding.length === 0) return 0;
  const due = toDueColumns(row, holding, release);
  const isKnown = await isStillKnown(tx, row, release);
  await updateUser(tx, id, { ...due, must_look: isKnown ? row.must_look : 1 });
  return holding.length;
}

/** Tells whether the read still shows what the service holds of this user, or that it has no such account. */
async function isStillKnown(tx: Db, row: UserRow, { read, now }: Releasing): Promise<boolean> {
  if (!isBelieved(read, now)) return false;
  return row.upstream_id !== null || (await listUnknownUsers(tx, [row], read)).length > 0;
}

async function releaseGroup(tx: Db, id: string, release: Release): Promise<number> {
  const { actions, policy } = release;
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
  await updateGroup(tx, row.id, { ...toDueColumns(row, holding, release), must_look: 1 });
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

function toDueColumns(row: UserRow | GroupRow, actions: readonly HeldRow[], { now }: Releasing) {
  const fields = actions.flatMap(({ field, memberId }) => (memberId === undefined ? [field] : []));
  const pending = addPending(parseStored<Pending<string>>(row.pending), fields, row.version);
  const removes = actions.some(({ kind }) => /\.(deactivate|delete|remove)$/.test(kind));
  return {
    pending: JSON.stringify(pending),
    due_at: now,
    // A removal that waits already keeps its class.
    due_class: toDueClass(removes || row.due_class === 0),
  };
}
