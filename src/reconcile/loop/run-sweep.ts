import { endOrphanedDrifts } from '../../store/drifts.ts';
import { compareAll } from '../compare/compare-all.ts';
import { endUnseen, lookForMissing, storeMissing } from '../compare/missing.ts';
import { lookAtNamesakes } from '../compare/namesakes.ts';
import { readGroupLists } from '../compare/read-group-lists.ts';
import { readLists } from '../compare/read-lists.ts';
import { IncompleteSweep, type SweepRun } from '../compare/run.ts';
import type { ReadLists } from '../read/checkpoint.ts';

/**
 * Runs one sweep: reads the service, then says what differs. Makes no call that changes anything. `false`: the lists
 * proved nothing, so nothing was concluded; `run.reasons` say why, also where only a part is missing.
 * @throws the reason of the signal, StoreError, BridgeError `not-leading`, `other-service`
 */
export async function runSweep(run: SweepRun): Promise<boolean> {
  try {
    const lists = await readLists(run);
    if (run.sweep.reads_admins === 1 && lists.groups) await readGroupLists(run);
    await conclude(run, lists);
    return true;
  } catch (error) {
    if (!(error instanceof IncompleteSweep)) throw error;
    run.reasons.add(error.message);
    return false;
  }
}

async function conclude(run: SweepRun, lists: ReadLists): Promise<void> {
  const { deactivation } = run.deps.policy;
  const seen = { lists, since: run.sweep.started_at, deactivation };
  const missing = [
    ...(await lookForMissing(run, 'user', seen)),
    ...(await lookForMissing(run, 'group', seen)),
  ];
  await storeMissing(run, missing);
  await lookAtNamesakes(run);
  await compareAll(run, 'users', seen);
  await compareAll(run, 'groups', seen);
  await endUnseen(run, 'user', seen);
  await endUnseen(run, 'group', seen);
  await run.deps.store.write((tx) => endOrphanedDrifts(tx, run.deps.clock.now()));
}
