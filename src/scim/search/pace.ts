import type { Response } from 'express';
import type { Turns } from '../../domain/turns.ts';
import { unavailable } from '../errors.ts';

/** Share of the process for searches that look at every resource. */
export interface Pace {
  /**
   * Runs the work when its turn has come, and hands it `Turns`.
   * @throws ScimError 503 once the client is gone, also out of `Turns`
   */
  run<T>(work: (turns: Turns) => Promise<T>): Promise<T>;
}

/** Most such searches at the same time; their results so far are in memory. */
const AT_ONCE_MAX = 4;

/** Hands out the pace of requests: few look at every resource at the same time, the others wait in line. */
export function createPacemaker(turns: Turns): (res: Response) => Pace {
  /** Searches that wait, in line. */
  const waiting = new Set<() => void>();
  let running = 0;

  function enter(): Promise<void> | undefined {
    if (running < AT_ONCE_MAX) {
      running += 1;
      return undefined;
    }
    return new Promise((resolve) => waiting.add(resolve));
  }

  /** The first in line takes the place. */
  function leave(): void {
    const [first] = waiting;
    if (first === undefined) {
      running -= 1;
      return;
    }
    waiting.delete(first);
    first();
  }

  return (res) => {
    const assertWaitedFor = () => {
      if (res.destroyed) throw unavailable('Nobody waits for the answer any more.', 1);
    };
    return {
      async run(work) {
        await enter();
        try {
          assertWaitedFor();
          return await work(() => {
            assertWaitedFor();
            return turns();
          });
        } finally {
          leave();
        }
      },
    };
  };
}
