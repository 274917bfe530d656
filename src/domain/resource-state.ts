import type { Cells } from './cell.ts';
import type { Missed } from './missed.ts';
import type { SentCreate } from './sent-create.ts';

/** Knowledge of a managed user or group, or of one whose removal is still under way. */
export interface ResourceState<Field extends string> {
  readonly cells: Cells<Field>;
  readonly version: number;
  readonly deleted: boolean;
  /** The outcome of a call is unknown: look before anything else. */
  readonly mustLook: boolean;
  /** Under which names a create may have left it in the service. */
  readonly sentCreates: readonly SentCreate[];
  /** Version from which a call of unknown outcome was planned: what was written since is sent, whatever is seen. */
  readonly unsureSince?: number;
  /** Known to the steps of one run alone; absent: no call was told that the service has no such account or group. */
  readonly missed?: Missed;
}
