import type { Loop } from '../../domain/loop.ts';
import { pruneActs } from '../../store/audit/acts.ts';
import { pruneAuditEvents } from '../../store/audit/events.ts';
import { pruneOwnCalls } from '../../store/audit/own-calls.ts';
import { pruneRequests } from '../../store/audit/requests.ts';
import { pruneChanges } from '../../store/changes.ts';
import { prunePassing } from '../../store/credentials/credentials.ts';
import { pruneUsedAssertions } from '../../store/credentials/used-assertions.ts';
import { pruneDrifts } from '../../store/drifts.ts';
import type { Prune } from '../../store/engine/prune.ts';
import { pruneErrands } from '../../store/errands.ts';
import { prunePlans } from '../../store/plans/plans.ts';
import { pruneDisputes } from '../../store/resources/disputes.ts';
import { forgetNames } from '../../store/resources/known-names.ts';
import type { Protection } from '../../store/resources/protection.ts';
import { pruneDeletedGroups } from '../../store/resources/rows.ts';
import { pruneSweeps } from '../../store/sweeps.ts';
import type { ReconcileDeps } from '../deps.ts';
import { type ErasureDeps, forgetTombstones } from '../erasure/erasure.ts';
import { createJob } from '../job.ts';

/** Time until old rows are looked for first, in milliseconds: what changed while nobody led is more urgent. */
const FIRST_MS = 5 * 60_000;
/** Interval at which they are looked for, in milliseconds. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Errands end within seconds, unless their process has died: whoever has a clock that is wrong by less loses none. */
const ERRANDS_KEPT_MS = 60 * 60_000;
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

interface PruningDeps extends ErasureDeps {
  readonly events: Pick<ReconcileDeps['events'], 'failed'>;
  readonly rules: { readonly protection: Pick<Protection, 'protectsName'> };
}

/** Ages of what is kept, in milliseconds. */
export interface Retention {
  /** Calls, events of the audit log, requests, drifts, sweeps and plans. */
  readonly ledgerMs: number;
  /** Acts of operators and outages. */
  readonly actsMs: number;
  /** Deleted people and groups, by name; 0: for ever. */
  readonly tombstonesMs: number;
}

/** Creates what forgets some minutes after the start and every hour what is older than that. */
export function createPruning(deps: PruningDeps, retention: Retention): Loop {
  const job = { type: 'ledger', id: 'prune', restMs: PRUNE_EVERY_MS, firstMs: FIRST_MS };
  return createJob(deps, job, async (signal) => {
    await pruneAll({ ...deps, signal }, retention, deps.clock.now());
    return PRUNE_EVERY_MS;
  });
}

/** One round; a stop ends it after the transaction that runs. */
interface Run extends PruningDeps {
  readonly signal: AbortSignal;
}

async function pruneAll(run: Run, retention: Retention, now: number): Promise<void> {
  const { ledgerMs, actsMs, tombstonesMs } = retention;
  const before = now - ledgerMs;
  const alwaysKept = { before, keptFrom: now - KEPT_MS };
  const rows: readonly (readonly [prune: Prune, age: Omit<Parameters<Prune>[1], 'limit'>])[] = [
    [pruneRequests, { before }],
    [pruneActs, { before: now - actsMs }],
    [pruneOwnCalls, alwaysKept],
    [pruneAuditEvents, alwaysKept],
    [prunePassing, { before: now }],
    [pruneUsedAssertions, { before: now }],
    [pruneDrifts, { before }],
    [pruneDisputes, { before }],
    [prunePlans, { before }],
    [pruneSweeps, { before }],
    [pruneChanges, { before: now }],
    [pruneErrands, { before: now - ERRANDS_KEPT_MS }],
  ];
  for (const [prune, age] of rows) await prunePartly(run, prune, age);
  await forgetOrdinaryNames(run);
  if (tombstonesMs === 0) return;
  const deletedBefore = now - tombstonesMs;
  await forgetTombstones(run, deletedBefore, run.signal);
  await prunePartly(run, pruneDeletedGroups, { before: deletedBefore });
}

/** Age up to which calls and events are kept, however many, in milliseconds: limits of harm look back a day. */
const KEPT_MS = 2 * 24 * 3_600_000;

/** Former names of people and groups are kept while they protect one. */
async function forgetOrdinaryNames({ store, rules }: Run): Promise<void> {
  await forgetNames(store, ({ type, name }) => !rules.protection.protectsName(type, name));
}

/** Forgets what is from before `before`, or beyond the rows that are kept, a part in each transaction. */
async function prunePartly(
  { store, signal }: Run,
  prune: Prune,
  age: Omit<Parameters<Prune>[1], 'limit'>,
): Promise<void> {
  let pruned = PRUNE_MAX;
  while (pruned === PRUNE_MAX && !signal.aborted) {
    pruned = await store.write((tx) => prune(tx, { ...age, limit: PRUNE_MAX }));
  }
}
