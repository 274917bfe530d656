import type { AnswerHeaders } from '../upstream/answer-body.ts';
import type { WireRequest } from '../upstream/exchange.ts';
import { withoutToken } from '../upstream/headers.ts';
import type { AttemptName, AttemptReport, TransportHooks } from '../upstream/transport-options.ts';

/** Hooks of a program, for logs and metrics. A hook that throws, or whose promise rejects, changes nothing. */
export interface ClientHooks {
  /** Called before an attempt leaves. */
  readonly beforeAttempt?: ((attempt: ClientAttempt) => unknown) | undefined;
  /** Called after the attempt, however it ended. */
  readonly afterAttempt?: ((attempt: FinishedAttempt) => unknown) | undefined;
}

/** One attempt of a call. The token is nowhere in it, nor is the body; addresses may hold personal data. */
export interface ClientAttempt extends AttemptName {
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
    onBegin(name, request) {
      const attempt = toAttempt(name, request, token);
      callQuietly(beforeAttempt, attempt);
      return {
        ended({ status, code, durationMs, requestId, headers: answerHeaders }) {
          const outcome = { status, code, durationMs, requestId, answerHeaders };
          callQuietly(afterAttempt, { ...attempt, ...outcome });
        },
      };
    },
  };
}

function toAttempt(
  name: AttemptName,
  { method, origin, path, headers }: WireRequest,
  token: string,
): ClientAttempt {
  const shown = Object.entries(headers).map(([header, value]) => [
    header,
    withoutToken(value, token),
  ]);
  const url = withoutToken(origin + path, token);
  return { ...name, method, url, headers: Object.fromEntries(shown) };
}

function callQuietly<T>(hook: ((report: T) => unknown) | undefined, report: T): void {
  try {
    // A hook may be async, and its failure must not end the process either.
    Promise.resolve(hook?.(report)).catch(() => undefined);
  } catch {
    // A failing hook must not break a call.
  }
}
