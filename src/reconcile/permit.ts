import { isDeepStrictEqual } from 'node:util';
import { BridgeError } from '../domain/errors.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import type { SentCreate } from '../domain/sent-create.ts';
import { insertOwnCall, type WrittenChange } from '../store/audit/own-calls.ts';
import { toIsRepair } from '../store/audit/provider-harm.ts';
import { type ChangeRow, insertChange } from '../store/changes.ts';
import { markInFlight } from '../store/in-flight.ts';
import { addSentCreate, saveSentCreates } from '../store/resources/sent-creates.ts';
import type { Db } from '../store/store.ts';
import type { Transport } from '../upstream/transport.ts';
import type { CallOptions, Sending } from '../upstream/transport-options.ts';
import { type CallBook, createCallBook } from './call-book.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertWithinLimit, holdRemovals, TooMuchHarm } from './provider-limit.ts';
import { LOOK_AGAIN } from './retry-columns.ts';
import { toOwnChanges } from './to-own-changes.ts';

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
  /** True when a call was held back because something else is planned by now. */
  readonly isOvertaken: boolean;
  /** True when all calls of the step had the permit with which it was begun, so that nothing else was planned since. */
  readonly isAsBegun: boolean;
  /** Writes into the ledger how the calls of this step ended; says the same however often it is called. @throws StoreError */
  saveOutcomes(tx: Db): Promise<void>;
  /**
   * Forgets creates of this step that were written down: they were turned away for sure. The change goes on waiting.
   * @throws StoreError
   */
  withdraw(): Promise<void>;
}

/** Takes a permit back with all that was written for it. */
class NotAsPlanned extends Error {}

/** Call that a limit keeps from leaving. */
interface HeldCall {
  readonly key: ResourceKey;
  readonly version: number;
  readonly sending: Sending;
}

/**
 * Takes removals that are more than providers may ask for out of what is planned; false: the call has not left.
 * @throws the error itself when the call was not held for what is planned
 */
async function holdBack(
  deps: ReconcileDeps,
  error: unknown,
  { key, version, sending: { operation, args } }: HeldCall,
): Promise<false> {
  if (error instanceof NotAsPlanned) return false;
  if (!(error instanceof TooMuchHarm)) throw error;
  const { deactivation } = deps.policy;
  const changes = toOwnChanges(operation.id, args);
  if (await holdRemovals(deps, { key, version, changes, limit: error, deactivation })) return false;
  throw error;
}

/** How the permit of a step is opened. */
export interface PermitRequest<State, Action> {
  readonly key: ResourceKey;
  readonly step: PlannedStep<State, Action>;
  /** What the step creates, so that it is found even if nobody hears of it. */
  readonly create: SentCreate | undefined;
  /** Reads and plans again; undefined: the resource is gone. */
  readonly replan: () => Promise<PlannedStep<State, Action> | undefined>;
  /** True when the step before it was held back: this one takes its place in the queue. */
  readonly again: boolean;
  /** The step as it was begun with the write; undefined: it was not. */
  readonly begun: FirstStep<State, Action, unknown> | undefined;
}

/** First step of a write, with the permit of its call, which was stored together with the write. */
export interface FirstStep<State, Action, Row> extends PlannedStep<State, Action> {
  /** Columns that are stored with the write. */
  readonly columns: {
    readonly in_flight: number;
    readonly steps: number;
    readonly sent_creates: string;
  };
  /** Row as the write leaves it. */
  readonly row: Row;
  readonly call: Pick<Sending, 'operation' | 'args'>;
  /** Its rows in the ledger. */
  readonly written: readonly WrittenChange[];
  /** When it was planned, by the clock of the process (milliseconds). */
  readonly atMs: number;
  /** The lead under which it was begun. */
  readonly by: ReconcileDeps;
  /** The change as it was accepted, which is stored only if the service does not hold it after the step. */
  readonly change?: ChangeRow;
}

/** How long the permit of a write holds, in milliseconds: as if its call had left with the write. */
const BEGUN_MS = 1_000;

/** Writes a call into the ledger. */
export function writeCall(
  tx: Db,
  { clock }: Pick<ReconcileDeps, 'clock'>,
  {
    key,
    sending: { operation, args },
  }: { readonly key: ResourceKey; readonly sending: Pick<Sending, 'operation' | 'args'> },
): Promise<WrittenChange[]> {
  const changes = toOwnChanges(operation.id, args).map((change) => {
    return { ...change, isRepair: toIsRepair(key.id, change) };
  });
  return insertOwnCall(tx, { at: clock.now(), operation: operation.id, key, changes });
}

/**
 * The permit of one step. Immediately before a call leaves, after its turn has come, what it changes must still be
 * what is wanted. A write that arrived since the plan holds the call back, unless the plan is the same after it. The
 * transaction that finds it so marks the resource as in flight and writes the call into the ledger. Looks need none.
 */
export function openPermit<State extends Permitted, Action>(
  deps: ReconcileDeps,
  { key, step, create, replan, again, begun }: PermitRequest<State, Action>,
): Permit<State> {
  let planned = step.state;
  let isOvertaken = false;
  let hasCreated = false;
  let isFirst = true;
  let isAsBegun = false;
  const calls = createCallBook('done');
  const stored = openStored(begun, calls);

  async function ask(sending: Sending): Promise<void> {
    if (sending.operation.method === 'GET') return;
    isAsBegun = stored.use(sending);
    hasCreated ||= isAsBegun && create !== undefined;
    if (isAsBegun) return;
    while (!(await mayLeave(sending))) {
      const now = await replan();
      if (now === undefined || !isDeepStrictEqual(now.action, step.action)) {
        isOvertaken = true;
        const words = `${keyText(key)} was written since this step was planned`;
        throw new BridgeError('overtaken', words);
      }
      planned = now.state;
    }
  }

  /** Writes the call down; false: what is wanted may be something else by now. */
  async function mayLeave(sending: Sending): Promise<boolean> {
    const { version } = planned;
    try {
      await deps.store.write((tx) => {
        stored.drop();
        return leave(tx, deps, { key, sending, planned, create, calls });
      });
      hasCreated ||= create !== undefined;
      return true;
    } catch (error) {
      return holdBack(deps, error, { key, version, sending });
    }
  }

  function permitted(options?: CallOptions): CallOptions {
    const takesPlace = again && isFirst;
    isFirst = false;
    return { ...options, again: takesPlace, beforeSend: ask, afterSend: calls.ended };
  }
  return {
    upstream: withOptions(deps.upstream, permitted),
    get planned() {
      return planned;
    },
    get isOvertaken() {
      return isOvertaken;
    },
    get isAsBegun() {
      return isAsBegun;
    },
    saveOutcomes(tx) {
      stored.drop();
      return calls.save(tx);
    },
    async withdraw() {
      hasCreated ||= stored.drop() && create !== undefined;
      if (!hasCreated && calls.isEmpty() && begun?.change === undefined) return;
      await deps.store.write(async (tx) => {
        await calls.save(tx);
        if (begun?.change !== undefined) await insertChange(tx, begun.change);
        if (hasCreated) await saveSentCreates(tx, key, step.state.sentCreates);
      });
    },
  };
}

/** Call that is about to leave, and what it was planned from. */
interface LeavingCall {
  readonly key: ResourceKey;
  readonly sending: Sending;
  readonly planned: Permitted;
  readonly create: SentCreate | undefined;
  readonly calls: CallBook;
}

/** Writes a call down that is about to leave. @throws NotAsPlanned when what is wanted may be something else by now */
async function leave(
  tx: Db,
  deps: ReconcileDeps,
  { key, sending, planned, create, calls }: LeavingCall,
): Promise<void> {
  // A repeated call is in flight since the repetition, so the attempts before it have to be told by then.
  await calls.save(tx);
  const written = await writeCall(tx, deps, { key, sending });
  if (!deps.harmRoom.take(written)) {
    deps.harmRoom.learn(await assertWithinLimit(tx, deps, written));
  }
  const { version, sentCreates: earlier } = planned;
  const from = { version, notMustLook: LOOK_AGAIN, callRow: written[0]?.id };
  if (!(await markInFlight(tx, key, from))) throw new NotAsPlanned();
  calls.sent(written);
  if (create !== undefined) await addSentCreate(tx, key, { earlier, create });
}

/** Permit that was stored with a write, until it is used or dropped. */
interface StoredPermit {
  /** True for the call that it was stored for, unless that was too long ago. */
  use(sending: Sending): boolean;
  /** Notes that the call was not sent; true when it had a permit until now. */
  drop(): boolean;
}

function openStored(
  begun: FirstStep<unknown, unknown, unknown> | undefined,
  calls: CallBook,
): StoredPermit {
  let unused = begun;
  return {
    use(sending) {
      if (unused === undefined || performance.now() - unused.atMs > BEGUN_MS) return false;
      const { call, written } = unused;
      const isSame = call.operation === sending.operation;
      if (!isSame || !isDeepStrictEqual(call.args, sending.args)) return false;
      calls.sent(written);
      unused = undefined;
      return true;
    },
    drop() {
      if (unused === undefined) return false;
      calls.sent(unused.written);
      calls.dropped();
      unused = undefined;
      return true;
    },
  };
}

function withOptions(
  upstream: Transport,
  toOptions: (options?: CallOptions) => CallOptions,
): Transport {
  return {
    ...upstream,
    call: (operation, args, options) => upstream.call(operation, args, toOptions(options)),
    callChecked: (operation, args, options) =>
      upstream.callChecked(operation, args, toOptions(options)),
  };
}
