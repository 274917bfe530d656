import { type AuditPoller, createAuditPoller } from '../reconcile/audit/poller.ts';
import { createSweeps, type SweepDeps, type Sweeps } from '../reconcile/loop/sweeps.ts';
import type { FirstReadDeps } from '../reconcile/read/step.ts';
import type { DriftDeps } from '../reconcile/repair/deps.ts';
import { createDriftKeeper, type DriftKeeper } from '../reconcile/repair/keeper.ts';
import { findRecovery } from '../reconcile/repair/recovery-state.ts';
import type { BridgeParts, WatchedOptions } from './parts.ts';
import { toRepairPolicy, toSweepPolicy } from './settings.ts';
import { toDriftEvents, toSweepEvents } from './telemetry.ts';

/** What sees that somebody else has changed the service, and what is done about it. */
export interface Detectors {
  readonly auditPoller: AuditPoller;
  readonly sweeps: Sweeps;
  readonly keeper: DriftKeeper;
}

/** What they need to know of the rest of a bridge. */
interface Surroundings
  extends Pick<BridgeParts, 'firstRead' | 'recovery'>,
    Pick<DriftDeps, 'adopt' | 'findGroupPrivilege'> {
  /** Something became due. */
  readonly notify: () => void;
}

/** The detectors of one process, which end in the same decision about what differs. */
export function createDetectors(
  options: WatchedOptions,
  deps: FirstReadDeps,
  surroundings: Surroundings,
): Detectors {
  const { settings, logger, metrics, store } = options;
  const { firstRead, recovery, notify, adopt, findGroupPrivilege } = surroundings;
  const repairs = {
    repair: toRepairPolicy(settings),
    driftEvents: toDriftEvents(logger, metrics),
    notify,
    adopt,
    findGroupPrivilege,
  };
  const isSettled = async () =>
    firstRead.finished && (await findRecovery(store.read)) === undefined;
  const keeper = createDriftKeeper({ ...deps, ...repairs }, isSettled);
  const sweeps = createSweeps({
    ...toSweepDeps(options, deps, surroundings),
    decide: keeper.decide,
  });
  const auditPoller = createAuditPoller(deps, {
    considerSweep: sweeps.consider,
    intervalMs: settings.audit.pollInterval,
    ownAccount: () => firstRead.ownAccount(),
    trusted: recovery.hold.trusted,
    notify() {
      notify();
      keeper.notify();
    },
  });
  return { auditPoller, keeper, sweeps };
}

/** What sweeps are given: they begin once it is known that the store is current. */
function toSweepDeps(
  { settings, logger, metrics }: WatchedOptions,
  deps: FirstReadDeps,
  { firstRead, recovery, notify }: Surroundings,
): Omit<SweepDeps, 'decide'> {
  let isChecked = false;
  const checked = recovery.hold.over.then(() => {
    isChecked = true;
  });
  return {
    ...deps,
    sweepPolicy: toSweepPolicy(settings),
    sweepEvents: toSweepEvents(logger, metrics),
    checked,
    isReady: () => isChecked && firstRead.finished && !recovery.isReading(),
    notify,
  };
}
