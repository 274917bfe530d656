import type { GroupId } from '../domain/ids.ts';
import type { Problem } from './outcome.ts';

/** A write that was taken back, and what the service said of it. */
export interface Undone {
  readonly version: number;
  readonly problem: Problem;
}

/** What recording a step led to. */
export type Recorded<State> =
  | {
      /** There is a next step and the lane is still held. */
      readonly finished: false;
      readonly state: State;
      readonly undone: readonly Undone[];
      readonly woken: readonly GroupId[];
    }
  | {
      readonly finished: true;
      /** The oldest version that still waits; undefined: everything holds. */
      readonly oldestPending: number | undefined;
      /** When what failed is tried again (epoch milliseconds). */
      readonly retryAt?: number;
      /** Versions of writes that were taken back. */
      readonly undone: readonly Undone[];
      readonly woken: readonly GroupId[];
    };
