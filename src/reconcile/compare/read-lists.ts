import type { SeenEntities } from '../../domain/entity.ts';
import { BridgeError } from '../../domain/errors.ts';
import { readParts } from '../../store/engine/dialect.ts';
import { toDoneUpTo } from '../../store/in-flight.ts';
import { observeLinks } from '../../store/links/observe.ts';
import {
  type GroupRow,
  listGroupsWithEntities,
  listGroupsWithOwnedAdmins,
  lockRow,
  updateRow,
} from '../../store/resources/rows.ts';
import type { Db, Part } from '../../store/store.ts';
import { lookUpAdminIds, lookUpEntities } from '../group/read-admins.ts';
import { saveEntities } from '../group/read-entities.ts';
import { readService } from '../read/read-service.ts';
import { isSeen, type Reading, type Seen, toSeen } from '../read/reading.ts';
import { isUnchanged } from './comparison.ts';
import { IncompleteSweep, type SweepRun } from './run.ts';

/** Failures in a row of one list before the sweep ends without a conclusion. */
const FAILURES_MAX = 3;
/** Look at one list of a group: its class, and its time, queue included, in milliseconds. */
export const LIST_LOOK = { class: 'look', waitMs: 60_000 } as const;
/** Groups of one read of the store. */
const PART = 100;

/**
 * Reads every list of the service to its proven end. A section that the service closes is left out and reported.
 * @throws IncompleteSweep when a list was not complete. @throws the reason of the signal
 */
export async function readLists(run: SweepRun, reading: Reading): Promise<Seen> {
  const { deps, signal, reasons } = run;
  const reason = await readService(
    { deps, reading, signal },
    {
      failuresMax: FAILURES_MAX,
      // Resources for which the list may be too old are looked at.
      onEnd: async () => deps.notify(),
    },
  );
  if (reason !== undefined) throw new IncompleteSweep(reason);
  assertAgreeing(reading);
  for (const section of ['users', 'companyUsers', 'groups'] as const) {
    if (reading.lists[section].state === 'done') continue;
    reasons.add(`the service does not let the bridge read its ${section}`);
  }
  if (reading.doubted.size > 0) {
    reasons.add('no two answers agree on how many people are in some groups');
  }
  return toSeen(reading);
}

/** Checks that two lists of the same users, or of the same groups, are both empty or both not. */
function assertAgreeing({ lists }: Reading): void {
  const pairs = [
    ['users', 'companyUsers'],
    ['groups', 'restGroups'],
  ] as const;
  for (const [one, other] of pairs) {
    const [a, b] = [lists[one], lists[other]];
    const areRead = a.state === 'done' && b.state === 'done';
    if (!areRead || (a.count === 0) === (b.count === 0)) continue;
    const [empty, full] = a.count === 0 ? [one, other] : [other, one];
    throw new IncompleteSweep(`the list ${empty} is empty, and ${full} is not`);
  }
}

/** List that a group has beside its members, and that only a call of its own shows. */
interface GroupList<Found> {
  list(db: Db, part: Part): Promise<GroupRow[]>;
  look(deps: SweepRun['deps'], row: GroupRow, wait: typeof LIST_LOOK): Promise<Found>;
  /** `now` is epoch milliseconds. */
  save(tx: Db, row: GroupRow, found: Found, now: number): Promise<void>;
  /** Words for a list that could not be read. */
  readonly unread: string;
}

const ADMINS: GroupList<readonly number[]> = {
  list: listGroupsWithOwnedAdmins,
  look: lookUpAdminIds,
  save: saveAdmins,
  unread: 'the admins of some groups could not be read',
};

const ENTITIES: GroupList<SeenEntities> = {
  list: listGroupsWithEntities,
  look: lookUpEntities,
  save: saveEntities,
  unread: 'the entities of some groups could not be read',
};

/**
 * Reads the admins of every group whose admins are managed, and the entities of every group in which rules want roles,
 * one call each. A list that cannot be read says nothing of its group, and is reported.
 */
export async function readGroupLists(run: SweepRun, seen: Seen): Promise<void> {
  await readAll(run, seen, ADMINS);
  await readAll(run, seen, ENTITIES);
}

async function readAll<Found>(run: SweepRun, seen: Seen, kind: GroupList<Found>): Promise<void> {
  const { read } = run.deps.store;
  for await (const rows of readParts(PART, (part) => kind.list(read, part))) {
    // A group that the lists did not show is looked for by itself.
    for (const row of rows) if (isSeen(seen, row)) await readOne(run, kind, row);
  }
}

async function readOne<Found>(run: SweepRun, kind: GroupList<Found>, row: GroupRow): Promise<void> {
  const { deps, signal, reasons } = run;
  signal.throwIfAborted();
  try {
    const found = await kind.look(deps, row, LIST_LOOK);
    await deps.store.write(async (tx) => {
      const locked = await lockRow(tx, row);
      // A group that was written meanwhile is read the next time.
      if (locked && isUnchanged(locked, row)) await kind.save(tx, locked, found, deps.clock.now());
    });
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    reasons.add(kind.unread);
  }
}

/**
 * Stores the admins of a group. The first read is the baseline, because the service makes the creator of a group its
 * admin. Where a provider writes the list, later additions are drift. `now` is epoch milliseconds.
 */
export async function saveAdmins(
  tx: Db,
  row: GroupRow,
  upstreamUserIds: readonly number[],
  now: number,
): Promise<void> {
  const baseline = row.admins_asked === 1 && row.admins_read_at !== null ? 0 : null;
  const seen = { upstreamUserIds, baseline, doneUpTo: toDoneUpTo(row) };
  await observeLinks(tx, row, { ...seen, list: 'admin' });
  await updateRow(tx, row, { admins_read_at: now });
}
