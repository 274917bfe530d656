import { BridgeError } from '../domain/errors.ts';
import { createHarmRoom } from '../domain/harm.ts';
import { createNotifier, type Notifier, type NotifierDeps } from '../notify/notifier.ts';
import { findApiFailure, toApiFailure } from '../ops/api/failure.ts';
import { findOperation } from '../ops/api/find-operation.ts';
import type { ApiSource } from '../ops/sources.ts';
import type { ActLog } from '../ops/timeline/act-log.ts';
import { type AuditPoller, createAuditPoller } from '../reconcile/audit/poller.ts';
import type { Queue } from '../reconcile/bounded-wait.ts';
import type { ProcessDeps, ReconcileDeps } from '../reconcile/deps.ts';
import { toLeadersStore } from '../reconcile/lead.ts';
import { type Convergence, createConvergence } from '../reconcile/loop/convergence.ts';
import type { OwnLead, Tenure } from '../reconcile/loop/election.ts';
import { createErrandRunner, type Errand, type ErrandAnswer } from '../reconcile/loop/errands.ts';
import { createLeaverProofs } from '../reconcile/loop/leavers.ts';
import { createOperatorCalls } from '../reconcile/loop/operator-calls.ts';
import { createPruning } from '../reconcile/loop/pruning.ts';
import type { Waiting } from '../reconcile/loop/runner.ts';
import { createSampling, type Sampling } from '../reconcile/loop/sampling.ts';
import { createSweeps, type Sweeps } from '../reconcile/loop/sweeps.ts';
import { createOutageWatch } from '../reconcile/outage.ts';
import { countHarmRoom } from '../reconcile/provider-limit.ts';
import { openQuirks } from '../reconcile/quirks.ts';
import { createFirstRead, type FirstRead } from '../reconcile/read/first-read.ts';
import { isAnswering } from '../reconcile/read/service.ts';
import type { FirstReadDeps } from '../reconcile/read/step.ts';
import type { DecisionDeps } from '../reconcile/repair/deps.ts';
import {
  createDriftKeeper,
  type DriftKeeper,
  type KeeperScope,
} from '../reconcile/repair/keeper.ts';
import { createRecovery, type Recovery } from '../reconcile/repair/recovery.ts';
import { RECOVERY } from '../reconcile/repair/recovery-state.ts';
import { createSeatLine } from '../reconcile/seat-line.ts';
import type { SectionView } from '../reconcile/sections.ts';
import type { WriteGuard } from '../reconcile/write-guard.ts';
import type { Store } from '../store/store.ts';
import { UpstreamError } from '../upstream/errors.ts';
import { createTransport } from '../upstream/transport.ts';
import type { LeaderNews } from './leader-news.ts';
import { toNotifierTelemetry } from './notifications.ts';
import type { WatchedOptions } from './options.ts';
import {
  toFixedQuirks,
  toRepairPolicy,
  toRetention,
  toSweepPolicy,
  toTransportOptions,
} from './settings.ts';
import { toCallTraces, toDriftEvents, toSweepEvents, toTransportHooks } from './telemetry.ts';

/** How long an end waits for calls on their way, in milliseconds. */
export const STOP_GRACE_MS = 15_000;

/** How long runs may go on before another process takes over, in milliseconds. */
const HAND_OVER_GRACE_MS = 1_000;

/** What a process brings to its tenures. */
export interface TenureParts {
  readonly options: WatchedOptions;
  readonly deps: ProcessDeps;
  readonly sections: SectionView;
  readonly guard: WriteGuard;
  readonly acts: ActLog;
  readonly waiting: Waiting;
  readonly drifts: Pick<DecisionDeps, 'adopt' | 'findGroupPrivilege'>;
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
  const { options, sections, waiting } = parts;
  const deps = await createDeps(parts, lead);
  const { upstream, store } = deps;
  const convergence = createConvergence(deps, waiting);
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
    perform({ convergence, callForOperator, look: detectors.keeper.look }, errand),
  );
  const notifier = openNotifier(parts, deps);
  const hearing = hearNews(store, detectors, { convergence, recovery });
  let queue = { isHeld: true, aheadMs: { remove: 0, change: 0 } };

  const news = toNews({ upstream, firstRead, recovery, sections }, () => queue);

  return {
    convergence,
    firstRead,
    callForOperator,
    look: detectors.keeper.look,
    renewToken: createRenewal(readDeps),
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
      const { sweeps, keeper } = detectors;
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

/** The news of a lead, each part of which is looked up when it is read. */
function toNews(
  {
    upstream,
    firstRead,
    recovery,
    sections,
  }: {
    readonly upstream: ReconcileDeps['upstream'];
    readonly firstRead: FirstRead;
    readonly recovery: Recovery;
    readonly sections: SectionView;
  },
  findQueue: () => Queue,
): LeaderNews {
  return {
    get health() {
      return upstream.health();
    },
    get firstRead() {
      return firstRead.state();
    },
    get ownAccount() {
      return firstRead.ownAccount() ?? null;
    },
    get isReading() {
      return recovery.isReading();
    },
    get detection() {
      return recovery.detection() ?? null;
    },
    get sections() {
      return sections.current();
    },
    get queue() {
      return findQueue();
    },
  };
}

/** What keeps numbers and proofs, and forgets what is old. */
function openKeeping(deps: ReconcileDeps, options: WatchedOptions) {
  const pruning = createPruning(deps, toRetention(options.settings));
  return [openSampling(deps, options), pruning, createLeaverProofs(deps), deps.seats];
}

/** A service without a rate takes any number of calls. */
function openSampling(deps: ReconcileDeps, { traffic, target }: WatchedOptions): Sampling {
  return createSampling({ ...deps, traffic, callsMax: target.requestsPerSecond * 60 });
}

function createRenewal(deps: FirstReadDeps): BridgeTenure['renewToken'] {
  return (token) => {
    deps.upstream.renewToken(token);
    void isAnswering(deps);
  };
}

async function createDeps(
  { options, deps, guard, acts }: TenureParts,
  lead: OwnLead,
): Promise<ReconcileDeps> {
  const { settings, target, clock, random, logger, metrics, calledBefore } = options;
  const store = toLeadersStore(options.store, lead);
  const outage = createOutageWatch(clock);
  const upstream = createTransport({
    ...toTransportOptions(settings, target),
    // The leader before may have used the whole rate.
    spentAt: store.engine === 'postgres' ? clock.now() : calledBefore,
    clock,
    random,
    hooks: {
      ...toTransportHooks(logger, metrics, { opened: outage.ended, changed: acts.gateChanged }),
      ...toCallTraces(options.tracing),
      writesRefused: guard.refused,
      mayLeave: lead.isSure,
    },
  });
  const quirks = await openQuirks({ store, clock, fixed: toFixedQuirks(settings) });
  const seats = createSeatLine({ ...deps, store });
  const harmRoom = createHarmRoom(deps.policy.providerHarm);
  harmRoom.learn(await countHarmRoom(store.read, deps));
  return { ...deps, store, upstream, quirks, outage, seats, harmRoom };
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

/** What sees that others have changed the service, and what is done about it. */
interface Detectors {
  readonly poller: AuditPoller;
  readonly sweeps: Sweeps;
  readonly keeper: DriftKeeper;
}

/** What detectors need to know of the rest of a tenure. */
interface Surroundings {
  readonly firstRead: FirstRead;
  readonly recovery: Recovery;
  readonly notify: () => void;
}

function createDetectors(
  { options, drifts }: TenureParts,
  deps: FirstReadDeps,
  { firstRead, recovery, notify }: Surroundings,
): Detectors {
  const { settings, logger, metrics } = options;
  const { store } = deps;
  const repairs = {
    ...drifts,
    repair: toRepairPolicy(settings),
    driftEvents: toDriftEvents(logger, metrics),
    notify,
  };
  const findScope = async (): Promise<KeeperScope> => {
    if (!firstRead.finished) return 'nothing';
    const state = await RECOVERY.find(store.read);
    if (state === undefined) return 'all';
    return state.phase === 'waiting' ? 'holding' : 'nothing';
  };
  const keeper = createDriftKeeper({ ...deps, ...repairs }, findScope);
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

/** How often decisions whose ring was lost are looked for, in milliseconds. */
const LOOK_MS = 2_000;

/** Hears what becomes due, and what operators decide, in this process and in others. */
function hearNews(
  { bell }: Store,
  { sweeps, keeper }: Detectors,
  { convergence, recovery }: { readonly convergence: Convergence; readonly recovery: Recovery },
): { start(): void; stop(): void } {
  let ends: (() => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  const decided = () => {
    sweeps.consider();
    keeper.notify();
    void recovery.reconsider();
  };
  return {
    start() {
      ends = [
        bell.listen('decided', decided),
        bell.listen('due', () => {
          convergence.notify();
          bell.ring('here');
        }),
      ];
      timer = setInterval(() => void recovery.reconsider(), LOOK_MS).unref();
    },
    stop() {
      for (const end of ends) end();
      clearInterval(timer);
    },
  };
}

/** Makes a call that another process asks for. Never rejects. */
async function perform(
  {
    convergence,
    callForOperator,
    look,
  }: Pick<BridgeTenure, 'convergence' | 'callForOperator' | 'look'>,
  errand: Errand,
): Promise<ErrandAnswer> {
  try {
    if (errand.kind === 'read-privilege') {
      await convergence.readPrivilege(errand.resource, errand);
      return { kind: 'done', result: null };
    }
    if (errand.kind === 'look') return { kind: 'done', result: await look(errand.request) };
    const found = findOperation(errand.operation);
    if (found.kind !== 'found') throw new BridgeError('bug', `no operation ${errand.operation}`);
    const result = await callForOperator(found.operation, errand.args, {});
    return { kind: 'done', result: result ?? null };
  } catch (error) {
    return { kind: 'failed', failure: toFailure(error) };
  }
}

/** A failure as another process reads it. */
function toFailure(error: unknown): unknown {
  if (error instanceof UpstreamError) return toApiFailure(error);
  if (error instanceof BridgeError) return { code: error.code, message: error.message };
  return { code: 'bug', message: error instanceof Error ? error.message : String(error) };
}

/** The failure of an errand as the leader met it. */
export function toErrandError(failure: unknown): Error {
  const call = findApiFailure(failure);
  if (call !== undefined) return call;
  const { code, message } = Object(failure);
  return new BridgeError(String(code), String(message));
}
