import type { AnswerHeaders } from '../upstream/answer-body.ts';
import type { WireRequest } from '../upstream/exchange.ts';
import type { AttemptReport, TransportHooks } from '../upstream/transport-options.ts';

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
export interface FinishedAttempt
  extends ClientAttempt,
    Pick<AttemptReport, 'status' | 'code' | 'durationMs' | 'requestId'> {
  /** Headers of the answer; none when no answer came. */
  readonly answerHeaders: AnswerHeaders;
}

/** Adapts the hooks of a program to the transport. */
export function toTransportHooks(
  { beforeAttempt, afterAttempt }: ClientHooks,
  token: string,
): TransportHooks {
  return {
    onSend:
      beforeAttempt &&
      ((sending, request) => {
        callQuietly(beforeAttempt, toAttempt(sending, request, token));
      }),
    onAttempt:
      afterAttempt &&
      (({ operation, attempt, status, code, durationMs, requestId, headers }, request) => {
        const made = toAttempt({ operation, attempt }, request, token);
        callQuietly(afterAttempt, {
          ...made,
          status,
          code,
          durationMs,
          requestId,
          answerHeaders: headers,
        });
      }),
  };
}

function toAttempt(
  { operation, attempt }: { operation: string; attempt: number },
  { method, origin, path, headers }: WireRequest,
  token: string,
): ClientAttempt {
  const redact = (text: string) =>
    text.replaceAll(token, '[token]').replaceAll(encodeURIComponent(token), '[token]');
  const shown = Object.entries(headers).map(([name, value]) => [name, redact(value)]);
  const url = redact(origin + path);
  return { operation, attempt, method, url, headers: Object.fromEntries(shown) };
}

function callQuietly<T>(hook: (report: T) => unknown, report: T): void {
  try {
    // A hook may be async, and its failure must not end the process either.
    Promise.resolve(hook(report)).catch(() => undefined);
  } catch {
    // A failing hook must not break a call.
  }
}
