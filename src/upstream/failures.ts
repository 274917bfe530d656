import { UpstreamError, type UpstreamErrorCode, type UpstreamFailure } from './errors.ts';

/** How the time of a call ended; undefined: it has not. */
export type Ended = 'deadline' | 'caller' | undefined;

/** Error when no answer could be read. @param isSent true once the request was on the wire. */
export function toExchangeError(
  operation: string,
  cause: unknown,
  { ended, isSent }: { ended: Ended; isSent: boolean },
): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const outcome = isSent ? 'unknown' : 'not-sent';
  const fail = (
    code: UpstreamErrorCode,
    detail: string,
    fate: UpstreamFailure['outcome'] = outcome,
  ) => new UpstreamError(code, { operation, detail, retry: 'later', outcome: fate, cause });
  if (isUnreadableFile(cause)) {
    return fail('connection', 'a file that was to be sent could not be read to its end');
  }
  if (ended === 'caller') return fail('aborted', 'given up by the caller');
  if (ended === 'deadline') return fail('timeout', "the call's time is over");
  const name = codeOf(cause);
  if (name === 'UND_ERR_CLOSED' || name === 'UND_ERR_DESTROYED') {
    return fail('closed', 'the client is closed');
  }
  const proxyStatus = findProxyStatus(cause);
  if (proxyStatus !== undefined) {
    const detail = PROXY_WORDS[proxyStatus] ?? `the proxy answered ${proxyStatus}`;
    return fail('connection', detail, 'not-sent');
  }
  if (!isSent) return fail('connection', `no connection (${name})`);
  const isLate = name === 'UND_ERR_HEADERS_TIMEOUT' || name === 'UND_ERR_BODY_TIMEOUT';
  return fail(isLate ? 'timeout' : 'connection', `no complete answer (${name})`);
}

/** True for a file that is gone or has changed since it was named: a fault on this side, which says nothing about the service. */
export function isUnreadableFile(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'NotReadableError';
}

const PROXY_WORDS: Readonly<Record<string, string>> = {
  407: 'the proxy wants credentials (407): put them into its address, http://user:password@host:port',
};

/** Status with which a proxy refused to pass a request on; undici gives it in the message alone. */
function findProxyStatus(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const pattern = /^Proxy response \((\d{3})\)|^Proxy Authentication Required \((407)\)/;
  const [, tunnel, forward] = pattern.exec(cause.message) ?? [];
  return tunnel ?? forward;
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
