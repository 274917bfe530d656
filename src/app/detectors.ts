import { type AuditPoller, createAuditPoller } from '../reconcile/audit/poller.ts';
import { createSweeps, type Sweeps } from '../reconcile/loop/sweeps.ts';
import type { FirstRead } from '../reconcile/read/first-read.ts';
import type { ReadDeps } from '../reconcile/read/reading.ts';
import type { DecisionDeps } from '../reconcile/repair/deps.ts';
import { createDriftKeeper, type DriftKeeper } from '../reconcile/repair/keeper.ts';
import type { Recovery } from '../reconcile/repair/recovery.ts';
import type { WatchedOptions } from './options.ts';
import { toRepairPolicy, toSweepPolicy } from './settings.ts';
import { toDriftEvents, toSweepEvents } from './telemetry.ts';

/** Parts that see changes of others in the service, and act on them. */
export interface Detectors {
  readonly poller: AuditPoller;
  readonly sweeps: Sweeps;
  readonly keeper: DriftKeeper;
}

/** Parts of a process that its detectors use. */
export interface DetectorParts {
  readonly options: WatchedOptions;
  readonly drifts: Pick<DecisionDeps, 'adopt' | 'findGroupPrivilege'>;
}

/** Parts of a tenure that its detectors ask. */
interface Surroundings {
  readonly firstRead: FirstRead;
  readonly recovery: Recovery;
  readonly notify: () => void;
}

/** Creates them; nothing runs before their start. */
export function createDetectors(
  { options, drifts }: DetectorParts,
  deps: ReadDeps,
  { firstRead, recovery, notify }: Surroundings,
): Detectors {
  const { settings, logger, metrics } = options;
  const repairs = {
    ...drifts,
    repair: toRepairPolicy(settings),
    driftEvents: toDriftEvents(logger, metrics),
    notify,
  };
  const keeper = createDriftKeeper({ ...deps, ...repairs }, () => firstRead.finished);
  let isChecked = false;
  const checked = recovery.hold.over.then(() => {
    isChecked = true;
  });
  const sweeps = createSweeps({
    ...deps,
    sweepPolicy: toSweepPolicy(settings),
    sweepEvents: toSweepEvents(logger, metrics),
    checked,
    isReady: () => isChecked && firstRead.finished && !recovery.isReading(),
    notify,
    decide: keeper.decide,
  });
  const poller = createAuditPoller(deps, {
    considerSweep: sweeps.consider,
    intervalMs: settings.audit.pollInterval,
    ownAccount: () => firstRead.ownAccount(),
    read: recovery.read,
    notify() {
      notify();
      keeper.notify();
    },
  });
  return { poller, keeper, sweeps };
}
