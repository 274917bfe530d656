import { endOrphanedDrifts } from '../../store/drifts.ts';
import { compareAll } from '../compare/compare-all.ts';
import { endUnseen, lookForMissing, storeMissing } from '../compare/missing.ts';
import { readAdminLists } from '../compare/read-admin-lists.ts';
import { type ReadLists, readLists } from '../compare/read-lists.ts';
import { groupResources, userResources } from '../compare/resources.ts';
import { IncompleteSweep, type SweepRun, writeHeld } from '../compare/run.ts';

/**
 * One sweep: reads the service, then says what differs. Makes no call that changes anything. `false`: the lists
 * proved nothing, so nothing was concluded; `run.reasons` say why, also where only a part is missing.
 * @throws the reason of the signal, StoreError, BridgeError `sweep-lost`, `other-service`
 */
export async function runSweep(run: SweepRun): Promise<boolean> {
  try {
    const lists = await readLists(run);
    if (run.sweep.reads_admins === 1 && lists.groups) await readAdminLists(run);
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
  const missingUsers = await lookForMissing(run, userResources, seen);
  const missingGroups = await lookForMissing(run, groupResources, seen);
  await storeMissing(run, userResources, missingUsers);
  await storeMissing(run, groupResources, missingGroups);
  await compareAll(run, userResources, seen);
  await compareAll(run, groupResources, seen);
  await endUnseen(run, userResources, seen);
  await endUnseen(run, groupResources, seen);
  await writeHeld(run, (tx) => endOrphanedDrifts(tx, run.deps.clock.now()));
}
