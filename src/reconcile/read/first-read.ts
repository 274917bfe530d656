import { BridgeError } from '../../domain/errors.ts';
import { createFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';
import { backoffMs } from '../backoff.ts';
import { createJob } from '../job.ts';
import type { KnownService } from '../sections.ts';
import { toReason } from '../verdict.ts';
import { readService, recheckSections } from './read-service.ts';
import { type ReadBefore, type ReadDeps, Reading, type ReadProgress } from './reading.ts';
import { isAnswering, learnService, openService } from './service.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;
/** Times that asking for our own account may fail while other reads work: the operation is not documented. */
const ACCOUNT_FAILURES_MAX = 3;
/** Largest failure count for asking who we are: all changes wait for it, so it is asked every 16 s at least. */
const ACCOUNT_BACKOFF_MAX = 5;

/** The first complete read, as the store keeps it. A restart repeats the list that was being read. */
interface StoredRead {
  readonly lists: ReadBefore;
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

/**
 * Creates the first complete read of the service, once per store. Until it is finished SCIM has no answers, because "not
 * found" would make a provider create users twice.
 */
export function createFirstRead(deps: ReadDeps) {
  const { store, clock } = deps;
  const learned = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<BridgeError>();
  let reading = new Reading(clock.now(), true);
  let service: KnownService | undefined;
  let finishedAt: number | undefined;
  /** Failures in a row of asking whose service it is; undefined: this process knows. */
  let failures: number | undefined = 0;

  async function save(): Promise<void> {
    const now = clock.now();
    // That it was finished once, no later change undoes.
    const at = finishedAt ?? (reading.findOpenList() === undefined ? now : undefined);
    const stored = { lists: reading.toBefore(), ...(at === undefined ? {} : { finishedAt: at }) };
    await store.write((tx) => FACT.save(tx, stored, now));
    finishedAt = at;
  }

  async function turn(signal: AbortSignal): Promise<number> {
    if (failures !== undefined) {
      const answer = await askWhose(deps, failures + 1, signal);
      failures = answer.kind === 'failed' ? failures + 1 : undefined;
      if (answer.kind === 'failed') return answer.waitMs;
      ({ service = service } = answer);
      learned.resolve();
    }
    const run = { deps, reading, signal };
    // A store that was filled before asks for closed sections at once. A failure is met again in five minutes.
    if (finishedAt !== undefined) {
      await recheckSections(run).catch((error: unknown) => tellFailed(deps, 'sections', error));
    }
    await readService(run, { onEnd: save });
    return RECHECK_MS;
  }

  const job = { type: 'first-read', id: 'run', restMs: RECHECK_MS };
  const loop = createJob(deps, job, (signal) =>
    turn(signal).catch((error: unknown) => {
      if (!isOther(error)) throw error;
      broken.resolve(error);
      return RECHECK_MS;
    }),
  );

  return {
    /**
     * Starts, or goes on with the lists that no earlier process has read. A finished read makes no call, unless a section
     * is closed.
     * @throws BridgeError `other-service` when the store belongs to another service.
     */
    async start(): Promise<void> {
      service = await openService(deps);
      const stored = await FACT.find(store.read);
      finishedAt = stored?.finishedAt;
      reading = new Reading(clock.now(), true, stored?.lists);
      loop.start();
    },
    /** Stops after the page that is being stored. */
    stop: loop.stop,
    state(): FirstReadState {
      if (finishedAt !== undefined) return { kind: 'finished' };
      const progress = reading.findProgress(clock.now());
      return { kind: 'running', ...(progress ?? { step: 'service', count: 0 }) };
    },
    get finished() {
      return finishedAt !== undefined;
    },
    /** Account behind the token, once it is known and where the service tells it. */
    ownAccount: () => service?.accountId,
    /** Hold on changes until this process knows that the service is the one of the store, as far as it tells. */
    hold: { over: learned.promise, isLong: () => (failures ?? 0) > 0 },
    /** Resolves, if ever, with the reason why the bridge must stop: the store belongs to another company. */
    broken: broken.promise,
  };
}

type Answer =
  | { readonly kind: 'learned'; readonly service?: KnownService }
  | { readonly kind: 'failed'; readonly waitMs: number };

/** Learns whose service it is, as every process does once. One that does not tell after some failures is done without. */
async function askWhose(deps: ReadDeps, attempt: number, signal: AbortSignal): Promise<Answer> {
  try {
    return { kind: 'learned', service: await learnService(deps, signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (isOther(error)) throw error;
    if (attempt >= ACCOUNT_FAILURES_MAX && (await isAnswering(deps))) return { kind: 'learned' };
    return { kind: 'failed', waitMs: tellFailed(deps, 'service', error, attempt) };
  }
}

/** Reports what failed. Returns the wait before the next attempt, in milliseconds. */
function tellFailed(
  { events, random }: ReadDeps,
  step: string,
  error: unknown,
  failures = ACCOUNT_BACKOFF_MAX,
): number {
  const { text: reason, retryAfterMs } = toReason(error);
  const retryInMs = backoffMs(Math.min(failures, ACCOUNT_BACKOFF_MAX), retryAfterMs, random());
  events.firstReadFailed({ step, reason, retryInMs });
  return retryInMs;
}

function isOther(error: unknown): error is BridgeError {
  return error instanceof BridgeError && error.code === 'other-service';
}
