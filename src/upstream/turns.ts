import type { CallClass } from './call-class.ts';

/** Who asks for a turn. `again` keeps the place of a call that had a turn before. */
export interface TurnRequest {
  readonly operation: string;
  readonly callClass: CallClass;
  readonly key: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly again: boolean;
}

/** Permission for one request: `sent()` when it leaves, `end()` always and last. */
export interface Turn {
  /** True when it is too late to leave: others may have been given the place. */
  isLapsed(): boolean;
  sent(): void;
  end(): void;
}
