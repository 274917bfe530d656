import type { CallClass } from './call-class.ts';

/** Request of a turn. `again` keeps the place of a call that had a turn before. */
export interface TurnRequest {
  readonly operation: string;
  readonly callClass: CallClass;
  readonly key: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly again: boolean;
}

/** Permission for one request: `sent()` is called when it leaves, `end()` always and last. */
export interface Turn {
  sent(): void;
  end(): void;
}
