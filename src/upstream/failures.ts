import {
  type AnswerHead,
  findWords,
  ResponseTooLarge,
  readAnswerBody,
  toHead,
  UndecodableBody,
} from './answer-body.ts';
import { UpstreamError, type UpstreamFailure } from './errors.ts';
import type { Answer } from './exchange.ts';
import { BodyFailed } from './form-body.ts';
import type { RedirectTarget } from './operations/call-types.ts';
import type { CallScope } from './outgoing-call.ts';
import { parseRetryAfterMs } from './pause.ts';
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

/** Parses a 2xx answer, undefined when it is empty; or the error `unreadable`: the work may be done then. */
export function parseAnswer(operation: string, answer: Answer): ParsedAnswer {
  const head = toHead(answer.status, answer.headers);
  const value = readAnswerBody(answer.text);
  if (value.kind === 'empty') return { kind: 'done', value: undefined, head };
  if (value.kind === 'json') return { kind: 'done', value: value.value, head };
  const error = new UpstreamError('unreadable', {
    operation,
    detail: `the answer is no JSON but ${value.kind}`,
    retry: 'later',
    outcome: 'unknown',
    ...head,
    body: value,
  });
  return { kind: 'failed', error };
}

/** A 2xx answer with a content that no JSON is: the stream that was asked for, or one that is ignored. */
export function toOpaqueAnswer({ status, headers, content }: Answer): ParsedAnswer {
  return { kind: 'done', value: content?.stream, head: toHead(status, headers) };
}

/**
 * Target of a redirect, as an answer; undefined when it is none or leads to no web address. @param asked URL of the
 * request.
 */
export function findRedirect(answer: Answer, asked: string): ParsedAnswer | undefined {
  const { status, headers } = answer;
  const { location } = headers;
  if (!REDIRECTS.has(status) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, asked);
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:') return undefined;
  const value: RedirectTarget = { url: target.href, status };
  return { kind: 'done', value, head: toHead(status, headers) };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Content of a 2xx answer, or the error of another. */
export type ParsedAnswer =
  | { readonly kind: 'done'; readonly value: unknown; readonly head: AnswerHead }
  | { readonly kind: 'failed'; readonly error: UpstreamError };

/** Error when no answer could be read. @param isSent true once the request was on the wire. */
export function toExchangeError(
  operation: string,
  cause: unknown,
  { scope, isSent }: { scope: Pick<CallScope, 'ended'>; isSent: boolean },
): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const outcome = isSent ? 'unknown' : 'not-sent';
  const later = { operation, cause, outcome, retry: 'later' } as const;
  if (cause instanceof ResponseTooLarge) {
    const { status, message } = cause;
    return new UpstreamError('response-too-large', { ...later, status, detail: message });
  }
  if (cause instanceof UndecodableBody) {
    const { status, message } = cause;
    return new UpstreamError('unreadable', { ...later, status, detail: message });
  }
  if (cause instanceof BodyFailed) {
    return new UpstreamError('connection', { ...later, detail: cause.message });
  }
  switch (scope.ended()) {
    case 'caller':
      return new UpstreamError('aborted', { ...later, detail: 'given up by the caller' });
    case 'deadline':
      return new UpstreamError('timeout', { ...later, detail: "the call's time is over" });
    default:
      return toNetworkError(later, cause);
  }
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
