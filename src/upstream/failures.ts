import {
  findWords,
  ResponseTooLarge,
  readAnswerBody,
  toHead,
  UndecodableBody,
} from './answer-body.ts';
import { UpstreamError, type UpstreamFailure } from './errors.ts';
import type { Answer } from './exchange.ts';
import type { CallTime } from './outgoing-call.ts';
import { parseRetryAfterMs } from './rate-limit.ts';
import { classifyStatus } from './status-table.ts';

/** Circumstances of an answer that is an error. */
export interface AskedWith {
  readonly token: string;
  readonly nowMs: number;
  readonly pauseMs: number | undefined;
  /** `message`: the service's words stand in the message too. */
  readonly wordsIn?: 'message' | undefined;
}

/** Error of an answer other than 2xx. The token never comes back in the service's words. */
export function toAnswerError(
  operation: string,
  answer: Answer,
  { token, nowMs, pauseMs, wordsIn }: AskedWith,
): UpstreamError {
  const { code, retry, outcome } = classifyStatus(answer.status);
  const body = readAnswerBody(withoutToken(answer.text, token));
  const words = findWords(body);
  const said = wordsIn === 'message' && words !== undefined ? `: ${words}` : '';
  return new UpstreamError(code, {
    operation,
    detail: `the service answered ${answer.status}${said}`,
    retry,
    outcome,
    ...toHead(answer.status, answer.headers),
    body,
    words,
    retryAfterMs: pauseMs ?? parseRetryAfterMs(answer.headers, nowMs),
  });
}

/** Credentials in a header's form (RFC 6750, RFC 7617); words alone, as in `Basic membership`, are none. */
const CREDENTIALS = /\b(Bearer|Basic) +(?=[\w.~+/=-]*[\d=])[\w.~+/=-]{8,}/gi;

function withoutToken(text: string, token: string): string {
  return text
    .replaceAll(token, '[token]')
    .replaceAll(encodeURIComponent(token), '[token]')
    .replace(CREDENTIALS, '$1 [token]');
}

/** Error when no answer could be read. @param isSent true once the request was on the wire. */
export function toExchangeError(
  operation: string,
  cause: unknown,
  { ended, isSent }: { ended: CallTime['ended']; isSent: boolean },
): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const outcome = isSent ? 'unknown' : 'not-sent';
  const later = { operation, cause, outcome, retry: 'later' } as const;
  if (cause instanceof ResponseTooLarge || cause instanceof UndecodableBody) {
    const { status, message } = cause;
    const code = cause instanceof ResponseTooLarge ? 'response-too-large' : 'unreadable';
    return new UpstreamError(code, { ...later, status, detail: message });
  }
  if (isUnreadableFile(cause)) {
    const detail = 'a file that was to be sent could not be read to its end';
    return new UpstreamError('connection', { ...later, detail });
  }
  switch (ended) {
    case 'caller':
      return new UpstreamError('aborted', { ...later, detail: 'given up by the caller' });
    case 'deadline':
      return new UpstreamError('timeout', { ...later, detail: "the call's time is over" });
    default:
      return toNetworkError(later, cause);
  }
}

/** True for a file that is gone or has changed since it was named: a fault on this side, which says nothing about the service. */
export function isUnreadableFile(cause: unknown): boolean {
  return cause instanceof Error && cause.name === 'NotReadableError';
}

type Lost = Pick<UpstreamFailure, 'operation' | 'cause' | 'retry' | 'outcome'>;

function toNetworkError(lost: Lost, cause: unknown): UpstreamError {
  const name = codeOf(cause);
  if (name === 'UND_ERR_CLOSED' || name === 'UND_ERR_DESTROYED') {
    return new UpstreamError('closed', { ...lost, detail: 'the client is closed' });
  }
  const proxyStatus = findProxyStatus(cause);
  if (proxyStatus !== undefined) {
    const detail = PROXY_WORDS[proxyStatus] ?? `the proxy answered ${proxyStatus}`;
    return new UpstreamError('connection', { ...lost, outcome: 'not-sent', detail });
  }
  if (lost.outcome === 'not-sent') {
    return new UpstreamError('connection', { ...lost, detail: `no connection (${name})` });
  }
  const late = name === 'UND_ERR_HEADERS_TIMEOUT' || name === 'UND_ERR_BODY_TIMEOUT';
  const detail = `no complete answer (${name})`;
  return new UpstreamError(late ? 'timeout' : 'connection', { ...lost, detail });
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
