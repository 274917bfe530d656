import { isDeepStrictEqual } from 'node:util';
import { BridgeError } from '../domain/errors.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import type { SentCreate } from '../domain/sent-create.ts';
import { insertOwnCall } from '../store/audit/own-calls.ts';
import { markRepairs } from '../store/audit/provider-harm.ts';
import { findHeldLane, type HeldLane, type Lease, renewLane } from '../store/lanes.ts';
import { addSentCreate, saveSentCreates } from '../store/resources/sent-creates.ts';
import type { Db } from '../store/store.ts';
import type { CallOptions, Sending, Transport } from '../upstream/transport.ts';
import { createCallBook } from './call-book.ts';
import { type ReconcileDeps, toLaneClaim } from './deps.ts';
import { assertWithinLimit } from './provider-limit.ts';
import { LOOK_AGAIN } from './retry-columns.ts';
import { toOwnChanges } from './to-own-changes.ts';

/** A permit that took longer than this to arrive, in milliseconds, is asked for again. */
const STALE_MS = 2_000;

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

/** What a permit looks at in the state of a resource. */
export interface Permitted {
  readonly version: number;
  readonly sentCreates: readonly SentCreate[];
}

/** The calls of one step: none leaves without a permit. */
export interface Permit<State> {
  /** Asks for the permit immediately before each attempt of each call. */
  readonly upstream: Transport;
  /** The newest state that the calls which left were planned from. */
  readonly planned: State;
  /** True when a call was held back because something else is wanted by now. */
  readonly isOvertaken: boolean;
  /** Writes into the ledger how the calls of this step ended; says the same however often it is called. @throws StoreError */
  saveOutcomes(tx: Db): Promise<void>;
  /** Forgets creates of this step that were written down: they were turned away for sure. @throws StoreError */
  withdraw(): Promise<void>;
}

/** How the permit of a step is opened. */
export interface PermitRequest<State, Action> extends HeldKey {
  readonly step: PlannedStep<State, Action>;
  /** What the step creates, so that it is found even if nobody hears of it. */
  readonly create: SentCreate | undefined;
  /** Reads and plans again; undefined: the resource is gone. */
  readonly replan: () => Promise<PlannedStep<State, Action> | undefined>;
  /** True when the step before it was held back: this one takes its place in the queue. */
  readonly again: boolean;
}

/**
 * The permit of one step. Immediately before a call leaves, after its turn has come, the lane must still be
 * ours for longer than the call can take, and what the call changes must still be what is wanted. A write
 * that arrived since the plan holds the call back, unless the plan is the same after it. In the transaction
 * that finds it so, what the call changes is written into the ledger. Looks need the lane alone.
 */
export function openPermit<State extends Permitted, Action>(
  deps: ReconcileDeps,
  { key, lease, step, create, replan, again }: PermitRequest<State, Action>,
): Permit<State> {
  const { upstream } = deps;
  let planned = step.state;
  let isOvertaken = false;
  let hasCreated = false;
  let isFirst = true;
  const calls = createCallBook();

  async function ask(sending: Sending): Promise<void> {
    if (sending.operation.method === 'GET') return holdForLook(deps, { key, lease });
    const askedAtMs = performance.now();
    while (!(await deps.store.write((tx) => leave(tx, sending)))) {
      const now = await replan();
      if (now === undefined || !isDeepStrictEqual(now.action, step.action)) {
        isOvertaken = true;
        const words = `${keyText(key)} was written since this step was planned`;
        throw new BridgeError('overtaken', words);
      }
      planned = now.state;
    }
    // A process that stood still meanwhile may have been taken for dead.
    if (performance.now() - askedAtMs > STALE_MS) await holdForLook(deps, { key, lease });
  }

  /** Writes the call down, unless what is wanted may be something else by now: then false. */
  async function leave(tx: Db, { operation: { id: operation }, args }: Sending): Promise<boolean> {
    const held = await holdLane(deps, tx, { key, lease });
    if (held.version !== planned.version || held.must_look === LOOK_AGAIN) return false;
    const changes = await markRepairs(tx, key.id, toOwnChanges(operation, args));
    await assertWithinLimit(tx, deps, { resourceId: key.id, changes });
    calls.sent(await insertOwnCall(tx, { at: deps.clock.now(), operation, key, changes }));
    if (create === undefined) return true;
    await addSentCreate(tx, key, create);
    hasCreated = true;
    return true;
  }

  function permitted(options?: CallOptions): CallOptions {
    const takesPlace = again && isFirst;
    isFirst = false;
    return { ...options, again: takesPlace, beforeSend: ask, afterSend: calls.ended };
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
    saveOutcomes: calls.save,
    async withdraw() {
      const { sentCreates } = step.state;
      if (!hasCreated && calls.isEmpty()) return;
      await deps.store.write(async (tx) => {
        await calls.save(tx);
        if (hasCreated) await saveSentCreates(tx, key, sentCreates);
      });
    },
  };
}

/** A look changes nothing: mostly a read is enough. @throws BridgeError `lane-lost`; StoreError */
async function holdForLook(deps: ReconcileDeps, held: HeldKey): Promise<void> {
  const { store, policy } = deps;
  const lane = await findHeldLane(store.read, held.key, {
    ...toLaneClaim(deps),
    lease: held.lease,
  });
  if (lane !== undefined && lane.leftMs >= policy.lease.neededMs) return;
  await store.write((tx) => holdLane(deps, tx, held));
}

/** The lane, held for longer than one call can take. @throws BridgeError `lane-lost` */
async function holdLane(deps: ReconcileDeps, tx: Db, { key, lease }: HeldKey): Promise<HeldLane> {
  const claim = { ...toLaneClaim(deps), lease };
  let held = await findHeldLane(tx, key, claim);
  if (held !== undefined && held.leftMs < deps.policy.lease.neededMs) {
    held = await renewLane(tx, key, claim);
  }
  if (held === undefined) {
    throw new BridgeError('lane-lost', `the lane of ${keyText(key)} is somebody else's by now`);
  }
  return held;
}
