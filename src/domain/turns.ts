import { setImmediate as nextTurn } from 'node:timers/promises';

/** undefined: go on. Otherwise this turn of the event loop has lasted long enough, and the rest comes in the next one. */
export type Turns = () => Promise<void> | undefined;

/** Work in pieces; each has a size, in units of its own limit. */
export type Work<T> = Generator<number, T, undefined>;

/** Length of a turn, in milliseconds: others are served soon, and the pauses cost little. */
const TURN_MS = 10;

/**
 * Cuts long work into turns of the event loop, so that others are served in between. All that share it share the turn:
 * ten at work do not make it ten times as long.
 * @param lengthMs how long one turn may last, from the first time that it is asked
 * @param readMs milliseconds that only grow
 */
export function createTurns(lengthMs = TURN_MS, readMs = () => performance.now()): Turns {
  let beganAt: number | undefined;
  return () => {
    const now = readMs();
    if (beganAt === undefined) {
      beganAt = now;
      setImmediate(() => {
        beganAt = undefined;
      });
    }
    return now - beganAt < lengthMs ? undefined : nextTurn();
  };
}

/** Does all of the work, with a pause between two pieces where the turn has lasted long enough. */
export async function workInTurns<T>(work: Work<T>, turns: Turns): Promise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    const pause = turns();
    if (pause) await pause;
  }
}
