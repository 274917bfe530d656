/** Hooks of a program, for logs and metrics. A hook that throws, or whose promise rejects, changes nothing. */
export interface ClientHooks {
  /** Called before an attempt leaves. */
  readonly beforeAttempt?: ((attempt: ClientAttempt) => unknown) | undefined;
  /** Called after the attempt, however it ended. */
  readonly afterAttempt?: ((attempt: FinishedAttempt) => unknown) | undefined;
}

/** One attempt of a call. The token is nowhere in it, nor is the body; addresses may hold personal data. */
export interface ClientAttempt {
  /** `group.operation`, or `client.request`. */
  readonly operation: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One attempt with its outcome. */
export interface FinishedAttempt extends ClientAttempt {
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** The error's code; undefined when the attempt succeeded. */
  readonly code: string | undefined;
  /** Time from sending to the end of the answer, in milliseconds. */
  readonly durationMs: number;
  readonly requestId: string | undefined;
}
