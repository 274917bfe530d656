import type { GroupInput } from '../dialect/parse-group.ts';
import type { UserInput } from '../dialect/parse-user.ts';
import type { PatchStep } from '../dialect/patch-step.ts';
import type { Repairs } from '../repairs.ts';

/** What the body of a write says: a resource, or the steps of a PATCH. */
export type Content = UserInput | GroupInput | readonly PatchStep[];

/** Body of a write, and the counter of its corrections. */
export interface Sent {
  readonly body: unknown;
  readonly repairs: Repairs;
  /** Told what the body says, also of a write that is refused then. */
  understood(content: Content): void;
}
