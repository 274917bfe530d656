import type { Problem } from '../outcome.ts';
import type { ReadableSection } from '../sections.ts';
import { createAttempts } from './attempts.ts';
import { createBook } from './book.ts';
import { findOpenStep, findSection, STEPS, type Step } from './progress.ts';
import { type AttemptRun, readStep, recheck } from './read-step.ts';
import type { FirstReadDeps } from './step.ts';

/** How often a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;

/** How far the first complete read of the service has come. */
type FirstReadState =
  | {
      readonly kind: 'running';
      readonly step: Step;
      /** Entries of this step that were read. */
      readonly count: number;
      /** Why the last attempt failed, and when the next one is (epoch milliseconds). */
      readonly problem?: Problem;
      readonly retryAt?: number;
    }
  | {
      readonly kind: 'finished';
      /** What the service did not let us read; asked again every five minutes. */
      readonly unread: readonly ReadableSection[];
    };

/**
 * The first complete read of the service, once per store. Until it is finished SCIM has no answers,
 * because "not found" would make a provider create people twice.
 */
export interface FirstRead {
  /**
   * Goes on where an earlier process stopped. A finished one makes no call, unless a section is closed.
   * @throws BridgeError `other-service` when the store belongs to another service.
   */
  start(): Promise<void>;
  /** Stops after the page that is being stored. */
  stop(): Promise<void>;
  state(): FirstReadState;
  readonly finished: boolean;
  /** The account behind the token, once it is known and where the service tells. */
  ownAccount(): number | undefined;
}

/** The first read of one process. */
export function createFirstRead(deps: FirstReadDeps): FirstRead {
  const stopping = new AbortController();
  const { signal } = stopping;
  const book = createBook(deps);
  const attempts = createAttempts(deps);
  const run: AttemptRun = { deps, book, attempts, signal };
  let loop: Promise<void> = Promise.resolve();

  const isFinished = () => book.current().finishedAt !== undefined;

  async function rest(ms: number): Promise<void> {
    // Rejects only when the process stops, which the loop sees for itself.
    if (ms > 0) await deps.clock.sleep(ms, signal).catch(() => undefined);
  }

  async function runUntilStopped(): Promise<void> {
    if (isFinished()) await recheck(run);
    while (!signal.aborted) {
      const step = findOpenStep(book.current());
      await rest(step === undefined ? RECHECK_MS : await readStep(run, step));
      if (step === undefined && !signal.aborted) await recheck(run);
    }
  }

  return {
    async start() {
      await book.open();
      loop = runUntilStopped();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
    state: () => toState(run),
    get finished() {
      return isFinished();
    },
    ownAccount: () => book.service()?.accountId,
  };
}

function toState({ book, attempts }: AttemptRun): FirstReadState {
  const progress = book.current();
  if (progress.finishedAt !== undefined) {
    const unread = STEPS.filter((step) => book.getStep(step).state !== 'done');
    const sections = new Set(unread.flatMap((step) => findSection(step) ?? []));
    return { kind: 'finished', unread: [...sections] };
  }
  const step = findOpenStep(progress) ?? 'service';
  const failure = attempts.last();
  return {
    kind: 'running',
    step,
    count: book.getStep(step).count,
    ...(failure && { problem: failure.problem, retryAt: failure.retryAt }),
  };
}
