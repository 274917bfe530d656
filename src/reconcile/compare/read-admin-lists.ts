import { BridgeError } from '../../domain/errors.ts';
import {
  type GroupRow,
  lockGroup,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { toDoneUpTo } from '../../store/in-flight.ts';
import { observeLinks } from '../../store/links/observations.ts';
import { listGroupsWithOwnedAdmins } from '../../store/resources/managed.ts';
import type { Db } from '../../store/store.ts';
import { lookUpAdminIds } from '../group/read-admins.ts';
import { isUnchanged } from './comparison.ts';
import type { SweepRun } from './run.ts';

/** Time for reading one admin list, queue included, in milliseconds. */
export const ADMINS_WAIT_MS = 60_000;
/** Groups of one read of the store. */
const PART = 100;

/**
 * Reads the admins of every group whose admins are managed, one call each. A list that cannot be read says nothing of
 * its group, and is reported. After a restart, lists read since the sweep began are not read again.
 */
export async function readAdminLists(run: SweepRun): Promise<void> {
  const { store } = run.deps;
  for (let afterSeq = 0; ; ) {
    const rows = await listGroupsWithOwnedAdmins(store.read, { afterSeq, limit: PART });
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const row of rows) {
      if (isToBeRead(row, run.sweep.started_at)) await readAdminList(run, row);
    }
    afterSeq = last.seq;
  }
}

/** True for a group that the lists showed; a missing one is looked for by itself. */
function isToBeRead(row: GroupRow, startedAt: number): boolean {
  const seenAt = toObservedGroup(row)?.at ?? 0;
  return seenAt >= startedAt && (row.admins_read_at ?? 0) < startedAt;
}

async function readAdminList(run: SweepRun, row: GroupRow): Promise<void> {
  const { deps, signal, reasons } = run;
  signal.throwIfAborted();
  try {
    const wait = { class: 'look', waitMs: ADMINS_WAIT_MS } as const;
    const upstreamUserIds = await lookUpAdminIds(deps, row, wait);
    await run.deps.store.write(async (tx) => {
      const locked = await lockGroup(tx, row.id);
      // A group that was written meanwhile is read the next time.
      if (!locked || !isUnchanged(locked, row)) return;
      await saveAdmins(tx, locked, { upstreamUserIds, now: deps.clock.now() });
    });
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    reasons.add('the admins of some groups could not be read');
  }
}

/**
 * Stores the admins of a group. The first read is the baseline, because the service makes the creator of a group its
 * admin. Where a provider writes the list, later additions are drift.
 */
export async function saveAdmins(
  tx: Db,
  { id, admins_asked, admins_read_at, unsure_since }: GroupRow,
  { upstreamUserIds, now }: { upstreamUserIds: readonly number[]; now: number },
): Promise<void> {
  const baseline = admins_asked === 1 && admins_read_at !== null ? 0 : null;
  const doneUpTo = toDoneUpTo({ unsure_since });
  await observeLinks(tx, 'group_admins', id, { upstreamUserIds, baseline, doneUpTo });
  await updateGroup(tx, id, { admins_read_at: now });
}
