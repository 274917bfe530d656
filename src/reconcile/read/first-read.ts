import { BridgeError } from '../../domain/errors.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { backoffMs } from '../backoff.ts';
import { toReason } from '../verdict.ts';
import { readService, recheckSections } from './read-service.ts';
import {
  beginReading,
  findOpenList,
  findProgress,
  LISTS,
  type ListName,
  listsOf,
  type ReadBefore,
  type ReadDeps,
  type Reading,
  type ReadProgress,
  toSection,
} from './reading.ts';
import { isAnswering, type KnownService, learnService, openService } from './service.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;
/** Times that asking for our own account may fail while other reads work: the operation is not documented. */
const ACCOUNT_FAILURES_MAX = 3;
/** Largest failure count for asking who we are: all changes wait for it, so it is asked every 16 s at least. */
const ACCOUNT_BACKOFF_MAX = 5;

/** The first complete read, as the store keeps it. A restart repeats the list that was being read. */
interface StoredRead {
  readonly lists: ReadBefore;
  /** The groups were read before any user was known. */
  readonly membersUnknown: boolean;
  /** Time when everything that may be read had been read once (epoch milliseconds). */
  readonly finishedAt?: number;
}

const FACT = createFact<StoredRead>('first-read');

/** Finds when the first read ended (epoch milliseconds); undefined: it has not. */
export async function findFirstReadAt(db: Db): Promise<number | undefined> {
  return (await FACT.find(db))?.finishedAt;
}

/** Progress of the first complete read of the service. */
export type FirstReadState =
  | ({ readonly kind: 'running' } & ReadProgress)
  | { readonly kind: 'finished' };

/** The first read of one process. */
export type FirstRead = ReturnType<typeof createFirstRead>;

/** What one process knows of the first read. */
interface KnownRead {
  reading: Reading;
  service: KnownService | undefined;
  finishedAt: number | undefined;
  /** Failures in a row of asking whose service it is. */
  failures: number;
}

/**
 * Creates the first complete read of the service, once per store. Until it is finished SCIM has no answers, because "not
 * found" would make a provider create users twice.
 */
export function createFirstRead(deps: ReadDeps) {
  const { store, clock, events } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const learned = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<BridgeError>();
  const nothing = { service: undefined, finishedAt: undefined, failures: 0 };
  const known: KnownRead = { reading: beginReading(clock.now(), true), ...nothing };
  let loop: Promise<void> = Promise.resolve();

  async function runUntilStopped(): Promise<void> {
    await learn(deps, known, signal);
    learned.resolve();
    const run = { deps, reading: known.reading, signal };
    // A store that was filled before asks for closed sections at once.
    for (let isStart = known.finishedAt !== undefined; ; isStart = false) {
      await readService(run, { onEnd: () => save(deps, known) });
      if (!isStart) await clock.sleep(RECHECK_MS, signal);
      // A failure is met again in five minutes.
      await recheckSections(run).catch((error: unknown) => tellFailed(deps, 'sections', error));
    }
  }

  return {
    /**
     * Starts, or goes on with the lists that no earlier process has read. A finished read makes no call, unless a section
     * is closed.
     * @throws BridgeError `other-service` when the store belongs to another service.
     */
    async start(): Promise<void> {
      known.service = await openService(deps);
      const stored = await FACT.find(store.read);
      known.finishedAt = stored?.finishedAt;
      known.reading = beginReading(clock.now(), true, stored?.lists);
      known.reading.membersUnknown = stored?.membersUnknown ?? false;
      loop = runUntilStopped().catch((error: unknown) => {
        if (isOther(error)) broken.resolve(error);
        else if (!signal.aborted) events.failed({ type: 'first-read', id: 'run', error });
      });
    },
    /** Stops after the page that is being stored. */
    async stop(): Promise<void> {
      stopping.abort();
      await loop;
    },
    state(): FirstReadState {
      if (known.finishedAt !== undefined) return { kind: 'finished' };
      const progress = findProgress(known.reading, clock.now());
      return { kind: 'running', ...(progress ?? { step: 'service', count: 0 }) };
    },
    get finished() {
      return known.finishedAt !== undefined;
    },
    /** Account behind the token, once it is known and where the service tells it. */
    ownAccount: () => known.service?.accountId,
    /** Hold on changes until this process knows that the service is the one of the store, as far as it tells. */
    hold: { over: learned.promise, isLong: () => known.failures > 0 },
    /** Resolves, if ever, with the reason why the bridge must stop: the store belongs to another company. */
    broken: broken.promise,
  };
}

/** Learns whose service it is, as every process does once: the company behind an address may have changed. */
async function learn(deps: ReadDeps, known: KnownRead, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      known.service = await learnService(deps, signal);
      break;
    } catch (error) {
      signal.throwIfAborted();
      if (isOther(error)) throw error;
      known.failures += 1;
      if (known.failures >= ACCOUNT_FAILURES_MAX && (await isAnswering(deps))) break;
      const counted = Math.min(known.failures, ACCOUNT_BACKOFF_MAX);
      await deps.clock.sleep(tellFailed(deps, 'service', error, counted), signal);
    }
  }
  known.failures = 0;
}

/** Reports what failed. Returns the wait before the next attempt, in milliseconds. */
function tellFailed(
  { events, random }: ReadDeps,
  step: string,
  error: unknown,
  failures = ACCOUNT_BACKOFF_MAX,
): number {
  const { text: reason, retryAfterMs } = toReason(error);
  const retryInMs = backoffMs(failures, retryAfterMs, random());
  events.firstReadFailed({ step, reason, retryInMs });
  return retryInMs;
}

/** Stores what a restart need not read again: the sections that were read or refused, by their last list. */
async function save({ store, clock }: ReadDeps, known: KnownRead): Promise<void> {
  const { reading } = known;
  const { membersUnknown } = reading;
  const lists: { [L in ListName]?: 'done' | 'refused' } = {};
  for (const list of LISTS) {
    const { state } = reading.lists[listsOf(toSection(list)).at(-1) ?? list];
    if (state !== 'open') lists[list] = state;
  }
  const now = clock.now();
  // That it was finished once, no later change undoes.
  const finishedAt = known.finishedAt ?? (findOpenList(reading) === undefined ? now : undefined);
  const stored = { lists, membersUnknown, ...(finishedAt === undefined ? {} : { finishedAt }) };
  await store.write((tx) => FACT.save(tx, stored, now));
  known.finishedAt = finishedAt;
}

function isOther(error: unknown): error is BridgeError {
  return error instanceof BridgeError && error.code === 'other-service';
}
