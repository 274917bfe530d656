import { onTestFinished } from 'vitest';
import type { ResourceKey } from '../../src/domain/ids.ts';
import { type ReconcileDeps, type ReconcilePolicy, toLaneClaim } from '../../src/reconcile/deps.ts';
import { toLeaseTimes } from '../../src/reconcile/lease-times.ts';
import { createLaneRunner, type Lanes } from '../../src/reconcile/loop/lane-runner.ts';
import { createOutageWatch } from '../../src/reconcile/outage.ts';
import { openQuirks, type Quirks } from '../../src/reconcile/quirks.ts';
import { createWaiters } from '../../src/reconcile/waiters.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { claimLane, type Lease, renewLane } from '../../src/store/lanes.ts';
import type { Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { type CallOptions, createTransport, type Transport } from '../../src/upstream/transport.ts';
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
  providerHarmMax: undefined,
  concurrency: 4,
  lease: toLeaseTimes(1_000),
};

/** One process that converges resources, as far as lanes are concerned: no workers, no requests. */
export interface LaneHost {
  readonly deps: ReconcileDeps;
  readonly upstream: Transport;
  /** Errors that the run reported. */
  readonly failures: unknown[];
  /** Takes the lane. @throws Error when somebody else has it */
  take(key: ResourceKey): Promise<Lease>;
  /** Takes the lane and converges. */
  run(key: ResourceKey): Promise<void>;
  /** Converges in a lane that was taken. */
  runIn(key: ResourceKey, lease: Lease): Promise<void>;
  /** Takes the lane although its lease still lasts, as if it had run out. */
  steal(key: ResourceKey): Promise<Lease>;
}

/** What differs from a host with nothing special. */
export interface LaneHostOptions {
  readonly owner?: string;
  /** How long a call may take, in milliseconds; the leases follow. */
  readonly callMs?: number;
  readonly inFlightMax?: number;
  /** What else happens when the turn of a call that changes something has come. */
  readonly beforeChange?: () => Promise<void>;
  readonly policy?: Partial<ReconcilePolicy>;
  /** Quirks that are not learned. */
  readonly fixed?: Quirks;
}

/** A host for the running test. */
export async function createLaneHost(
  sandbox: Sandbox,
  store: Store,
  options: LaneHostOptions = {},
): Promise<LaneHost> {
  const { callMs = 10_000, owner = 'one', beforeChange, inFlightMax, policy, fixed } = options;
  const transport = createTransport({
    baseUrl: sandbox.url,
    token: sandbox.token,
    requestsPerSecond: 0,
    inFlightMax,
    clock: systemClock,
    random: () => 0,
    timeouts: { callMs },
  });
  onTestFinished(() => transport.close());
  const upstream = interposed(transport, beforeChange);
  const failures: unknown[] = [];
  const deps: ReconcileDeps = {
    store,
    upstream,
    clock: systemClock,
    random: () => 0,
    quirks: await openQuirks({ store, clock: systemClock, fixed: fixed ?? {} }),
    rules: noRules,
    policy: { ...TEST_POLICY, lease: toLeaseTimes(callMs), ...policy },
    events: {
      converged() {},
      deletionFinished() {},
      recovery() {},
      stuck() {},
      failed: ({ error }) => void failures.push(error),
      sectionChanged() {},
      auditEvent() {},
      changedByOthers() {},
      auditFollowed() {},
      tookOver() {},
      firstRead() {},
      firstReadFailed() {},
    },
    outage: createOutageWatch(systemClock),
    owner,
  };
  const lanes: Lanes = {
    users: { waiters: createWaiters(systemClock) },
    groups: { waiters: createWaiters(systemClock) },
  };
  const runner = createLaneRunner(deps, lanes, () => {});
  onTestFinished(() => runner.stop());

  async function take(key: ResourceKey): Promise<Lease> {
    const lease = await store.write((tx) => claimLane(tx, key, toLaneClaim(deps)));
    if (lease === undefined) throw new Error('somebody else has the lane');
    return lease;
  }

  return {
    deps,
    upstream,
    failures,
    take,
    run: async (key) => runner.run(key, await take(key)),
    runIn: (key, lease) => runner.run(key, lease),
    async steal(key) {
      const { lane_owner, lane_token } = await readLane(store, key);
      if (lane_owner !== null) {
        const over = { owner: lane_owner, now: systemClock.now(), leaseMs: -1_000 };
        const lease = { token: lane_token };
        await store.write((tx) => renewLane(tx, key, { ...over, lease }));
      }
      return take(key);
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

/** Who holds the lane of a resource. */
export async function readLane(store: Store, { type, id }: ResourceKey) {
  return store.read
    .selectFrom(type === 'user' ? 'users' : 'groups')
    .select(['lane_owner', 'lane_token', 'lane_until'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}
