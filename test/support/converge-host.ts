import { onTestFinished } from 'vitest';
import { createHarmRoom } from '../../src/domain/harm.ts';
import type { ResourceKey } from '../../src/domain/ids.ts';
import type { ReconcileDeps, ReconcilePolicy } from '../../src/reconcile/deps.ts';
import { createWaiting } from '../../src/reconcile/loop/reconciler.ts';
import { createRunner } from '../../src/reconcile/loop/runner.ts';
import { createOutageWatch } from '../../src/reconcile/outage.ts';
import { openQuirks, type Quirks } from '../../src/reconcile/quirks.ts';
import { createSeatLine } from '../../src/reconcile/seat-line.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { createTransport, type Transport } from '../../src/upstream/transport.ts';
import type { CallOptions } from '../../src/upstream/transport-options.ts';
import { noRules } from './no-rules.ts';

/** What reconciliation follows where a test says nothing else. */
export const TEST_POLICY: ReconcilePolicy = {
  deactivation: 'scim',
  groupDeletion: 'created',
  membersPerCall: 100,
  attemptsMax: 10,
  pageSize: 100,
  adoptUsers: 'yes',
  adoptGroups: 'yes',
  providerHarm: { count: 0, percent: 0 },
  concurrency: 4,
  isSeatRefusal: () => false,
  seatRetryMs: 60_000,
  callMs: 10_000,
};

/** One leader that converges resources when it is told to: no workers, no requests. */
export interface ConvergeHost {
  readonly deps: ReconcileDeps;
  readonly upstream: Transport;
  /** Errors that the run reported. */
  readonly failures: unknown[];
  /** Converges a resource. */
  run(key: ResourceKey): Promise<void>;
}

/** What differs from a host with nothing special. */
export interface ConvergeHostOptions {
  readonly inFlightMax?: number;
  /** What else happens when the turn of a call that changes something has come. */
  readonly beforeChange?: () => Promise<void>;
  readonly policy?: Partial<ReconcilePolicy>;
  /** Quirks that are not learned. */
  readonly fixed?: Quirks;
}

/** A host for the running test. */
export async function createConvergeHost(
  sandbox: Sandbox,
  store: Store,
  options: ConvergeHostOptions = {},
): Promise<ConvergeHost> {
  const { beforeChange, inFlightMax, policy, fixed } = options;
  const transport = createTransport({
    baseUrl: sandbox.url,
    token: sandbox.token,
    requestsPerSecond: 0,
    inFlightMax,
    clock: systemClock,
    random: () => 0,
    timeouts: { callMs: TEST_POLICY.callMs },
  });
  onTestFinished(() => transport.close());
  const upstream = interposed(transport, beforeChange);
  const failures: unknown[] = [];
  const parts = {
    store,
    upstream,
    clock: systemClock,
    random: () => 0,
    quirks: await openQuirks({ store, clock: systemClock, fixed: fixed ?? {} }),
    rules: noRules,
    policy: { ...TEST_POLICY, ...policy },
    events: {
      converged() {},
      changeHeld() {},
      deletionFinished() {},
      plan() {},
      recovery() {},
      release() {},
      stuck() {},
      failed: ({ error }: { readonly error: unknown }) => void failures.push(error),
      sectionChanged() {},
      auditEvent() {},
      changedByOthers() {},
      auditFollowed() {},
      firstRead() {},
      firstReadProgress() {},
      firstReadFailed() {},
    },
    outage: createOutageWatch(systemClock),
    harmRoom: createHarmRoom({ ...TEST_POLICY, ...policy }.providerHarm),
  };
  const deps: ReconcileDeps = { ...parts, seats: createSeatLine(parts) };
  const runner = createRunner(deps, createWaiting(systemClock), () => {});
  return {
    deps,
    upstream,
    failures,
    async run(key) {
      const lock = runner.lock(key);
      if (lock === undefined) throw new Error('it runs already');
      await runner.run(lock);
    },
  };
}

/** A transport that does something when the turn of a call that changes something has come, before anybody else looks. */
function interposed(transport: Transport, act: () => Promise<void> = async () => {}): Transport {
  const before = (options: CallOptions = {}): CallOptions => ({
    ...options,
    async beforeSend(sending) {
      if (sending.operation.method !== 'GET') await act();
      await options.beforeSend?.(sending);
    },
  });
  return {
    ...transport,
    call: (operation, args, options) => transport.call(operation, args, before(options)),
    callChecked: (operation, args, options) =>
      transport.callChecked(operation, args, before(options)),
  };
}
