import type { Stage } from '../stage.ts';

/** One requirement, and how it is shown. */
export interface Check {
  /** Name for `--only`, the same in every gate. */
  readonly id: string;
  readonly title: string;
  /** @throws CheckFailed where the requirement does not hold; CheckSkipped where it cannot be shown from here */
  readonly run: (stage: Stage) => Promise<void>;
}
