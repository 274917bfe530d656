import { BridgeError } from '../domain/values.ts';
import { createNotifier } from '../notify/notifier.ts';
import { findOperation, toApiFailure } from '../ops/api/routes.ts';
import type { News } from '../ops/state/readiness-facts.ts';
import { createAuditPoller } from '../reconcile/audit/poller.ts';
import type { ReconcileDeps } from '../reconcile/deps.ts';
import { createOutageWatch, openQuirks, openSections } from '../reconcile/deps.ts';
import { toLeadersStore } from '../reconcile/job.ts';
import { Convergence } from '../reconcile/loop/convergence.ts';
import type { OwnLead } from '../reconcile/loop/election.ts';
import { createPruning } from '../reconcile/loop/jobs.ts';
import { createErrandRunner, createOperatorCalls } from '../reconcile/loop/reconciler.ts';
import { createSweeps } from '../reconcile/loop/sweeps.ts';
import type { FirstRead } from '../reconcile/read/read-service.ts';
import { createFirstRead } from '../reconcile/read/read-service.ts';
import { createDriftKeeper } from '../reconcile/repair/keeper.ts';
import type { Recovery } from '../reconcile/repair/recovery.ts';
import { createRecovery } from '../reconcile/repair/recovery.ts';
import { isAnswering } from '../reconcile/sections.ts';
import type { Queue } from '../reconcile/waiters.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Operation } from '../upstream/operations/operation.ts';
import { createTransport } from '../upstream/transport.ts';
import { observeBridge } from './notifications.ts';
import type { TenureParts } from './parts.ts';
import { toFixedQuirks, toTransportOptions } from './settings.ts';
import { toCallTraces, toTransportHooks } from './telemetry.ts';

/** How long an end waits for calls on their way, in milliseconds. */
export const STOP_GRACE_MS = 15_000;

/** How long runs may go on before another process takes over, in milliseconds. */
const HAND_OVER_GRACE_MS = 1_000;

/** Knowledge of the leader for every process: it is in the leader's row, and renewed with it. */
export interface LeaderNews extends News {
  /** The account behind the token, where it is known. */
  readonly ownAccount: number | null;
  /** True while the store may be older than the service and the service was not read again yet. */
  readonly isReading: boolean;
  readonly queue: Queue;
}

/** A process while it leads: all that calls the service, and what it has learned of it. */
export type BridgeTenure = Awaited<ReturnType<typeof createTenure>>;

/** Opens a tenure; nothing runs before `start`. */
export async function createTenure(parts: TenureParts, lead: OwnLead) {
  const deps = await createDeps(parts, lead);
  const { upstream, store } = deps;
  const convergence = new Convergence(deps, parts.waiters);
  const firstRead = createFirstRead(deps);
  const recovery = createRecovery({ ...deps, firstRead, mode: parts.guard.mode });
  const { poller, keeper, sweeps } = createDetectors(parts, deps, { firstRead, recovery });
  const callForOperator = createOperatorCalls(deps);
  const errands = createErrandRunner(deps, lead.epoch, toFailure, {
    readPrivilege: ({ resource, wait }) => convergence.readPrivilege(resource, wait),
    call: async ({ operation, args }) => callForOperator(getOperation(operation), args, {}),
    look: keeper.look,
  });
  const background = [...openBackground(parts, deps), errands];
  let queue: LeaderNews['queue'] = { isHeld: true, aheadMs: { remove: 0, change: 0 } };
  const toNews = (): LeaderNews => ({
    health: upstream.health(),
    firstRead: firstRead.progress(),
    reading: sweeps.progress() ?? recovery.progress() ?? null,
    ownAccount: firstRead.ownAccount() ?? null,
    isReading: recovery.isReading(),
    detection: recovery.detection() ?? null,
    sections: deps.sections.states(),
    queue,
  });

  return {
    convergence,
    firstRead,
    callForOperator,
    look: keeper.look,
    /** The news as of now. */
    news: toNews,
    /** Presents another token to the service, and makes a call that shows whether it is accepted. */
    renewToken(token: string) {
      upstream.renewToken(token);
      void isAnswering(deps);
    },
    async readNews() {
      queue = await convergence.readQueue();
      return JSON.stringify(toNews());
    },
    async start() {
      parts.acts.start();
      // Before the first read, so that what changes behind it is read of.
      await poller.start();
      await firstRead.start();
      convergence.start(recovery.hold);
      await recovery.start();
      for (const each of [sweeps, keeper, ...background]) each.start();
    },
    async stop() {
      const all = [...background, poller, keeper, sweeps, recovery, firstRead];
      const ends = all.map((each) => each.stop());
      // What runs mostly ends soon. Then what waits for its turn is not sent any more, and what was sent comes to its end, or is looked at by the next leader.
      await convergence.stop(store.engine === 'sqlite' ? STOP_GRACE_MS : HAND_OVER_GRACE_MS);
      await upstream.close(STOP_GRACE_MS);
      await Promise.all([...ends, convergence.stop(STOP_GRACE_MS)]);
    },
  };
}

async function createDeps(parts: TenureParts, lead: OwnLead): Promise<ReconcileDeps> {
  const { settings, target, clock, random, guard, acts } = parts;
  const store = toLeadersStore(parts.store, lead);
  const outage = createOutageWatch(clock);
  const upstream = createTransport({
    ...toTransportOptions(settings, target),
    // The leader before may have used the whole rate.
    spentAt: store.engine === 'postgres' ? clock.now() : parts.calledBefore,
    clock,
    random,
    hooks: {
      ...toTransportHooks(parts.events, parts.metrics, {
        opened: outage.ended,
        changed: acts.gateChanged,
      }),
      ...toCallTraces(parts.tracing),
      writesRefused: guard.refused,
      mayLeave: lead.isSure,
    },
  });
  const quirks = await openQuirks({ store, clock, fixed: toFixedQuirks(settings) });
  const sections = await openSections({ ...parts.process, store });
  return { ...parts.process, store, upstream, quirks, sections, outage };
}

/** Creates the parts that see changes of others in the service, and act on them. */
function createDetectors(
  { settings }: TenureParts,
  deps: ReconcileDeps,
  { firstRead, recovery }: { readonly firstRead: FirstRead; readonly recovery: Recovery },
) {
  const keeper = createDriftKeeper(deps, firstRead.isFinished);
  const isCurrent = () => recovery.isChecked() && firstRead.isFinished() && !recovery.isReading();
  const sweeps = createSweeps(deps, isCurrent);
  const poller = createAuditPoller(deps, settings.audit.pollInterval, recovery.read);
  return { poller, keeper, sweeps };
}

/** Opens the jobs that forget old rows, and notify. */
function openBackground(parts: TenureParts, deps: ReconcileDeps) {
  const { notify: policy } = parts.settings;
  const observe = () => observeBridge(parts);
  return [createPruning(deps), createNotifier({ ...deps, policy, observe })];
}

function getOperation(id: string): Operation {
  const operation = findOperation(id);
  if (operation === undefined) throw new BridgeError('bug', `no operation ${id}`);
  return operation;
}

/** A failure as another process reads it. */
function toFailure(error: unknown): unknown {
  if (error instanceof UpstreamError) return toApiFailure(error);
  if (error instanceof BridgeError) return { code: error.code, message: error.message };
  return { code: 'bug', message: error instanceof Error ? error.message : String(error) };
}
