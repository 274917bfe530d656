import type { WireRequest } from '../upstream/exchange.ts';
import type { TransportHooks } from '../upstream/transport-options.ts';
import type { ClientAttempt, ClientHooks } from './client-hooks.ts';

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
      (({ operation, attempt, status, code, durationMs, requestId }, request) => {
        const made = toAttempt({ operation, attempt }, request, token);
        callQuietly(afterAttempt, { ...made, status, code, durationMs, requestId });
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
  const pairs = headers.flatMap((name, n) =>
    n % 2 === 0 ? [[name, redact(headers[n + 1] ?? '')]] : [],
  );
  return {
    operation,
    attempt,
    method,
    url: redact(origin + path),
    headers: Object.fromEntries(pairs),
  };
}

function callQuietly<T>(hook: (report: T) => unknown, report: T): void {
  try {
    // A hook may be async, and its failure must not end the process either.
    Promise.resolve(hook(report)).catch(() => undefined);
  } catch {
    // A failing hook must not break a call.
  }
}
