import type { Db } from '../../store/store.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { Progress, StepProgress } from './progress.ts';

/** Dependencies of the first read. */
export interface FirstReadDeps extends ReconcileDeps {
  /** Name of the service that the store belongs to: its base URL, or a constant for the embedded sandbox. */
  readonly identity: string;
}

/** Context of reading to compare: the least urgent class that is never starved. */
export const READING: CallContext = { class: 'look', key: 'first-read' };

/** Context of one step. */
export interface FirstReadContext {
  readonly deps: FirstReadDeps;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
  /** Finds the progress of all steps. */
  progress(): Progress;
  /** Finds the progress of this step. */
  current(): StepProgress;
  /** Stores a checkpoint of this step in one transaction with the rows it stands for. */
  save(checkpoint: StepProgress, rows?: (tx: Db) => Promise<void>): Promise<void>;
}

/**
 * End of a step. A failed call is thrown, and the step then goes on from its checkpoint.
 * - `done`: the list was provably complete
 * - `incomplete`: it was not, so nothing is concluded and the list is read again from its beginning
 */
export type StepResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'incomplete'; readonly reason: string };
