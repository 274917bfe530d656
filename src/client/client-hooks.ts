/** Where a program looks in, for logs and metrics. A hook that throws, or whose promise fails, changes nothing. */
export interface ClientHooks {
  /** Before an attempt leaves. */
  readonly beforeAttempt?: ((attempt: ClientAttempt) => unknown) | undefined;
  /** After it, however it ended. */
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

/** What became of it. */
export interface FinishedAttempt extends ClientAttempt {
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** The error's code; undefined when the attempt succeeded. */
  readonly code: string | undefined;
  /** From sending to the end of the answer, in milliseconds. */
  readonly durationMs: number;
  readonly requestId: string | undefined;
}
