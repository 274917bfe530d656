import type { DriftKind } from '../../domain/drift.ts';
import { BridgeError } from '../../domain/errors.ts';
import { toCount } from '../../domain/text.ts';
import { findNewestCallAt } from '../../store/audit/own-calls.ts';
import { changeDrifts, endOrphanedDrifts } from '../../store/drifts.ts';
import { listNamesakes } from '../../store/resources/find.ts';
import {
  listRows,
  lockRow,
  MANAGED,
  type ResourceRow,
  readRows,
} from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { isBusy, isUnchanged, listDifferences } from '../differences.ts';
import { markToLook } from '../mark-to-look.ts';
import { readService } from '../read/read-service.ts';
import { LISTS_OF, READ_SECTIONS, type ReadRun } from '../read/reading.ts';
import {
  compareWithKnown,
  type DriftChanges,
  type KnownDifferences,
  type LookPart,
  listKnown,
  listPartsOf,
  lookAt,
  readGroupLists,
  storeDriftChanges,
} from './look.ts';

/** Counts of one sweep. */
export interface SweepCounts {
  users: number;
  groups: number;
  /** Numbers of drifts that are new, that were seen again, and that are gone. */
  opened: number;
  confirmed: number;
  gone: number;
  /** Users and groups that could not be compared: at work, just written, or not to be looked at. */
  unknown: number;
}

/** State that the parts of one sweep share. */
export interface SweepRun extends ReadRun {
  /** Time after a write of our own in which a difference is not drift yet, in milliseconds. */
  readonly settleMs: number;
  readonly counts: SweepCounts;
  /** Reasons why something was not concluded. */
  readonly reasons: Set<string>;
}

/** Failures in a row of one list before the sweep ends without a conclusion. */
const FAILURES_MAX = 3;
/** Rows of one read of the store: few, because a group may have many members. */
const COMPARED = { user: 50, group: 5 } as const;
/** Missing users, and missing groups, that one sweep looks for: managed ones first. */
const LOOKS_MAX = 200;
/** Users without a known account that one sweep has looked at. */
const NAMESAKES_MAX = 200;

/**
 * Reads the service, then says what differs. Makes no call that changes anything. `run.reasons` say what was not concluded.
 * @throws BridgeError `sweep-incomplete` when the lists proved nothing; `not-leading`, `other-service`
 * @throws the reason of the signal, StoreError
 */
export async function readAndCompare(
  run: SweepRun,
  { readsAdmins }: { readonly readsAdmins: boolean },
): Promise<void> {
  const { store, clock } = run.deps;
  await readLists(run);
  if (readsAdmins && run.reading.isRead('group')) {
    for (const name of await readGroupLists(run))
      run.reasons.add(`the ${name} of some groups could not be read`);
  }
  // An unmanaged account may be that of a user without one, who has its name: then what is wanted applies to it.
  await store.write(async (tx) => {
    const ids = await listNamesakes(tx, NAMESAKES_MAX);
    const keys = ids.map((id) => ({ type: 'user', id }) as const);
    await markToLook(tx, keys, clock.now());
  });
  for (const type of ['user', 'group'] as const) {
    const suspects: Suspects = { managed: [], unmanaged: [], differing: new Map() };
    for await (const rows of readRows(store.read, type, { limit: COMPARED[type] })) {
      run.signal.throwIfAborted();
      await compareRows(run, rows, suspects);
      run.counts[`${type}s`] += rows.length;
    }
    await lookAtSuspects(run, type, suspects);
  }
  await store.write((tx) => endOrphanedDrifts(tx, clock.now()));
}

/** Reads every list to its proven end. A section that the service closes is left out and reported. */
async function readLists(run: SweepRun): Promise<void> {
  const { reading, reasons } = run;
  const { lists } = reading;
  const failed = await readService(run, { failuresMax: FAILURES_MAX });
  if (failed !== undefined) throw new BridgeError('sweep-incomplete', failed);
  for (const pair of Object.values(LISTS_OF)) {
    const [empty, full] = lists[pair[0]].count === 0 ? pair : pair.toReversed();
    const areRead = pair.every((list) => reading.isDone(list));
    if (areRead && empty && full && lists[empty].count === 0 && lists[full].count > 0) {
      const words = `the list ${empty} is empty, and ${full} is not`;
      throw new BridgeError('sweep-incomplete', words);
    }
  }
  for (const section of READ_SECTIONS) {
    if (!reading.isDone(section))
      reasons.add(`the service does not let the bridge read its ${section}`);
  }
  if (reading.doubted.size > 0) {
    reasons.add('no two answers agree on how many people are in some groups');
  }
}

/** Users or groups that are to be looked at, by their numbers. */
interface Suspects {
  /** No list showed them. A look says whether they are missing. */
  readonly managed: number[];
  readonly unmanaged: number[];
  /** They have new differences, with the parts in which these are seen: only a look makes drift of them. */
  readonly differing: Map<number, LookPart[]>;
}

/**
 * Compares users or groups with the complete lists, beside the transactions of others: most differ in nothing. A known drift
 * is confirmed or ended by the lists alone.
 */
async function compareRows(
  run: SweepRun,
  rows: readonly ResourceRow[],
  suspects: Suspects,
): Promise<void> {
  const { counts } = run;
  const { store, clock } = run.deps;
  const ids = rows.map(({ id }) => id);
  const all = await listKnown(store.read, ids);
  const compared: (DriftChanges & { readonly row: ResourceRow })[] = [];
  for (const row of rows) {
    const isOfRow = (one: { readonly resource_id: string }) => one.resource_id === row.id;
    const known = { drifts: all.drifts.filter(isOfRow), held: all.held.filter(isOfRow) };
    // One that is known to be missing was looked for then.
    const isKnown = known.drifts.some(({ kind }) => kind.endsWith('.missing'));
    if (!isKnown && run.reading.isMissed(row)) {
      suspects[row.origin === null ? 'unmanaged' : 'managed'].push(row.seq);
    } else if (await mayCompare(run, row)) {
      compared.push({ row, ...(await compareRow(run, row, { known, suspects })) });
    }
  }
  const same = compared.flatMap((one) => one.same);
  const changed = compared.filter(
    (one) => one.other.length + one.gone.length + one.fresh.length > 0,
  );
  // Only these keep the writes of others waiting.
  if (same.length + changed.length === 0) return;
  const stored = await store.write(async (tx) => {
    const now = clock.now();
    await changeDrifts(tx, same, { last_seen_at: now });
    const still: DriftChanges[] = [];
    for (const one of changed) {
      const locked = await lockRow(tx, one.row);
      // Nothing is said of what was written since it was compared.
      if (locked === undefined || !isUnchanged(locked, one.row)) continue;
      await storeDriftChanges(tx, one, { detector: 'sweep', now });
      still.push(one);
    }
    return still;
  });
  counts.confirmed += same.length;
  for (const { other, gone, fresh } of stored) {
    counts.confirmed += other.length;
    counts.gone += gone.length;
    counts.opened += fresh.length;
  }
}

/** True unless nothing can be said of a user or group: at work, left out, or neither seen nor looked for. */
async function mayCompare(run: SweepRun, row: ResourceRow): Promise<boolean> {
  const { reading, counts, reasons } = run;
  if (!reading.isRead(row.type)) return false;
  const leftOutBy = reading.findLeftOut(row);
  if (isBusy(row) || (leftOutBy && (await mayBeOutdated(run, row)))) {
    counts.unknown += 1;
    return false;
  }
  if (leftOutBy) reasons.add(`the list ${leftOutBy} left out what another list shows`);
  if (leftOutBy === LISTS_OF[row.type][0]) return false;
  return row.origin !== null || reading.isSeen(row);
}

/** True for what was changed while it was read: the list was dropped for it. */
async function mayBeOutdated({ deps: { store, policy }, reading }: SweepRun, row: ResourceRow) {
  // A call that began before the sweep may have ended in it.
  const since = reading.since - policy.callMs;
  if (row.modified_at >= since || row.due_at !== null) return true;
  return ((await findNewestCallAt(store.read, row.id)) ?? 0) >= since;
}

/** Compares one with what is known. What differs anew of a managed one is suspected alone. */
async function compareRow(
  { deps: { store, policy }, reading }: SweepRun,
  row: ResourceRow,
  { known, suspects }: { readonly known: KnownDifferences; readonly suspects: Suspects },
): Promise<DriftChanges> {
  const differences = await listDifferences(store.read, row, policy.deactivation);
  const changes = compareWithKnown(differences, known);
  // Who is in a group is not known where no two answers agree, or ids have changed.
  const isDoubted = reading.doubted.has(row.seq);
  const isSure = (kind: DriftKind, memberId: string) =>
    !reading.moved.has(memberId) && !(isDoubted && kind.startsWith('member.'));
  const fresh = changes.fresh.filter(({ kind, memberId }) => isSure(kind, memberId));
  const gone = changes.gone.filter(({ kind, member_id }) => isSure(kind, member_id));
  if (row.origin === null) {
    const isNews = fresh.length > 0 && !(await isAwaited(store.read, row));
    return { ...changes, gone, fresh: isNews ? fresh : [] };
  }
  const kinds = fresh.map(({ kind }) => kind);
  // A missing one was looked for before.
  if (kinds.length > 0 && reading.isSeen(row)) {
    suspects.differing.set(row.seq, listPartsOf(kinds, policy.deactivation));
  }
  return { ...changes, gone, fresh: [] };
}

/** True for what was just seen for the first time while a create of ours may have made it. */
async function isAwaited(db: Db, row: ResourceRow): Promise<boolean> {
  const { type, observed_user_name_folded: name, observed_email_folded: email } = row;
  const names =
    type === 'group' ? [row.name_folded] : [name, email].filter((text) => text !== null);
  const unconfirmed = { name_folded: names, ...MANAGED, upstream_id: null };
  return (await listRows(db, type, unconfirmed, { limit: 1 })).length > 0;
}

/**
 * Looks at suspects by themselves. Unmanaged ones that are gone are forgotten. A list may always leave out inactive users; a
 * managed one that is found proves that its list was not complete.
 */
async function lookAtSuspects(
  run: SweepRun,
  type: ResourceRow['type'],
  { managed, unmanaged, differing }: Suspects,
): Promise<void> {
  const { deps, reasons } = run;
  // From another one on each time, so that no two sweeps leave out the same ones.
  const rotate = (seqs: readonly number[]) => {
    const first = Math.floor(deps.random() * seqs.length);
    return [...seqs.slice(first), ...seqs.slice(0, first)];
  };
  const missing = [...rotate(managed), ...rotate(unmanaged)];
  for (const seq of [...differing.keys(), ...missing.slice(0, LOOKS_MAX)]) {
    const [row] = await listRows(deps.store.read, type, { seq });
    if (row !== undefined) await lookInto(run, row, differing.get(seq));
  }
  const [one, many] = [`more ${type} is missing and was`, `more ${type}s are missing and were`];
  const left = missing.length - LOOKS_MAX;
  if (left > 0) reasons.add(`${toCount(left, one, many)} not looked for yet`);
}

/**
 * Looks at one, once the service shows the last write of our own: what a list alone shows is no drift yet. `parts`: those in
 * which it differs; undefined: it is missing.
 */
async function lookInto(run: SweepRun, row: ResourceRow, parts?: LookPart[]): Promise<void> {
  const { deps, counts, reasons, signal, settleMs } = run;
  signal.throwIfAborted();
  const how = { parts: parts ?? (['ordinary'] as const), detector: 'sweep', settleMs } as const;
  let looked = await lookAt(run, row, how);
  if (looked.kind === 'just-written') {
    await deps.clock.sleep(looked.until - deps.clock.now(), signal);
    looked = await lookAt(run, row, how);
  }
  const isMissing = parts === undefined;
  if (looked.kind === 'could-not-look') {
    if (isMissing && row.origin === null) return;
    const what = isMissing
      ? 'somebody missing could not be looked for'
      : 'what was seen to differ could not be looked at again';
    reasons.add(`${what} (${looked.reason})`);
  }
  if (looked.kind !== 'looked' || (looked.isGone && !isMissing)) counts.unknown += 1;
  if (looked.kind !== 'looked') return;
  counts.opened += looked.drifts.length;
  if (isMissing && row.origin !== null && !looked.isGone) {
    reasons.add(`the list of ${row.type}s left out one that is there`);
  }
}
