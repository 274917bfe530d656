import type { Loop } from '../../domain/loop.ts';
import { pruneChanges } from '../../store/changes.ts';
import { type Age, type OldRows, PRUNED, prune } from '../../store/engine/prune.ts';
import { prunePlans } from '../../store/plans.ts';
import { forgetNames } from '../../store/resources/names.ts';
import type { Protection } from '../../store/resources/protection.ts';
import type { Db } from '../../store/store.ts';
import type { Events } from '../../telemetry/events.ts';
import { type ErasureDeps, forgetTombstones } from '../erasure/erasure.ts';
import { createJob } from '../job.ts';

/** Time until old rows are looked for first, in milliseconds: what changed while nobody led is more urgent. */
const FIRST_MS = 5 * 60_000;
/** Interval at which they are looked for, in milliseconds. */
const PRUNE_EVERY_MS = 60 * 60_000;
/** Errands end within seconds, unless their process has died; a clock that is wrong by less loses none. */
const ERRANDS_KEPT_MS = 60 * 60_000;
/** Age up to which calls and events are kept, however many, in milliseconds. */
const RECENT_MS = 2 * 24 * 3_600_000;
/** Rows that are forgotten in one transaction, so that no write waits long for it. */
const PRUNE_MAX = 2_000;

interface PruningDeps extends ErasureDeps {
  readonly events: Pick<Events, 'failed'>;
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
  const ages: Readonly<Record<Age, Omit<OldRows, 'limit'>>> = {
    past: { before: now - ledgerMs },
    recent: { before: now - ledgerMs, keptFrom: now - RECENT_MS },
    acts: { before: now - actsMs },
    expiry: { before: now },
    errand: { before: now - ERRANDS_KEPT_MS },
    tombstone: { before: now - tombstonesMs },
  };
  const pruneAllOf = async (some: readonly Age[]) => {
    for (const pruned of PRUNED.filter(({ age }) => some.includes(age))) {
      await pruneInParts(run, (tx, limit) => prune(tx, pruned, { ...ages[pruned.age], limit }));
    }
  };
  await pruneAllOf(['past', 'recent', 'acts', 'expiry', 'errand']);
  await pruneInParts(run, (tx, limit) => prunePlans(tx, { ...ages.past, limit }));
  await pruneInParts(run, (tx, limit) => pruneChanges(tx, { limit }));
  // Former names of people and groups are kept while they protect one.
  const { protection } = run.rules;
  await forgetNames(run.store, ({ type, name }) => !protection.protectsName(type, name));
  if (tombstonesMs === 0) return;
  // Last, because a call or a drift that is kept stands in the way.
  await forgetTombstones(run, ages.tombstone.before, run.signal);
  await pruneAllOf(['tombstone']);
}

/** Forgets a part in each transaction; `forget` returns how many it has forgotten. */
async function pruneInParts(
  { store, signal }: Run,
  forget: (tx: Db, limit: number) => Promise<number>,
): Promise<void> {
  let pruned = PRUNE_MAX;
  while (pruned === PRUNE_MAX && !signal.aborted) {
    pruned = await store.write((tx) => forget(tx, PRUNE_MAX));
  }
}
