import { createHash } from 'node:crypto';
import type { Loop } from '../../domain/clock.ts';
import { applyRules } from '../../rules/follow.ts';
import { listPruned, prune } from '../../store/engine/prune.ts';
import { forgetTombstones } from '../../store/resources/erasure.ts';
import { createShared } from '../../store/tables.ts';
import type { ReconcileDeps } from '../deps.ts';
import { createJob } from '../job.ts';
import { findRecovery } from '../repair/recovery.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

/** Creates the job that forgets what is old. */
export function createPruning(deps: ReconcileDeps): Loop {
  // At first old rows are looked for late: what changed while nobody led is more urgent.
  const pruning = { type: 'ledger', id: 'prune', restMs: HOUR, firstMs: 5 * MINUTE };
  return createJob(deps, pruning, (signal) => pruneAll(deps, signal));
}

/** A stop ends it after the transaction that runs. */
async function pruneAll(deps: ReconcileDeps, signal: AbortSignal): Promise<undefined> {
  const { ledgerMs, tombstonesMs } = deps.policy;
  const now = deps.clock.now();
  const deletedBefore = tombstonesMs === 0 ? 0 : now - tombstonesMs;
  for (const pruned of listPruned(now, ledgerMs, deletedBefore)) {
    let forgotten = PRUNE_MAX;
    while (forgotten === PRUNE_MAX && !signal.aborted) {
      forgotten = await deps.store.write((tx) => prune(tx, pruned, PRUNE_MAX));
    }
  }
  // Last, because a call or a drift that is kept stands in the way.
  await forgetTombstones(deps, deletedBefore, signal);
}

/** Hash of the rules that were applied last. */
const APPLIED = createShared<string>('rules');

/** Creates the reapplication of changed rules. After a crash it begins again; requests are served meanwhile. */
export function createReapplication(deps: ReconcileDeps) {
  const { store, clock } = deps;
  const { rules } = deps.rules.book;
  const hash = createHash('sha256').update(JSON.stringify(rules)).digest('hex');
  const applied = Promise.withResolvers<void>();
  const job = { type: 'rules', id: 'reapply', restMs: SECOND };
  const loop = createJob(deps, job, async (signal) => {
    // What rules would derive from an old backup waits for the same decision.
    if ((await findRecovery(store.read)) !== undefined) return SECOND;
    const last = await APPLIED.find(store.read);
    // A store that never had rules needs nothing while there are none.
    const isToApply = last === undefined ? rules.length > 0 : last !== hash;
    if (isToApply) {
      await applyRules(deps, signal);
      await store.write((tx) => APPLIED.save(tx, hash, clock.now()));
    }
    applied.resolve();
    return HOUR;
  });
  /** `applied` resolves once the rules hold everywhere. */
  return { ...loop, applied: applied.promise };
}
