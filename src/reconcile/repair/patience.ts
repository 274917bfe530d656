import { BridgeError } from '../../domain/errors.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { backoffMs } from '../backoff.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Failures that make the waits longer, up to 16 s: somebody may be waiting for the end of it. */
const COUNTED_MAX = 5;

/** Tries again what nobody else would try again. */
export interface Patience {
  /** Failed attempts so far. */
  readonly failures: number;
  /** Repeats `work` until it succeeds. @throws the signal's reason when the process stops */
  keepTrying<T>(work: () => Promise<T>): Promise<T>;
}

/** Waits between attempts, and tells each failure. */
export function createPatience(
  { clock, random, events }: ReconcileDeps,
  signal: AbortSignal,
): Patience {
  let failures = 0;

  async function rest(error: unknown): Promise<void> {
    failures += 1;
    const isExpected = error instanceof UpstreamError || error instanceof BridgeError;
    events.failed({ type: 'recovery', id: isExpected ? error.code : 'bug', error });
    await clock.sleep(backoffMs(Math.min(failures, COUNTED_MAX), undefined, random()), signal);
  }

  return {
    get failures() {
      return failures;
    },
    async keepTrying(work) {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          signal.throwIfAborted();
          await rest(error);
        }
      }
    },
  };
}
