import type { BridgeError } from '../../domain/errors.ts';
import type { Hold } from '../deps.ts';
import type { Problem } from '../outcome.ts';
import type { ReadableSection } from '../sections.ts';
import { createCheckpoint } from './checkpoint.ts';
import { estimateEnd, findSection, STEPS, type Step } from './progress.ts';
import { type AttemptRun, createAttempts, readStep, recheck } from './read-step.ts';
import type { FirstReadDeps } from './step.ts';

/** Interval at which a closed section is asked again, in milliseconds. */
const RECHECK_MS = 5 * 60_000;

/** Progress of the first complete read of the service. */
export type FirstReadState =
  | {
      readonly kind: 'running';
      readonly step: Step;
      /** Number of entries of this step that were read. */
      readonly count: number;
      /** Number of entries that the list has, where the service says it. */
      readonly total?: number;
      /** End of the list at the rate so far (epoch milliseconds), once it takes longer than two seconds. */
      readonly endsAt?: number;
      /** Problem of the last attempt, and the time of the next one (epoch milliseconds). */
      readonly problem?: Problem;
      readonly retryAt?: number;
    }
  | {
      readonly kind: 'finished';
      /** Sections that the service refused to show; asked again every five minutes. */
      readonly unread: readonly ReadableSection[];
    };

/**
 * First complete read of the service, once per store. Until it is finished SCIM has no answers, because "not found"
 * would make a provider create users twice.
 */
export interface FirstRead {
  /**
   * Starts, or goes on where an earlier process stopped. A finished read makes no call, unless a section is closed.
   * @throws BridgeError `other-service` when the store belongs to another service.
   */
  start(): Promise<void>;
  /** Stops after the page that is being stored. */
  stop(): Promise<void>;
  state(): FirstReadState;
  readonly finished: boolean;
  /** Account behind the token, once it is known and where the service tells it. */
  ownAccount(): number | undefined;
  /** Hold on changes until this process knows that the service is the one of the store, as far as it tells. */
  readonly hold: Pick<Hold, 'over' | 'isLong'>;
  /** Resolves, if ever, with the reason why the bridge must stop: the store belongs to another company. */
  readonly broken: Promise<BridgeError>;
}

/** Creates the first read of one process. */
export function createFirstRead(deps: FirstReadDeps): FirstRead {
  const stopping = new AbortController();
  const { signal } = stopping;
  const checkpoint = createCheckpoint(deps);
  const attempts = createAttempts(deps);
  const known = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<BridgeError>();
  const run: AttemptRun = { deps, checkpoint, attempts, signal, giveUp };
  let loop: Promise<void> = Promise.resolve();

  // One for all who ask: every request does.
  const finished: FirstReadState = {
    kind: 'finished',
    get unread() {
      const unread = STEPS.filter((step) => checkpoint.getStep(step).state !== 'done');
      return [...new Set(unread.flatMap((step) => findSection(step) ?? []))];
    },
  };

  async function rest(ms: number): Promise<void> {
    // Rejects only when the process stops, which the loop sees for itself.
    if (ms > 0) await deps.clock.sleep(ms, signal).catch(() => undefined);
  }

  function giveUp(error: BridgeError): void {
    broken.resolve(error);
    stopping.abort();
  }

  async function runUntilStopped(): Promise<void> {
    let isRecheckDue = checkpoint.isFinished();
    while (!signal.aborted) {
      const step = checkpoint.findOpenStep();
      if (step !== 'service') known.resolve();
      if (step !== undefined) {
        await rest(await readStep(run, step));
        continue;
      }
      if (!isRecheckDue) await rest(RECHECK_MS);
      if (!signal.aborted) await recheck(run);
      isRecheckDue = false;
    }
  }

  return {
    async start() {
      await checkpoint.open();
      checkpoint.reopenService();
      loop = runUntilStopped();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
    state: () => (checkpoint.isFinished() ? finished : toRunning(run)),
    get finished() {
      return checkpoint.isFinished();
    },
    ownAccount: () => checkpoint.service()?.accountId,
    hold: { over: known.promise, isLong: () => attempts.last()?.step === 'service' },
    broken: broken.promise,
  };
}

function toRunning({ deps, checkpoint, attempts }: AttemptRun): FirstReadState {
  const step = checkpoint.findOpenStep() ?? 'service';
  const failure = attempts.last();
  const read = checkpoint.getStep(step);
  const endsAt = estimateEnd(read, deps.clock.now());
  return {
    kind: 'running',
    step,
    count: read.count,
    ...(read.total !== undefined && { total: read.total }),
    ...(endsAt !== undefined && { endsAt }),
    ...(failure && { problem: failure.problem, retryAt: failure.retryAt }),
  };
}
