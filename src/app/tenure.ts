import { createNotifier, type Notifier, type NotifierDeps } from '../notify/notifier.ts';
import type { ApiSource } from '../ops/sources.ts';
import type { ActLog } from '../ops/timeline/act-log.ts';
import type { Queue } from '../reconcile/bounded-wait.ts';
import type { ProcessDeps, ReconcileDeps } from '../reconcile/deps.ts';
import { toLeadersStore } from '../reconcile/lead.ts';
import { type Convergence, createConvergence } from '../reconcile/loop/convergence.ts';
import type { OwnLead, Tenure } from '../reconcile/loop/election.ts';
import { createErrandRunner } from '../reconcile/loop/errands.ts';
import { createLeaverWatch } from '../reconcile/loop/leavers.ts';
import { createOperatorCalls } from '../reconcile/loop/operator-calls.ts';
import { createPruning } from '../reconcile/loop/pruning.ts';
import { createSampling } from '../reconcile/loop/sampling.ts';
import { createOutageWatch } from '../reconcile/outage.ts';
import { openQuirks } from '../reconcile/quirks.ts';
import { createFirstRead, type FirstRead } from '../reconcile/read/first-read.ts';
import { isAnswering } from '../reconcile/read/service.ts';
import type { DriftKeeper } from '../reconcile/repair/keeper.ts';
import { createRecovery, type Recovery } from '../reconcile/repair/recovery.ts';
import type { SectionView } from '../reconcile/sections.ts';
import type { Waiters } from '../reconcile/waiters.ts';
import type { WriteGuard } from '../reconcile/write-guard.ts';
import type { Store } from '../store/store.ts';
import { createTransport } from '../upstream/transport.ts';
import { createDetectors, type DetectorParts, type Detectors } from './detectors.ts';
import { performErrand } from './errands.ts';
import type { LeaderNews } from './leader-news.ts';
import { toNotifierTelemetry } from './notifications.ts';
import type { WatchedOptions } from './options.ts';
import { toFixedQuirks, toRetention, toTransportOptions } from './settings.ts';
import { toCallTraces, toTransportHooks } from './telemetry.ts';

/** How long an end waits for calls on their way, in milliseconds. */
export const STOP_GRACE_MS = 15_000;

/** How long runs may go on before another process takes over, in milliseconds. */
const HAND_OVER_GRACE_MS = 1_000;

/** Parts of a process that its tenures use. */
export interface TenureParts extends DetectorParts {
  readonly deps: ProcessDeps;
  readonly sections: SectionView;
  readonly guard: WriteGuard;
  readonly acts: ActLog;
  readonly waiters: Waiters;
  readonly observe: NotifierDeps['observe'];
}

/** A process while it leads: all that calls the service, and what it has learned of it. */
export interface BridgeTenure extends Tenure {
  readonly convergence: Convergence;
  readonly firstRead: FirstRead;
  readonly callForOperator: ApiSource['call'];
  readonly look: DriftKeeper['look'];
  /** Presents another token to the service, and makes a call that shows whether it is accepted. */
  renewToken(token: string): void;
  /** The news; each part is as of the moment when it is read. */
  readonly news: LeaderNews;
}

/** Opens a tenure; nothing runs before `start`. */
export async function createTenure(parts: TenureParts, lead: OwnLead): Promise<BridgeTenure> {
  const { options, sections, waiters } = parts;
  const deps = await createDeps(parts, lead);
  const { upstream, store } = deps;
  const convergence = createConvergence(deps, waiters);
  const readDeps = { ...deps, identity: options.target.identity };
  const firstRead = createFirstRead(readDeps);
  const recovering = { firstRead, notify: convergence.notify, mode: parts.guard.mode };
  const recovery = createRecovery({ ...readDeps, ...recovering });
  const detectors = createDetectors(parts, readDeps, { ...recovering, recovery });
  const keeping = openKeeping(deps, options);
  const callForOperator = createOperatorCalls(deps, () => {
    convergence.notify();
    detectors.keeper.notify();
  });
  const errands = createErrandRunner(deps, lead.epoch, (errand) =>
    performErrand({ convergence, callForOperator, look: detectors.keeper.look }, errand),
  );
  const notifier = openNotifier(parts, deps);
  const hearing = hearNews(store, detectors, convergence);
  let queue = { isHeld: true, aheadMs: { remove: 0, change: 0 } };

  const { sweeps } = detectors;
  const news = toNews({ upstream, firstRead, recovery, sections, sweeps }, () => queue);

  return {
    convergence,
    firstRead,
    callForOperator,
    look: detectors.keeper.look,
    renewToken(token) {
      upstream.renewToken(token);
      void isAnswering(readDeps);
    },
    news,
    async readNews() {
      queue = await convergence.readQueue();
      return JSON.stringify(news);
    },
    async start() {
      parts.acts.start();
      // Before the first read, so that what changes behind it is read of.
      await detectors.poller.start();
      await firstRead.start();
      convergence.start(recovery.hold);
      await recovery.start();
      const { keeper } = detectors;
      for (const each of [...keeping, sweeps, keeper, errands, hearing, notifier]) each.start();
    },
    async stop() {
      hearing.stop();
      const all = [...keeping, errands, notifier, ...Object.values(detectors), recovery, firstRead];
      const ends = all.map((each) => each.stop());
      // What runs mostly ends soon. Then what waits for its turn is not sent any more, and what was sent comes to its end.
      await convergence.stop(store.engine === 'sqlite' ? STOP_GRACE_MS : HAND_OVER_GRACE_MS);
      await upstream.close();
      await Promise.all([...ends, convergence.stop(STOP_GRACE_MS)]);
    },
  };
}

/** Parts that make news. */
interface NewsParts {
  readonly upstream: ReconcileDeps['upstream'];
  readonly firstRead: FirstRead;
  readonly recovery: Recovery;
  readonly sections: SectionView;
  readonly sweeps: Detectors['sweeps'];
}

/** The news of a lead, each part of which is looked up when it is read. */
function toNews(parts: NewsParts, findQueue: () => Queue): LeaderNews {
  return {
    get health() {
      return parts.upstream.health();
    },
    get firstRead() {
      return parts.firstRead.state();
    },
    get reading() {
      return parts.sweeps.progress() ?? parts.recovery.progress() ?? null;
    },
    get ownAccount() {
      return parts.firstRead.ownAccount() ?? null;
    },
    get isReading() {
      return parts.recovery.isReading();
    },
    get detection() {
      return parts.recovery.detection() ?? null;
    },
    get sections() {
      return parts.sections.states;
    },
    get queue() {
      return findQueue();
    },
  };
}

/** Opens the jobs that keep samples, forget old rows, and watch over those who leave. */
function openKeeping(deps: ReconcileDeps, { settings, traffic, target }: WatchedOptions) {
  const sampling = createSampling({ ...deps, traffic, callsMax: target.requestsPerSecond * 60 });
  const pruning = createPruning(deps, toRetention(settings));
  return [sampling, pruning, createLeaverWatch(deps)];
}

async function createDeps(
  { options, deps, guard, acts }: TenureParts,
  lead: OwnLead,
): Promise<ReconcileDeps> {
  const { settings, target, clock, random, calledBefore } = options;
  const store = toLeadersStore(options.store, lead);
  const outage = createOutageWatch(clock);
  const upstream = createTransport({
    ...toTransportOptions(settings, target),
    // The leader before may have used the whole rate.
    spentAt: store.engine === 'postgres' ? clock.now() : calledBefore,
    clock,
    random,
    hooks: {
      ...toTransportHooks(options, { opened: outage.ended, changed: acts.gateChanged }),
      ...toCallTraces(options.tracing),
      writesRefused: guard.refused,
      mayLeave: lead.isSure,
    },
  });
  const quirks = await openQuirks({ store, clock, fixed: toFixedQuirks(settings) });
  return { ...deps, store, upstream, quirks, outage };
}

function openNotifier(
  { options, observe }: TenureParts,
  { store, clock, random }: ReconcileDeps,
): Notifier {
  const { settings } = options;
  const { receivers, hosts, privateAddresses } = settings.notify;
  const policy = { receivers, hosts, privateAddresses };
  const told = toNotifierTelemetry(options);
  return createNotifier({ store, clock, random, policy, observe, told });
}

/** Hears what becomes due, and what operators decide, in this process and in others. */
function hearNews(
  { bell }: Store,
  { sweeps, keeper }: Detectors,
  convergence: Convergence,
): { start(): void; stop(): void } {
  let ends: (() => void)[] = [];
  return {
    start() {
      ends = [
        bell.listen('decided', () => {
          sweeps.consider();
          keeper.notify();
        }),
        bell.listen('due', () => {
          convergence.notify();
          bell.ring('here');
        }),
      ];
    },
    stop() {
      for (const end of ends) end();
    },
  };
}
