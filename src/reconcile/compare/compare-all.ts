import type { DriftKind } from '../../domain/drift.ts';
import { toCount } from '../../domain/text.ts';
import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import { listActiveDrifts } from '../../store/drifts.ts';
import { lockRow, type ResourceRow, readRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { isSeen } from '../read/reading.ts';
import { compareRow, type Inspected, inspect } from './compare-one.ts';
import { type Comparison, isUnchanged, type SeenSince } from './comparison.ts';
import {
  compareWithKnown,
  type DriftChanges,
  isSame,
  listKnown,
  storeDriftChanges,
} from './drift-changes.ts';
import { type LookNeeds, toLookNeeds } from './look.ts';
import { findQuietAt, IncompleteSweep, type SweepRun } from './run.ts';

/**
 * Rows of one turn of the event loop: a write that comes meanwhile takes several turns, so these are short. Fewer groups,
 * because each may have many members.
 */
const PARTS = { user: 50, group: 5 } as const;

/**
 * Compares all users and groups with the complete lists. A known drift is confirmed or ended by the lists alone; a
 * new difference of a managed resource is looked at.
 * The rows are read in parts, so that only one part is in memory, and beside the transactions of others: most differ in nothing.
 */
export async function compareAll(run: SweepRun, seen: SeenSince): Promise<void> {
  const { read } = run.deps.store;
  for (const type of ['user', 'group'] as const) {
    for await (const rows of readRows(read, type, { limit: PARTS[type], of: 'all' })) {
      run.signal.throwIfAborted();
      const compared = await compareRows(run, rows, seen);
      await storeChanges(run, compared);
      for (const { row, suspected } of compared) {
        if (suspected.length > 0)
          await lookAgain(run, row, toLookNeeds(suspected, seen.deactivation));
      }
      run.counts[`${type}s`] += rows.length;
    }
  }
}

/** Row, and what its comparison changes of the known drifts. */
interface ComparedRow extends DriftChanges {
  readonly row: ResourceRow;
  /** Kinds of new differences of a managed resource: only a look makes drift of them. */
  readonly suspected: readonly DriftKind[];
}

async function compareRows(
  run: SweepRun,
  rows: readonly ResourceRow[],
  seen: SeenSince,
): Promise<ComparedRow[]> {
  const { read } = run.deps.store;
  const ids = rows.map(({ id }) => id);
  const { drifts, held } = await listKnown(read, ids);
  const compared: ComparedRow[] = [];
  for (const row of rows) {
    const comparison = await compareWithLists(run, row, seen);
    if (comparison === undefined) {
      run.counts.unknown += 1;
      continue;
    }
    const { fresh, ...known } = compareWithKnown(comparison, {
      drifts: drifts.filter(({ resource_id }) => resource_id === row.id),
      held: held.filter(({ resource_id }) => resource_id === row.id),
    });
    const isManaged = row.origin !== null;
    // A missing resource was looked for before.
    const suspected = isManaged && !comparison.isUnseen ? fresh.map(({ kind }) => kind) : [];
    compared.push({ row, ...known, fresh: isManaged ? [] : fresh, suspected });
  }
  return compared;
}

/** Compares a row. Nothing is said of one that a list left out while it was changed: the list was dropped for it. */
async function compareWithLists(
  run: SweepRun,
  row: ResourceRow,
  seen: SeenSince,
): Promise<Comparison | undefined> {
  const { deps, reasons } = run;
  const comparison = await compareRow(deps.store.read, row, seen);
  if (comparison?.leftOutBy === undefined) return comparison;
  // A call that began before the sweep may have ended in it.
  const since = seen.since - deps.policy.callMs;
  const calledAt = (await findNewestOwnCallFor(deps.store.read, row.id)) ?? 0;
  if (row.modified_at >= since || row.due_at !== null || calledAt >= since) return undefined;
  reasons.add(`the list ${comparison.leftOutBy} left out what another list shows`);
  return comparison;
}

/** Stores what changes of the known drifts, but for rows that were written since they were compared. */
async function storeChanges(run: SweepRun, compared: readonly ComparedRow[]): Promise<void> {
  const changed = compared.filter(
    ({ confirmed, gone, fresh }) => confirmed.length + gone.length + fresh.length > 0,
  );
  // Only these keep the writes of others waiting.
  if (changed.length === 0) return;
  const { store, clock } = run.deps;
  const stored = await store.write(async (tx) => {
    const changes: DriftChanges[] = [];
    for (const one of changed) if (await isStill(tx, one)) changes.push(one);
    const all = {
      confirmed: changes.flatMap(({ confirmed }) => confirmed),
      gone: changes.flatMap(({ gone }) => gone),
      fresh: changes.flatMap(({ fresh }) => fresh),
    };
    await storeDriftChanges(tx, all, { detector: 'sweep', now: clock.now() });
    return all;
  });
  run.counts.confirmed += stored.confirmed.length;
  run.counts.gone += stored.gone.length;
  run.counts.opened += stored.fresh.length;
}

/** True where known drifts were only seen again, as they were, or the row is as it was compared. */
async function isStill(tx: Db, { row, confirmed, gone, fresh }: ComparedRow): Promise<boolean> {
  if (gone.length + fresh.length === 0 && confirmed.every(isSame)) return true;
  const locked = await lockRow(tx, row);
  return locked !== undefined && isUnchanged(locked, row);
}

/** Takes the second look: a difference that it shows is drift. */
async function lookAgain(run: SweepRun, row: ResourceRow, needs: LookNeeds): Promise<void> {
  const looked = await lookInto(run, row, needs);
  if (looked.kind === 'seen') return;
  run.counts.unknown += 1;
  if (looked.kind === 'could-not-look')
    run.reasons.add(`what was seen to differ could not be looked at again (${looked.reason})`);
}

/**
 * Looks at a user or group by itself, once the service shows the last write of our own: what a list alone shows is no
 * drift yet. One that was written since the lists were read is left to the next sweep.
 */
async function lookInto(run: SweepRun, row: ResourceRow, needs: LookNeeds): Promise<Inspected> {
  const { deps, counts, signal, settleMs } = run;
  signal.throwIfAborted();
  const restMs = (await findQuietAt(deps.store.read, row.id, settleMs)) - deps.clock.now();
  if (restMs > 0) await deps.clock.sleep(restMs, signal);
  const looked = await inspect(run, row, { needs, detector: 'sweep' });
  if (looked.kind === 'could-not-look') return looked;
  if (looked.found === undefined) counts.unknown += 1;
  else counts.opened += looked.found.length;
  return looked;
}

/** Missing users, and missing groups, that one sweep looks for: managed ones, and those that are only observed. */
const LOOKS_MAX = { managed: 50, observed: 200 } as const;
/** Rows of one read of the store. */
const PART = 200;
/** Looking for a missing resource needs nothing beside SCIM. */
const ALONE = { ordinary: true, companyUser: false, admins: false, entities: false };

/** Users or groups that no list showed: a fair choice of as many as one sweep may look for, and their number. */
interface Unseen {
  readonly rows: ResourceRow[];
  count: number;
}

type UnseenOfType = { readonly [of in keyof typeof LOOKS_MAX]: Unseen };

/**
 * Looks for users and groups that no list showed, before anything is concluded from the lists: a managed one that is found
 * proves that its list was not complete. Unmanaged ones that are gone are forgotten; one that is found stays, because a
 * list may always leave out inactive users.
 * @throws IncompleteSweep when a list was not complete
 */
export async function lookForUnseen(run: SweepRun, seen: SeenSince): Promise<void> {
  const unseen = {
    user: await chooseUnseen(run, 'user', seen),
    group: await chooseUnseen(run, 'group', seen),
  };
  for (const part of ['managed', 'observed'] as const) {
    for (const type of ['user', 'group'] as const) {
      const { rows, count } = unseen[type][part];
      for (const row of rows) await lookForOne(run, type, row);
      if (count === rows.length) continue;
      const [one, many] = [`more ${type} is missing and was`, `more ${type}s are missing and were`];
      run.reasons.add(`${toCount(count - rows.length, one, many)} not looked for yet`);
    }
  }
}

async function lookForOne(run: SweepRun, type: 'user' | 'group', row: ResourceRow): Promise<void> {
  const looked = await lookInto(run, row, ALONE);
  if (row.origin === null) return;
  if (looked.kind === 'seen') {
    throw new IncompleteSweep(`the list of ${type}s left out one that is there`);
  }
  if (looked.kind !== 'could-not-look') return;
  run.counts.unknown += 1;
  run.reasons.add(`somebody missing could not be looked for (${looked.reason})`);
}

/** Chooses among all that no list showed. One that is known to be missing was looked for when that was found. */
async function chooseUnseen(
  run: SweepRun,
  type: 'user' | 'group',
  seen: SeenSince,
): Promise<UnseenOfType> {
  const { read } = run.deps.store;
  const chosen = { managed: { rows: [], count: 0 }, observed: { rows: [], count: 0 } };
  for await (const rows of readRows(read, type, { limit: PART, of: 'all' })) {
    run.signal.throwIfAborted();
    const unseen = rows.filter((row) => row.deleted_at === null && !isSeen(seen, row));
    const drifts = await listActiveDrifts(
      read,
      unseen.map(({ id }) => id),
    );
    const missing = drifts.filter(({ kind }) => kind === `${type}.missing`);
    const known = new Set(missing.map(({ resource_id }) => resource_id));
    for (const row of unseen.filter(({ id }) => !known.has(id))) {
      if ((await compareRow(read, row, seen))?.isUnseen) choose(run, chosen, row);
    }
  }
  return chosen;
}

/** Gives each row the same chance, so that no two sweeps leave out the same ones. */
function choose({ deps }: SweepRun, chosen: UnseenOfType, row: ResourceRow): void {
  const of = row.origin === null ? 'observed' : 'managed';
  const unseen = chosen[of];
  unseen.count += 1;
  const isRoom = unseen.rows.length < LOOKS_MAX[of];
  const place = isRoom ? unseen.rows.length : Math.floor(deps.random() * unseen.count);
  if (place < LOOKS_MAX[of]) unseen.rows[place] = row;
}
