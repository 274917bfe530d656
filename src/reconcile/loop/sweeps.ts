import { BridgeError, newId, toCount } from '../../domain/values.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { endOrphanedDrifts, listActiveDrifts } from '../../store/drifts.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import type { PlanRow } from '../../store/plans.ts';
import { listNamesakes } from '../../store/resources/find.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { listRows, lockRow, readRows } from '../../store/resources/rows.ts';
import type { Row } from '../../store/tables.ts';
import { findOne, insertNew, listWhere, updateWhere } from '../../store/tables.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import { withOptions } from '../../upstream/transport.ts';
import { lookAt, recordDifferences } from '../compare/look.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Current } from '../differences.ts';
import { compareRow, isBusy, isUnchanged, listDifferences, markToLook } from '../differences.ts';
import { createJob, isNotLeading } from '../job.ts';
import { readGroupLists } from '../read/read-groups.ts';
import { FIRST_READ, readService } from '../read/read-service.ts';
import type { ReadRun } from '../read/reading.ts';
import { READ_SECTIONS, Reading } from '../read/reading.ts';
import { decide } from '../repair/decide.ts';
import { findRecovery } from '../repair/recovery.ts';

/** Interval of asking whether a sweep is due, or was asked for, in milliseconds. */
const POLL_MS = 10_000;

/**
 * The sweeps of one lead: complete comparisons of the service with the store, one at a time. `isReady`: this process
 * knows that the store is current.
 */
export function createSweeps(deps: ReconcileDeps, isReady: () => boolean) {
  const { clock } = deps;
  const beganAt = clock.now();
  let reading: Reading | undefined;
  const job = { type: 'sweep', id: 'schedule', restMs: POLL_MS, topic: 'decided' } as const;
  const loop = createJob(deps, job, async (signal) => {
    const sweep = isReady() ? await findWork(deps, beganAt) : undefined;
    if (sweep === undefined) return POLL_MS;
    reading = new Reading(clock.now(), false);
    try {
      await carryOut(deps, sweep, { reading, signal });
    } finally {
      reading = undefined;
      // Of whom the lists may be too old is looked at.
      deps.store.bell.ring('due');
    }
    return POLL_MS;
  });
  return {
    ...loop,
    /** How far the sweep that runs has read the service; undefined: no list is being read. */
    progress: () => reading?.findProgress(clock.now()),
  };
}

type RequestDeps = Pick<ReconcileDeps, 'store' | 'clock' | 'policy'>;

/** Has the leader make a sweep as soon as may be; one that runs or waits already counts. Returns its id. */
export async function requestSweep(deps: RequestDeps, dryRun: boolean): Promise<string> {
  const sweep = await addSweep(deps, dryRun ? 1 : 0);
  deps.store.bell.ring('decided');
  return sweep?.id ?? '';
}

/** One that waits, or a new one when it is time. */
async function findWork(deps: ReconcileDeps, beganAt: number): Promise<Row<'sweeps'> | undefined> {
  const { read } = deps.store;
  if ((await findRecovery(read)) !== undefined) return undefined;
  const waiting = await findOne(read, 'sweeps', { status: 'running' });
  return waiting ?? ((await isDue(deps, beganAt)) ? addSweep(deps, 0) : undefined);
}

/** True at the start, unless the whole service was read since, and then again and again. */
async function isDue(deps: ReconcileDeps, beganAt: number): Promise<boolean> {
  const { read } = deps.store;
  const { sweepIntervalMs: intervalMs } = deps.policy;
  if (intervalMs === 0) return false;
  const last = await findOne(read, 'sweeps', {}, NEWEST_FIRST);
  const finishedAt = (await FIRST_READ.find(read)) ?? 0;
  const now = deps.clock.now();
  // What seems to lie ahead was stored before the clock was set back: it says nothing of when that was.
  const lookedAt = Math.max(0, ...[last?.started_at ?? 0, finishedAt].filter((at) => at <= now));
  return lookedAt < beganAt || lookedAt + intervalMs <= now;
}

const NEWEST_FIRST = { order: 'seq desc' } as const;

/** Adds a sweep, unless one runs or waits; returns that one. */
async function addSweep(
  { store, clock, policy }: RequestDeps,
  dry_run: 0 | 1,
): Promise<Row<'sweeps'> | undefined> {
  const limit = policy.adminsEvery - 1;
  return store.write(async (tx) => {
    const before = await listWhere(tx, 'sweeps', {}, { ...NEWEST_FIRST, limit });
    const readsAdmins = before.length >= limit && before.every((one) => one.reads_admins === 0);
    const sweep = {
      id: newId(),
      status: 'running',
      reads_admins: readsAdmins ? 1 : 0,
      dry_run,
      started_at: clock.now(),
      calls: 0,
      counts: {},
      reasons: [],
    } as const;
    const [added] = await insertNew(tx, 'sweeps', [sweep]);
    // What the running one finds is acted on, although it was begun as a dry run.
    if (!added && !dry_run) await updateWhere(tx, 'sweeps', { status: 'running' }, { dry_run });
    return added ?? findOne(tx, 'sweeps', {}, NEWEST_FIRST);
  });
}

async function carryOut(
  deps: ReconcileDeps,
  { id, reads_admins, started_at }: Row<'sweeps'>,
  { reading, signal }: { readonly reading: Reading; readonly signal: AbortSignal },
): Promise<void> {
  const { store, clock, events } = deps;
  let calls = 0;
  const upstream = withOptions(deps.upstream, (options?: CallOptions) => {
    calls += 1;
    return options;
  });
  const run = { deps: { ...deps, upstream }, reading, signal };
  const comparison = new Comparison(run);
  const { counts } = comparison;
  events.sweepStarted({ sweepId: id, admins: reads_admins === 1 });
  let plan: PlanRow | undefined;
  try {
    await comparison.make({ readsAdmins: reads_admins === 1 });
    const isDryRun = (await findOne(store.read, 'sweeps', { id }))?.dry_run === 1;
    plan = await decide(deps, isDryRun ? 'dry-run' : 'sweep');
  } catch (error) {
    if (isNotLeading(error) || signal.aborted) return;
    const isIncomplete = error instanceof BridgeError && error.code === 'sweep-incomplete';
    if (!isIncomplete) events.sweepFailed({ sweepId: id, error });
    // The next turn tries again a store that does not answer.
    if (error instanceof StoreError) return;
    // After a bug, or before another company's service, trying again at once would meet it again.
    comparison.reasons.add(isIncomplete ? error.message : 'the bridge failed: its log says why');
  }
  const reasons = [...comparison.reasons];
  const concluded = plan?.status === 'held' ? 'held' : 'complete';
  const status = reasons.length === 0 ? concluded : 'incomplete';
  const now = clock.now();
  const plan_id = plan?.id ?? null;
  const end = { counts, reasons, status, calls, plan_id, ended_at: now } as const;
  await store.write((tx) => updateWhere(tx, 'sweeps', { id, status: 'running' }, end));
  store.bell.ring('decided');
  const ended = { sweepId: id, status, durationMs: now - started_at, calls, ...counts } as const;
  events.sweepEnded({ ...ended, reasons: reasons.join('; ') });
}

/** Failures in a row of one list before the sweep ends without a conclusion. */
const FAILURES_MAX = 3;
/** Rows of one read of the store: few, because a group may have many members. */
const COMPARED = { user: 50, group: 5 } as const;
/** Missing users, and missing groups, that one sweep looks for: managed ones first. */
const LOOKS_MAX = 200;
/** Users without a known account that one sweep has looked at. */
const NAMESAKES_MAX = 200;

/** Rows of a type that only a look can tell more of, by their numbers. */
interface Suspects {
  /** Those with new differences. */
  readonly differing: number[];
  /** Those that a list left out. */
  readonly managed: number[];
  readonly unmanaged: number[];
}

/** Comparison of the whole service with the store. It changes nothing in the service. */
class Comparison {
  /** `opened`, `confirmed`, `gone`: drifts; `unknown`: users and groups of which nothing can be said. */
  readonly counts = { users: 0, groups: 0, opened: 0, confirmed: 0, gone: 0, unknown: 0 };
  /** Reasons why something was not concluded. */
  readonly reasons = new Set<string>();
  readonly #run: ReadRun;

  constructor(run: ReadRun) {
    this.#run = run;
  }

  /** @throws BridgeError `sweep-incomplete` when the lists proved nothing; `not-leading`, `other-service`; StoreError */
  async make({ readsAdmins }: { readonly readsAdmins: boolean }): Promise<void> {
    const { deps, reading, signal } = this.#run;
    const { store, clock } = deps;
    await this.#readLists();
    if (readsAdmins && reading.isRead('group')) {
      for (const name of await readGroupLists(this.#run))
        this.reasons.add(`the ${name} of some groups could not be read`);
    }
    // An unmanaged account may be that of a user without one, who has its name: then what is wanted applies to it.
    await store.write(async (tx) =>
      markToLook(tx, await listNamesakes(tx, NAMESAKES_MAX), clock.now()),
    );
    for (const type of ['user', 'group'] as const) {
      const suspects: Suspects = { differing: [], managed: [], unmanaged: [] };
      for await (const rows of readRows(store.read, type, { limit: COMPARED[type] })) {
        signal.throwIfAborted();
        await this.#compare(rows, suspects);
        this.counts[`${type}s`] += rows.length;
      }
      await this.#lookAtSuspects(type, suspects);
    }
    await store.write((tx) => endOrphanedDrifts(tx, clock.now()));
  }

  /** A section that the service closes is left out and reported. */
  async #readLists(): Promise<void> {
    const { reading } = this.#run;
    await readService(this.#run, { failuresMax: FAILURES_MAX });
    for (const section of READ_SECTIONS) {
      if (!reading.isDone(section))
        this.reasons.add(`the service does not let the bridge read its ${section}`);
    }
    if (reading.doubted.size > 0) {
      this.reasons.add('no two answers agree on how many people are in some groups');
    }
  }

  /** A known drift is confirmed or ended by the lists alone; what differs anew of a managed one is looked at. Most rows differ in nothing. */
  async #compare(rows: readonly ResourceRow[], suspects: Suspects): Promise<void> {
    const { deps, reading } = this.#run;
    const { store, clock, policy } = deps;
    const ids = rows.map(({ id }) => id);
    const known = await listActiveDrifts(store.read, ids);
    const drifts = Map.groupBy(known, (drift) => drift.resource_id);
    const differing: Current[] = [];
    for (const row of rows) {
      const ofRow = drifts.get(row.id) ?? [];
      if (!this.#isComparable(row, ofRow, suspects)) continue;
      const current = await compareRow(store.read, row, policy.deactivation);
      if (ofRow.length > 0 || listDifferences(current).length > 0) differing.push(current);
    }
    if (differing.length === 0) return;
    const now = clock.now();
    const recorded = await store.write(async (tx) => {
      const all: { row: ResourceRow; found: Awaited<ReturnType<typeof recordDifferences>> }[] = [];
      for (const current of differing) {
        const { row } = current;
        const locked = await lockRow(tx, row);
        // Nothing is said of what was written since it was compared.
        if (locked === undefined || !isUnchanged(locked, row)) continue;
        // Who is in a group is not known where no two answers agree, or ids have changed.
        const isDoubted = reading.doubted.has(row.seq);
        const isSure = (kind: string, memberId: string) =>
          !reading.moved.has(memberId) && !(isDoubted && kind.startsWith('member.'));
        const detector = row.origin === null ? 'sweep' : undefined;
        const seeing = { kind: 'seen', detector, isSure, now } as const;
        all.push({ row, found: await recordDifferences(tx, current, seeing) });
      }
      return all;
    });
    for (const { row, found } of recorded) {
      const gone = found.changed.filter(({ status }) => status === 'gone').length;
      this.counts.gone += gone;
      this.counts.confirmed += found.changed.length - gone;
      this.counts.opened += found.opened.length;
      // A missing one was looked for before.
      const isNew = row.origin !== null && found.fresh.length > 0;
      if (isNew && reading.isSeen(row)) suspects.differing.push(row.seq);
    }
  }

  /** False for one that is worked on, or of which the lists say nothing. One that they left out is looked for. */
  #isComparable(row: ResourceRow, drifts: readonly DriftRow[], suspects: Suspects): boolean {
    const { reading } = this.#run;
    // One that is known to be missing was looked for then.
    if (reading.isMissed(row) && !drifts.some(({ kind }) => kind.endsWith('.missing'))) {
      suspects[row.origin === null ? 'unmanaged' : 'managed'].push(row.seq);
      return false;
    }
    this.counts.unknown += Number(isBusy(row));
    if (isBusy(row) || !reading.isRead(row.type)) return false;
    return row.origin !== null || reading.isSeen(row);
  }

  async #lookAtSuspects(
    type: ResourceRow['type'],
    { differing, managed, unmanaged }: Suspects,
  ): Promise<void> {
    const { deps, signal } = this.#run;
    const { random, store } = deps;
    // From another one on each time, so that no two sweeps leave out the same ones.
    const rotate = (seqs: readonly number[]) => {
      const first = Math.floor(random() * seqs.length);
      return [...seqs.slice(first), ...seqs.slice(0, first)];
    };
    const missing = [...rotate(managed), ...rotate(unmanaged)];
    for (const seq of [...differing, ...missing.slice(0, LOOKS_MAX)]) {
      signal.throwIfAborted();
      for (const row of await listRows(store.read, type, { seq })) await this.#lookAt(row);
    }
    const [one, many] = [`more ${type} is missing and was`, `more ${type}s are missing and were`];
    const left = missing.length - LOOKS_MAX;
    if (left > 0) this.reasons.add(`${toCount(left, one, many)} not looked for yet`);
  }

  /** Looks at one, once the service shows our last write. */
  async #lookAt(row: ResourceRow): Promise<void> {
    const { deps, reading, signal } = this.#run;
    const isMissed = reading.isMissed(row);
    let looked = await lookAt(this.#run, row, 'sweep');
    if (looked.kind === 'just-written') {
      await deps.clock.sleep(looked.until - deps.clock.now(), signal);
      looked = await lookAt(this.#run, row, 'sweep');
    }
    if (looked.kind === 'looked') this.counts.opened += looked.drifts.length;
    else this.counts.unknown += 1;
    if (row.origin === null) return;
    // A list may always leave out inactive users; a managed one that is found proves that its list was not complete.
    if (looked.kind === 'looked' && isMissed && !looked.isGone)
      this.reasons.add(`the list of ${row.type}s left out one that is there`);
    if (looked.kind === 'could-not-look')
      this.reasons.add(`some ${row.type}s could not be looked at (${looked.reason})`);
  }
}
