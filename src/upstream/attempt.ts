import { type AnswerHead, acceptedEncodings, readAnswerBody, toHead } from './answer-body.ts';
import type { Turn } from './budget.ts';
import { readSteady } from './clock.ts';
import { notSent, UpstreamError, unreadable } from './errors.ts';
import { type Answer, exchange, type WireRequest } from './exchange.ts';
import { isUnreadableFile, toAnswerError, toExchangeError } from './failures.ts';
import type { PassageResult } from './gates.ts';
import type { RedirectTarget } from './operations/call-types.ts';
import {
  assertWritable,
  type Call,
  type CallDeps,
  type CallTime,
  toClass,
} from './outgoing-call.ts';

/** One attempt of a call that has its turn. */
interface Attempt {
  readonly call: Call;
  readonly time: CallTime;
  readonly turn: Turn;
  /** 1 for the first. */
  readonly number: number;
}

/** A successful answer. */
export interface Answered {
  /** The parsed JSON, the stream that was asked for, or undefined for an empty answer. */
  readonly value: unknown;
  readonly head: AnswerHead;
}

/** Sends the call once and returns its answer. The turn ends with it, whatever the result. @throws UpstreamError */
export async function runAttempt(deps: CallDeps, attempt: Attempt): Promise<Answered> {
  const { call, time, turn } = attempt;
  let result: PassageResult = { kind: 'not-tried' };
  try {
    const passage = deps.gates.enter(call.operation.id, call.options.key);
    try {
      await announce(deps, attempt);
      assertWritable(deps, call); // Again: the call may have waited long for its turn.
      if (time.ended !== undefined) {
        const code = time.ended === 'caller' ? 'aborted' : 'timeout';
        const cause: unknown = time.signal.reason;
        throw notSent(code, call.operation.id, 'its time was over before it was sent', { cause });
      }
      const sent = await send(deps, attempt);
      result = sent.result;
      if (sent.answer instanceof UpstreamError) throw sent.answer;
      return sent.answer;
    } finally {
      passage.record(result);
    }
  } finally {
    turn.end();
  }
}

/** Asks the caller and the hook a last time, then lets the hook record the call. @throws UpstreamError `stopped` */
async function announce({ hooks }: CallDeps, { call, number: attempt }: Attempt): Promise<void> {
  const { operation, args, options } = call;
  const hook = operation.method === 'GET' ? undefined : hooks.beforeSend;
  if (options.beforeSend === undefined && hook === undefined) return;
  const sending = { operation, args, attempt, callClass: toClass(call), key: options.key };
  try {
    // The hook last: every call that it sees leaves, unless the hook objects.
    await options.beforeSend?.(sending);
    await hook?.(sending);
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw notSent('stopped', operation.id, `stopped before it was sent${why}`, { cause });
  }
}

/** Result of a request: the answer or the error, and what it says about the service. */
interface Sent {
  readonly answer: Answered | UpstreamError;
  readonly result: PassageResult;
}

/** Sends one request, reads its answer and reports both. Never throws. */
async function send(deps: CallDeps, attempt: Attempt): Promise<Sent> {
  const { call, number } = attempt;
  const { hooks, running } = deps;
  const startedMs = performance.now();
  const name = { operation: call.operation.id, attempt: number };
  const begun = hooks.onBegin?.(name);
  const request = toWireRequest(deps, call, begun?.headers);
  hooks.onSend?.(name, request);
  const exchanged = exchangeOnce(deps, attempt, request);
  running.add(exchanged);
  const answer = await exchanged;
  running.delete(exchanged);
  const durationMs = performance.now() - startedMs;
  const result = toResult(deps, attempt, { answer, durationMs });
  const { status, requestId, headers } = answer instanceof UpstreamError ? answer : answer.head;
  const report = {
    ...name,
    section: call.operation.section,
    callClass: toClass(call),
    status,
    code: answer instanceof UpstreamError ? answer.code : undefined,
    durationMs,
    requestId,
    headers,
    isAbandoned: result.kind === 'not-tried',
  };
  hooks.onAttempt?.(report, request);
  begun?.ended(report);
  return { answer, result };
}

async function exchangeOnce(
  deps: CallDeps,
  { call, time, turn }: Attempt,
  request: WireRequest,
): Promise<Answered | UpstreamError> {
  const { timeouts, responseBytesMax, clock, hooks } = deps;
  const { operation, options } = call;
  const { skipAnswerAboveBytes, withinMs = 0, signal } = options;
  const toLost = (cause: unknown) => {
    const ended = signal?.aborted ? 'caller' : undefined;
    return toExchangeError(operation.id, cause, { ended, isSent: true });
  };
  let sentAtMs: number | undefined;
  const limits = {
    // A longer limit of a call gives its attempts more time too.
    headersMs: Math.max(timeouts.headersMs, withinMs),
    bodyMs: Math.max(timeouts.bodyMs, withinMs),
    responseBytesMax,
    skipAnswerAboveBytes,
    signal: time.signal,
    stream: operation.response.kind === 'stream' ? { signal, toError: toLost } : undefined,
    refuse: () =>
      hooks.mayLeave?.() === false
        ? notSent('timeout', operation.id, 'it came too late to be sent')
        : undefined,
    // Not earlier: making a connection takes time, after which earlier requests would seem to have left long ago.
    onSent: () => {
      sentAtMs = readSteady(clock);
      turn.sent();
    },
  };
  const answer = await exchange(deps.dispatcher, request, limits).catch((cause: unknown) => {
    const isSent = sentAtMs !== undefined;
    return toExchangeError(operation.id, cause, { ended: time.ended, isSent });
  });
  if (answer instanceof UpstreamError) return answer;
  const pauseMs = deps.rateLimit.note(answer, sentAtMs ?? readSteady(clock));
  return readAnswer(deps, call, { answer, pauseMs });
}

function toWireRequest(
  { origin, bearer }: CallDeps,
  { operation: { method, response }, path, body, options }: Call,
  added: Readonly<Record<string, string>> = {},
): WireRequest {
  const headers = {
    ...bearer.headers,
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    // Any content as it is: what is handed on piece by piece is not decompressed.
    ...(response.kind === 'stream' && { accept: '*/*', 'accept-encoding': 'identity' }),
    ...checkHeaders(options.headers),
    ...added,
  };
  return { origin, path, method, headers, body };
}

/** Headers that the client alone decides, because a call would break or lie with others. */
const OWN =
  /^(?:authorization|host|connection|transfer-encoding|accept-encoding|expect|te|upgrade|content-.*)$/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers of one call, in lower case. @throws TypeError for one that cannot be set or written; the value is never in it. */
export function checkHeaders(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const checked = Object.entries(given).map(([written, value]: [string, unknown]) => {
    const name = written.toLowerCase();
    if (!NAME.test(name)) throw new TypeError('headers: a name is no name of a header');
    if (OWN.test(name)) throw new TypeError(`headers.${name} is set by the client`);
    if (typeof value !== 'string' || !VALUE.test(value)) {
      throw new TypeError(`headers.${name} must be text that a header can hold`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(checked);
}

/** Headers of every call. Bearer credentials as in RFC 6750 §2.1, checked here so that no later error ever quotes them. @throws TypeError */
export function createHeaders(token: string, userAgent: string): Record<string, string> {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('the token must be visible ASCII characters without spaces');
  }
  return {
    authorization: `Bearer ${token}`,
    accept: 'application/json',
    'accept-encoding': acceptedEncodings,
    'user-agent': userAgent,
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function readAnswer(
  { bearer, wordsIn, clock, origin }: CallDeps,
  { operation: { id, response }, path }: Call,
  { answer, pauseMs }: { answer: Answer; pauseMs: number | undefined },
): Answered | UpstreamError {
  const head = toHead(answer.status, answer.headers);
  if (answer.status >= 200 && answer.status < 300) {
    const isOpaque = response.kind === 'none' || response.kind === 'stream';
    return isOpaque ? { value: answer.content, head } : parseAnswer(id, answer);
  }
  const target = response.kind === 'redirect' ? findTarget(answer, origin + path) : undefined;
  if (target) return { value: target, head };
  const circumstances = { token: bearer.token, nowMs: clock.now(), pauseMs, wordsIn };
  return toAnswerError(id, answer, circumstances);
}

/** Parses a 2xx answer, undefined when it is empty; or the error `unreadable`: the work may be done then. */
export function parseAnswer(operation: string, answer: Answer): Answered | UpstreamError {
  const body = readAnswerBody(answer.text);
  const head = toHead(answer.status, answer.headers);
  if (body.kind === 'empty') return { value: undefined, head };
  if (body.kind === 'json') return { value: body.value, head };
  return unreadable(operation, `the answer is no JSON but ${body.kind}`, { ...head, body });
}

/** Target of a redirect; undefined when it is none or leads to no web address. @param asked URL of the request. */
function findTarget({ status, headers }: Answer, asked: string): RedirectTarget | undefined {
  const { location } = headers;
  if (!REDIRECTS.has(status) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, asked);
  const isWeb = target?.protocol === 'https:' || target?.protocol === 'http:';
  return isWeb ? { url: target.href, status } : undefined;
}

/**
 * What an attempt says about the service. A fault of the caller says nothing: giving up, giving too little time, sending an
 * unreadable body.
 */
function toResult(
  { timeouts }: CallDeps,
  { time }: Attempt,
  { answer, durationMs }: { answer: Answered | UpstreamError; durationMs: number },
): PassageResult {
  if (!(answer instanceof UpstreamError)) return { kind: 'answer', status: answer.head.status };
  const { code, status, outcome, cause } = answer;
  if (status !== undefined) return { kind: code === 'redirected' ? code : 'answer', status };
  const patienceMs = Math.min(timeouts.headersMs, timeouts.callMs) / 2;
  const isShort = time.ended === 'deadline' && durationMs < patienceMs;
  const isLapsed = time.ended === undefined && code === 'timeout' && outcome === 'not-sent';
  const isOurs = code === 'aborted' || code === 'closed' || isUnreadableFile(cause);
  return { kind: isOurs || isShort || isLapsed ? 'not-tried' : 'no-answer' };
}
