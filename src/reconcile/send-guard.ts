import { isDeepStrictEqual } from 'node:util';
import type { SentChange } from '../domain/change.ts';
import { BridgeError } from '../domain/errors.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import type { SentCreate } from '../domain/resource-state.ts';
import { insertOwnCall, saveCallOutcomes, toIsRepair } from '../store/audit/own-calls.ts';
import { markInFlight } from '../store/in-flight.ts';
import { addSentCreate, saveSentCreates } from '../store/resources/sent-creates.ts';
import type { Db } from '../store/store.ts';
import { type Transport, withOptions } from '../upstream/transport.ts';
import type { CallOptions, Sending } from '../upstream/transport-options.ts';
import { type CallOutcomes, createCallOutcomes } from './call-outcomes.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertWithinLimit, holdRemovals, TooMuchHarm } from './provider-limit.ts';
import { LOOK_AGAIN } from './retry-columns.ts';

/** An action, and the state that asks for it. */
export interface PlannedStep<State, Action> {
  readonly state: State;
  readonly action: Action | undefined;
}

/** The part of a resource's state that the guard looks at. */
export interface Guarded {
  readonly version: number;
  readonly sentCreates: readonly SentCreate[];
}

/** Guard of the calls of one step. Makes sure before each leaves that it is still wanted. */
export interface SendGuard<State> {
  /** Way to the service that asks the guard immediately before each attempt of each call. */
  readonly upstream: Transport;
  /** Outcomes of the calls so far. */
  readonly seen: {
    /** The newest state that the calls which left were planned from. */
    planned: State;
    /** True when a call was held back because something else is planned by now. */
    isOvertaken: boolean;
  };
  /** Writes into the ledger how the calls of this step ended; says the same however often it is called. @throws StoreError */
  saveOutcomes(tx: Db): Promise<void>;
  /**
   * Forgets creates of this step that were written down: they were turned away for sure. The change goes on waiting.
   * @throws StoreError
   */
  withdraw(): Promise<void>;
}

/** Takes back all that was written for a call that is not to leave. */
class NotAsPlanned extends Error {}

/** Options of a call by a step: one that changes something says what. */
interface StepCallOptions extends CallOptions {
  readonly changes?: readonly SentChange[];
}

/** Step whose calls are guarded. */
export interface GuardedStep<State, Action> {
  readonly key: ResourceKey;
  readonly step: PlannedStep<State, Action>;
  /** The creation of the step, so that it is found even if nobody hears of it. */
  readonly create: SentCreate | undefined;
  /** Reads and plans again; undefined: the resource is gone. */
  readonly replan: () => Promise<PlannedStep<State, Action> | undefined>;
  /** True when the step before it was held back: this one takes its place in the queue. */
  readonly again: boolean;
}

/**
 * Creates the guard of one step. Immediately before a call leaves, after its turn has come, what it changes must still be
 * what is wanted. A write that arrived since the plan holds the call back, unless the plan is the same after it. The
 * transaction that finds it so marks the resource as in flight and writes the call into the ledger. Looks need none.
 */
export function openSendGuard<State extends Guarded, Action>(
  deps: ReconcileDeps,
  { key, step, create, replan, again }: GuardedStep<State, Action>,
): SendGuard<State> {
  const seen = { planned: step.state, isOvertaken: false };
  let hasCreated = false;
  let isFirst = true;
  const calls = createCallOutcomes('done');

  /**
   * Writes the call down; false: what is wanted may be something else by now, also because removals that are more than
   * providers may ask for were taken out of it.
   */
  async function mayLeave(operation: string, changes: readonly SentChange[]): Promise<boolean> {
    const { planned } = seen;
    try {
      const call = { key, operation, changes, planned, create, calls };
      await deps.store.write((tx) => writeDown(tx, deps, call));
      hasCreated ||= create !== undefined;
      return true;
    } catch (error) {
      if (error instanceof NotAsPlanned) return false;
      if (!(error instanceof TooMuchHarm)) throw error;
      const { version } = planned;
      const { deactivation } = deps.policy;
      const removals = { key, version, changes, limit: error, deactivation };
      if (await holdRemovals(deps, removals)) return false;
      throw error;
    }
  }

  function guarded({ changes = [], ...options }: StepCallOptions = {}): CallOptions {
    const takesPlace = again && isFirst;
    isFirst = false;
    async function beforeSend(sending: Sending): Promise<void> {
      if (sending.operation.method === 'GET') return;
      while (!(await mayLeave(sending.operation.id, changes))) {
        const now = await replan();
        if (now === undefined || !isDeepStrictEqual(now.action, step.action)) {
          seen.isOvertaken = true;
          const words = `${keyText(key)} was written since this step was planned`;
          throw new BridgeError('overtaken', words);
        }
        seen.planned = now.state;
      }
    }
    return { ...options, again: takesPlace, beforeSend, afterSend: calls.ended };
  }
  return {
    upstream: withOptions(deps.upstream, guarded),
    seen,
    saveOutcomes: (tx) => saveCallOutcomes(tx, calls.notes),
    async withdraw() {
      if (!hasCreated && calls.notes.length === 0) return;
      await deps.store.write(async (tx) => {
        await saveCallOutcomes(tx, calls.notes);
        if (hasCreated) await saveSentCreates(tx, key, step.state.sentCreates);
      });
    },
  };
}

/** Call that is about to leave, with the changes that it makes, and what it was planned from. */
interface LeavingCall {
  readonly key: ResourceKey;
  readonly operation: string;
  readonly changes: readonly SentChange[];
  readonly planned: Guarded;
  readonly create: SentCreate | undefined;
  readonly calls: CallOutcomes;
}

/**
 * Writes a call down that is about to leave. @throws NotAsPlanned when what is wanted may be something else by now
 * @throws BridgeError `bug` for a call that does not say what it changes
 */
async function writeDown(
  tx: Db,
  deps: ReconcileDeps,
  { key, operation, changes: sent, planned, create, calls }: LeavingCall,
): Promise<void> {
  if (sent.length === 0) throw new BridgeError('bug', `nobody says what ${operation} changes`);
  // A repeated call is in flight since the repetition, so the attempts before it have to be recorded by then.
  await saveCallOutcomes(tx, calls.notes);
  const changes = sent.map((change) => ({ ...change, isRepair: toIsRepair(key.id, change) }));
  const own = { at: deps.clock.now(), operation, key, changes };
  const written = await insertOwnCall(tx, own);
  await assertWithinLimit(tx, deps, written);
  const { version, sentCreates: earlier } = planned;
  const from = { version, notMustLook: LOOK_AGAIN, callRow: written[0]?.id };
  if (!(await markInFlight(tx, key, from))) throw new NotAsPlanned();
  calls.open = written;
  if (create !== undefined) await addSentCreate(tx, key, { earlier, create });
}
