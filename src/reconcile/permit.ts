import { isDeepStrictEqual } from 'node:util';
import { BridgeError } from '../domain/errors.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import { findHeldLane, type HeldLane, type Lease, renewLane } from '../store/lanes.ts';
import type { CallOptions, Sending, Transport } from '../upstream/transport.ts';
import { type ReconcileDeps, toLaneClaim } from './deps.ts';
import { LOOK_AGAIN } from './retry-columns.ts';

/** A lane that is held. */
export interface HeldKey {
  readonly key: ResourceKey;
  readonly lease: Lease;
}

/** What is to be done, and the state that says so. */
export interface PlannedStep<State, Action> {
  readonly state: State;
  readonly action: Action | undefined;
}

/** The calls of one step: none leaves without a permit. */
export interface Permit<State> {
  /** Asks for the permit immediately before each attempt of each call. */
  readonly upstream: Transport;
  /** The newest state that the calls which left were planned from. */
  readonly planned: State;
  /** True when a call was held back because something else is wanted by now. */
  readonly isOvertaken: boolean;
}

/** How the permit of a step is opened. */
export interface PermitRequest<State, Action> extends HeldKey {
  readonly step: PlannedStep<State, Action>;
  /** Reads and plans again; undefined: the resource is gone. */
  readonly replan: () => Promise<PlannedStep<State, Action> | undefined>;
  /** True when the step before it was held back: this one takes its place in the queue. */
  readonly again: boolean;
}

/**
 * The permit of one step. Immediately before a call leaves, after its turn has come, the lane must still be
 * ours for longer than the call can take, and what the call changes must still be what is wanted. A write
 * that arrived since the plan holds the call back, unless the plan is the same after it. Looks need the
 * lane alone.
 */
export function openPermit<State extends { readonly version: number }, Action>(
  deps: ReconcileDeps,
  { key, lease, step, replan, again }: PermitRequest<State, Action>,
): Permit<State> {
  const { upstream } = deps;
  let planned = step.state;
  let isOvertaken = false;
  let isFirst = true;

  async function ask({ operation }: Sending): Promise<void> {
    const held = await holdLane(deps, { key, lease });
    if (operation.method === 'GET') return;
    if (held.version === planned.version && held.must_look !== LOOK_AGAIN) return;
    const now = await replan();
    if (now !== undefined && isDeepStrictEqual(now.action, step.action)) {
      planned = now.state;
      return;
    }
    isOvertaken = true;
    throw new BridgeError('overtaken', `${keyText(key)} was written since this step was planned`);
  }

  function permitted(options?: CallOptions): CallOptions {
    const takesPlace = again && isFirst;
    isFirst = false;
    return { ...options, again: takesPlace, beforeSend: ask };
  }
  return {
    upstream: {
      ...upstream,
      call: (operation, args, options) => upstream.call(operation, args, permitted(options)),
      callChecked: (operation, args, options) =>
        upstream.callChecked(operation, args, permitted(options)),
    },
    get planned() {
      return planned;
    },
    get isOvertaken() {
      return isOvertaken;
    },
  };
}

/** The lane, held for longer than one call can take. @throws BridgeError `lane-lost`; StoreError */
async function holdLane(deps: ReconcileDeps, { key, lease }: HeldKey): Promise<HeldLane> {
  const { store, policy } = deps;
  const claim = { ...toLaneClaim(deps), lease };
  let held = await findHeldLane(store.read, key, claim);
  // Mostly a read: the lease is renewed only when it has become short.
  if (held !== undefined && held.leftMs < policy.lease.neededMs) {
    held = await store.write((tx) => renewLane(tx, key, claim));
  }
  if (held === undefined) {
    throw new BridgeError('lane-lost', `the lane of ${keyText(key)} is somebody else's by now`);
  }
  return held;
}
