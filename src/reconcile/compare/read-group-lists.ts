import type { SeenEntities } from '../../domain/entity.ts';
import { BridgeError } from '../../domain/errors.ts';
import {
  type GroupRow,
  lockGroup,
  toObservedGroup,
  toSeenEntities,
  updateGroup,
} from '../../store/groups/groups.ts';
import { toDoneUpTo } from '../../store/in-flight.ts';
import { observeLinks } from '../../store/links/observations.ts';
import {
  listGroupsWithEntities,
  listGroupsWithOwnedAdmins,
} from '../../store/resources/managed.ts';
import type { Db, Part } from '../../store/store.ts';
import { lookUpAdminIds, lookUpEntities } from '../group/read-admins.ts';
import { saveEntities } from '../group/read-entities.ts';
import { isUnchanged } from './comparison.ts';
import type { SweepRun } from './run.ts';

/** Look at one list of a group: its class, and its time, queue included, in milliseconds. */
export const LIST_LOOK = { class: 'look', waitMs: 60_000 } as const;
/** Groups of one read of the store. */
const PART = 100;

/** List that a group has beside its members, and that only a call of its own shows. */
interface GroupList<Found> {
  list(db: Db, part: Part): Promise<GroupRow[]>;
  /** Time of the last read (epoch milliseconds). */
  toReadAt(row: GroupRow): number | undefined;
  look(run: SweepRun, row: GroupRow): Promise<Found>;
  /** `now` is epoch milliseconds. */
  save(tx: Db, row: GroupRow, seen: { readonly found: Found; readonly now: number }): Promise<void>;
  /** Words for a list that could not be read. */
  readonly unread: string;
}

const ADMINS: GroupList<readonly number[]> = {
  list: listGroupsWithOwnedAdmins,
  toReadAt: ({ admins_read_at }) => admins_read_at ?? undefined,
  look: ({ deps }, row) => lookUpAdminIds(deps, row, LIST_LOOK),
  save: (tx, row, { found, now }) => saveAdmins(tx, row, { upstreamUserIds: found, now }),
  unread: 'the admins of some groups could not be read',
};

const ENTITIES: GroupList<SeenEntities> = {
  list: listGroupsWithEntities,
  toReadAt: (row) => toSeenEntities(row)?.at,
  look: ({ deps }, row) => lookUpEntities(deps, row, LIST_LOOK),
  save: (tx, row, { found }) => saveEntities(tx, row, found),
  unread: 'the entities of some groups could not be read',
};

/**
 * Reads the admins of every group whose admins are managed, and the entities of every group in which rules want roles,
 * one call each. A list that cannot be read says nothing of its group, and is reported. After a restart, lists read
 * since the sweep began are not read again.
 */
export async function readGroupLists(run: SweepRun): Promise<void> {
  await readAll(run, ADMINS);
  await readAll(run, ENTITIES);
}

async function readAll<Found>(run: SweepRun, kind: GroupList<Found>): Promise<void> {
  const { started_at } = run.sweep;
  for (let afterSeq = 0; ; ) {
    const rows = await kind.list(run.deps.store.read, { afterSeq, limit: PART });
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const row of rows) {
      // A group that the lists did not show is looked for by itself.
      const isSeen = (toObservedGroup(row)?.at ?? 0) >= started_at;
      if (isSeen && (kind.toReadAt(row) ?? 0) < started_at) await readOne(run, kind, row);
    }
    afterSeq = last.seq;
  }
}

async function readOne<Found>(run: SweepRun, kind: GroupList<Found>, row: GroupRow): Promise<void> {
  const { deps, signal, reasons } = run;
  signal.throwIfAborted();
  try {
    const found = await kind.look(run, row);
    await deps.store.write(async (tx) => {
      const locked = await lockGroup(tx, row.id);
      // A group that was written meanwhile is read the next time.
      if (!locked || !isUnchanged(locked, row)) return;
      await kind.save(tx, locked, { found, now: deps.clock.now() });
    });
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    reasons.add(kind.unread);
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
