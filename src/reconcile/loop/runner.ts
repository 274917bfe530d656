import { assertNever } from '../../domain/errors.ts';
import { keyText, type ResourceKey } from '../../domain/ids.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { markInterrupted } from '../../store/in-flight.ts';
import { NO_LINKS } from '../../store/links/waiting.ts';
import type { GroupUndo, UserUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { Lock } from '../bounded-wait.ts';
import { converge, type Run } from '../converge.ts';
import type { ReconcileDeps } from '../deps.ts';
import { convergeGroups } from '../group/converge-group.ts';
import type { GroupTypes } from '../group/outcome.ts';
import { type AnyFirstStep, beginStep, type WrittenResource } from '../head-start.ts';
import { isNotLeading } from '../lead.ts';
import { GONE, type Progress } from '../recorded.ts';
import type { ResourceKind } from '../resource-kind.ts';
import { convergeUsers } from '../user/converge-user.ts';
import type { UserTypes } from '../user/outcome.ts';
import type { Waiters } from '../waiters.ts';

/** Time within which a retry is worth waiting for, in milliseconds. */
export const WORTH_WAITING_MS = 2_500;
/** Rest of a resource after an error of our own, in milliseconds. */
const REST_MS = 10_000;
/** Interval at which the end of a run is offered to a store that takes no writes, in milliseconds. */
const OFFER_MS = 1_000;

/** Requests that wait in this process. */
export interface Waiting {
  readonly users: Waiters<UserUndo>;
  readonly groups: Waiters<GroupUndo>;
}

/** Converges resources, each under its lock, and answers the requests that wait for them. Never rejects. */
export interface Runner {
  /** Takes the lock of a resource; undefined: it is held. */
  lock(key: ResourceKey): Lock | undefined;
  /**
   * Converges the resource of a lock, and releases it; `first` is the step that was begun with its write. Resolves with
   * true when something may be left to do.
   */
  run(lock: Lock, first?: AnyFirstStep): Promise<boolean>;
  /** Begins a write in its transaction, under the lock of its resource; undefined: it is begun by a run. */
  begin(tx: Db, written: WrittenResource): Promise<AnyFirstStep | undefined>;
  isLocked(key: ResourceKey): boolean;
  /** The resources whose locks are held. */
  listLocked(): ResourceKey[];
  readonly active: number;
  /** Resolves once nothing runs, when no more is to be run. */
  idle(): Promise<void>;
}

/** `onNotified` is told when a finished step made other resources due. */
export function createRunner(
  deps: ReconcileDeps,
  waiting: Waiting,
  onNotified: () => void,
): Runner {
  const users = convergeUsers(deps, waiting.users);
  const groups = convergeGroups(deps, waiting.groups);
  const running = new Set<Promise<boolean>>();
  let isStopping = false;

  async function runOne(key: ResourceKey, given: AnyFirstStep | undefined): Promise<Run> {
    // The next lead looks first at what an earlier one has begun.
    const begun = given?.by === deps ? given : undefined;
    switch (key.type) {
      case 'user': {
        const first = begun?.type === 'user' ? begun : undefined;
        return converge(deps, users, { key, first, onNotified });
      }
      case 'group': {
        const first = begun?.type === 'group' ? begun : undefined;
        return converge(deps, groups, { key, first, onNotified });
      }
      default:
        return assertNever(key);
    }
  }

  async function runAndAnswer(key: ResourceKey, begun: AnyFirstStep | undefined): Promise<boolean> {
    const waiters = key.type === 'user' ? waiting.users : waiting.groups;
    try {
      const { retryAt, ...progress } = await runOne(key, begun);
      waiters.settle(key, progress);
      const soon = retryAt !== undefined && isSoon(deps, retryAt);
      const reason = 'the change waits for something else first';
      if (!soon) waiters.answerNotYet(key, progress.version, reason);
      return !isOnlyOfItself(begun) || retryAt !== undefined || isOpen(progress);
    } catch (error) {
      // Whoever leads now looks first, and tells the requests.
      if (isNotLeading(error)) return true;
      deps.events.failed({ type: key.type, id: key.id, error });
      waiters.answerNotYet(key, GONE.version, 'the change is stored and will be tried again');
      const restMs = error instanceof StoreError ? 0 : REST_MS;
      await abandon(deps, key, { restMs, isStopping: () => isStopping });
      return true;
    }
  }

  return {
    ...createLocks(),
    begin: (tx, written) => beginWrite(tx, deps, { users, groups, written }),
    async run({ key, release }, first) {
      const run = runAndAnswer(key, first);
      running.add(run);
      const isLeft = await run;
      running.delete(run);
      // What was written behind the last step could not have the lock.
      return release() || isLeft;
    },
    get active() {
      return running.size;
    },
    async idle() {
      isStopping = true;
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** True for a run that begins with a change of what is known: a look or a create may have found what others wait for. */
function isOnlyOfItself(begun: AnyFirstStep | undefined): boolean {
  return begun !== undefined && begun.columns.sent_creates === '[]';
}

/** True when something of the resource waits, or it is gone and with it what others had to wait for. */
function isOpen({ version, oldestPending }: Progress): boolean {
  return version === GONE.version || oldestPending !== undefined;
}

/** The locks of the leader: one holder at a time for each resource. */
function createLocks(): Pick<Runner, 'lock' | 'isLocked' | 'listLocked'> {
  const held = new Map<string, { readonly key: ResourceKey; isWanted: boolean }>();
  return {
    lock(key) {
      const text = keyText(key);
      const other = held.get(text);
      if (other !== undefined) {
        other.isWanted = true;
        return undefined;
      }
      const own = { key, isWanted: false };
      held.set(text, own);
      return {
        key,
        release() {
          held.delete(text);
          return own.isWanted;
        },
      };
    },
    isLocked: (key) => held.has(keyText(key)),
    listLocked: () => [...held.values()].map(({ key }) => key),
  };
}

/** After an error of our own the next run looks first. A store that takes no writes is asked again until it does. */
async function abandon(
  { store, clock }: ReconcileDeps,
  key: ResourceKey,
  { restMs, isStopping }: { readonly restMs: number; readonly isStopping: () => boolean },
): Promise<void> {
  while (!isStopping()) {
    const dueAt = clock.now() + restMs;
    try {
      await store.write((tx) => markInterrupted(tx, key, dueAt));
      return;
    } catch (error) {
      if (isNotLeading(error)) return;
      if (!(error instanceof StoreError)) throw error;
      await clock.sleep(OFFER_MS);
    }
  }
}

/** True when a retry is soon enough for a request to wait for it. */
function isSoon({ upstream, clock }: ReconcileDeps, retryAt: number): boolean {
  if (upstream.writesRefused() !== undefined) return false;
  return retryAt - clock.now() < WORTH_WAITING_MS;
}

/** A written resource, and what it takes to begin with it. */
interface WriteToBegin {
  readonly users: ResourceKind<UserTypes>;
  readonly groups: ResourceKind<GroupTypes>;
  readonly written: WrittenResource;
}

/** Begins a write to a user or group in its transaction; undefined: a run begins it. */
async function beginWrite(
  tx: Db,
  deps: ReconcileDeps,
  { users, groups, written }: WriteToBegin,
): Promise<AnyFirstStep | undefined> {
  switch (written.type) {
    case 'user': {
      // Its first step would ask the store for the line, which a transaction must not wait for.
      if (deps.seats.mayWait) return undefined;
      const { type, row } = written;
      const step = await beginStep(tx, deps, users, { state: users.toState(row, NO_LINKS), row });
      return step && { type, ...step };
    }
    case 'group': {
      const { type, row, links } = written;
      const step = await beginStep(tx, deps, groups, { state: groups.toState(row, links), row });
      return step && { type, ...step };
    }
    default:
      return assertNever(written);
  }
}
