import { type AnswerHead, acceptedEncodings, readAnswerBody, toHead } from './answer-body.ts';
import { type Clock, readSteady } from './clock.ts';
import { UpstreamError } from './errors.ts';
import { type Answer, exchange, type StreamLimits, type WireRequest } from './exchange.ts';
import { isUnreadableFile, toAnswerError, toExchangeError } from './failures.ts';
import type { PassageResult } from './gates.ts';
import type { RedirectTarget } from './operations/call-types.ts';
import { type Attempt, type CallScope, type OutgoingCall, toNotSent } from './outgoing-call.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';
import type { AttemptReport, Timeouts, TransportHooks } from './transport-options.ts';

/** Token of the service, which may be renewed while calls go on. */
export interface Bearer {
  readonly token: string;
  /** Names and values of the headers of every request in turn. */
  readonly headers: readonly string[];
  /** Presents another token from the next request on. @throws TypeError for a token that no header can carry */
  renew(token: string): void;
}

/** Dependencies of `send`. */
export interface SendDeps {
  readonly dispatcher: RequestDispatcher;
  readonly origin: string;
  readonly bearer: Pick<Bearer, 'token' | 'headers'>;
  /** `message`: the service's words stand in the messages of errors. */
  readonly wordsIn: 'message' | undefined;
  readonly timeouts: Timeouts;
  readonly responseBytesMax: number;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly hooks: TransportHooks;
  /** Exchanges under way. */
  readonly running: Set<Promise<unknown>>;
}

/** Result of a request: the parsed answer, or the error; and what it says about the service. */
export type Sent = ParsedAnswer & { readonly result: PassageResult };

/** A parsed answer. */
export type Done = Extract<Sent, { kind: 'done' }>;

/** Sends one request and reads its answer. Never throws. */
export async function send(deps: SendDeps, attempt: Attempt): Promise<Sent> {
  const startedMs = performance.now();
  const name = { operation: attempt.call.operation.id, attempt: attempt.number };
  const begun = deps.hooks.onBegin?.(name);
  const request = toWireRequest(deps, attempt, begun?.headers ?? []);
  deps.hooks.onSend?.(name, request);
  const running = exchangeOnce(deps, attempt, request);
  deps.running.add(running);
  const sent = await running;
  deps.running.delete(running);
  if (deps.hooks.onAttempt === undefined && begun === undefined) return sent;
  const report = toReport(attempt, sent, startedMs);
  deps.hooks.onAttempt?.(report, request);
  begun?.ended(report);
  return sent;
}

async function exchangeOnce(deps: SendDeps, attempt: Attempt, request: WireRequest): Promise<Sent> {
  const { call, scope, turn } = attempt;
  const { timeouts, responseBytesMax } = deps;
  const { skipAnswerAboveBytes, withinMs = 0 } = call.options;
  const startedMs = performance.now();
  let sentAtMs: number | undefined;
  const limits = {
    // A longer limit of a call gives its attempts more time too.
    headersMs: Math.max(timeouts.headersMs, withinMs),
    bodyMs: Math.max(timeouts.bodyMs, withinMs),
    ...{ responseBytesMax, skipAnswerAboveBytes, signal: scope.signal },
    stream: call.operation.response.kind === 'stream' ? toStreamLimits(call) : undefined,
    refuse: () => (deps.hooks.mayLeave?.() === false ? toLate(call) : undefined),
    // Not earlier: making a connection takes time, after which earlier requests would seem to have left long ago.
    onSent: () => {
      sentAtMs = readSteady(deps.clock);
      turn.sent();
    },
  };
  let answer: Answer;
  try {
    answer = await exchange(deps.dispatcher, request, limits);
  } catch (cause) {
    const isSent = sentAtMs !== undefined;
    const error = toExchangeError(call.operation.id, cause, { scope, isSent });
    const waitedMs = performance.now() - startedMs;
    return { kind: 'failed', error, result: classifyLost(error, deps, { scope, waitedMs }) };
  }
  const noted = { answer, sentAtMs: sentAtMs ?? readSteady(deps.clock) };
  const read = readAnswer(deps, attempt, noted);
  const isElsewhere = read.kind === 'failed' && read.error.code === 'redirected';
  const kind = isElsewhere ? 'redirected' : 'answer';
  return { ...read, result: { kind, status: answer.status } };
}

function toStreamLimits({ operation, options: { signal } }: OutgoingCall): StreamLimits {
  const toError = (cause: unknown) => {
    const ended = signal?.aborted ? 'caller' : undefined;
    return toExchangeError(operation.id, cause, { scope: { ended }, isSent: true });
  };
  return { signal, toError };
}

/** A request that took so long to get ready that it may not leave any more. */
function toLate(call: OutgoingCall): UpstreamError {
  return toNotSent('timeout', call, { detail: 'it came too late to be sent' });
}

function toWireRequest(
  { origin, bearer }: SendDeps,
  { call }: Attempt,
  added: readonly string[],
): WireRequest {
  const { path, body } = call.request;
  const { method, response } = call.operation;
  const own = [
    ...bearer.headers,
    ...(typeof body === 'string' ? ['content-type', 'application/json'] : []),
  ];
  const base = response.kind === 'stream' ? toStreamHeaders(own) : own;
  const headers = [...addHeaders(base, call.options.headers), ...added];
  return { origin, path, method, headers, body };
}

/** Any content as it is: what is handed on piece by piece is not decompressed. */
function toStreamHeaders(headers: readonly string[]): string[] {
  return addHeaders(
    headers.map((value) => (value === acceptedEncodings ? 'identity' : value)),
    { accept: '*/*' },
  );
}

/** Headers that the client alone decides, because a call would break or lie with others. */
const OWN =
  /^(?:authorization|host|connection|transfer-encoding|accept-encoding|expect|te|upgrade|content-.*)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Adds the headers of one call to those of every call: names and values in turn.
 * @throws TypeError for a header that cannot be set or written; the value is never in it.
 */
export function addHeaders(
  pairs: readonly string[],
  added: Readonly<Record<string, string>> | undefined,
): string[] {
  if (added === undefined) return [...pairs];
  const given = Object.entries(added).map(([name, value]) => checkHeader(name, value));
  const replaced = new Set(given.map(([name]) => name));
  const kept = pairs.filter((_, n) => !replaced.has(pairs[n - (n % 2)] ?? ''));
  return [...kept, ...given.flat()];
}

function checkHeader(written: string, value: unknown): [name: string, value: string] {
  const name = written.toLowerCase();
  if (!NAME.test(name)) throw new TypeError('headers: a name is no name of a header');
  if (OWN.test(name)) throw new TypeError(`headers.${name} is set by the client`);
  if (typeof value !== 'string' || !VALUE.test(value)) {
    throw new TypeError(`headers.${name} must be text that a header can hold`);
  }
  return [name, value];
}

function readAnswer(
  { rateLimit, bearer, wordsIn, clock, origin }: SendDeps,
  { call }: Attempt,
  { answer, sentAtMs }: { answer: Answer; sentAtMs: number },
): ParsedAnswer {
  const { id, response } = call.operation;
  const pauseMs = rateLimit.note(answer, sentAtMs);
  if (answer.status >= 200 && answer.status < 300) {
    const isOpaque = response.kind === 'none' || response.kind === 'stream';
    if (isOpaque) return toOpaqueAnswer(answer);
    return parseAnswer(id, answer);
  }
  const asked = origin + call.request.path;
  const redirected = response.kind === 'redirect' ? findRedirect(answer, asked) : undefined;
  if (redirected) return redirected;
  const error = toAnswerError(id, answer, {
    ...{ token: bearer.token, nowMs: clock.now(), pauseMs, wordsIn },
  });
  return { kind: 'failed', error };
}

/** Parses a 2xx answer, undefined when it is empty; or the error `unreadable`: the work may be done then. */
export function parseAnswer(operation: string, answer: Answer): ParsedAnswer {
  const body = readAnswerBody(answer.text);
  const head = toHead(answer.status, answer.headers);
  if (body.kind === 'empty') return { kind: 'done', value: undefined, head };
  if (body.kind === 'json') return { kind: 'done', value: body.value, head };
  const error = new UpstreamError('unreadable', {
    operation,
    detail: `the answer is no JSON but ${body.kind}`,
    retry: 'later',
    outcome: 'unknown',
    ...head,
    body,
  });
  return { kind: 'failed', error };
}

/** A 2xx answer with a content that no JSON is: the stream that was asked for, or one that is ignored. */
function toOpaqueAnswer({ status, headers, content }: Answer): ParsedAnswer {
  return { kind: 'done', value: content, head: toHead(status, headers) };
}

/**
 * Target of a redirect, as an answer; undefined when it is none or leads to no web address. @param asked URL of the
 * request.
 */
function findRedirect(answer: Answer, asked: string): ParsedAnswer | undefined {
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

/**
 * A fault of the caller says nothing about the service: giving up, giving too little time, sending an unreadable
 * body.
 */
function classifyLost(
  { code, status, outcome, cause }: UpstreamError,
  { timeouts }: SendDeps,
  { scope, waitedMs }: { scope: CallScope; waitedMs: number },
): PassageResult {
  if (status !== undefined) return { kind: 'answer', status };
  const patienceMs = Math.min(timeouts.headersMs, timeouts.callMs) / 2;
  const isShort = scope.ended === 'deadline' && waitedMs < patienceMs;
  const isLapsed = scope.ended === undefined && code === 'timeout' && outcome === 'not-sent';
  const isOurs = code === 'aborted' || code === 'closed' || isUnreadableFile(cause);
  return isOurs || isShort || isLapsed ? { kind: 'not-tried' } : { kind: 'no-answer' };
}

function toReport({ call, number }: Attempt, sent: Sent, startedMs: number): AttemptReport {
  const { id, section } = call.operation;
  return {
    operation: id,
    section,
    callClass: call.callClass,
    attempt: number,
    status: 'status' in sent.result ? sent.result.status : undefined,
    code: sent.kind === 'failed' ? sent.error.code : undefined,
    durationMs: performance.now() - startedMs,
    requestId: sent.kind === 'failed' ? sent.error.requestId : sent.head.requestId,
    headers: sent.kind === 'failed' ? sent.error.headers : sent.head.headers,
    isAbandoned: sent.result.kind === 'not-tried',
  };
}
