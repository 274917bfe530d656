import { type AnswerHead, acceptedEncodings, readAnswerBody, toHead } from './answer-body.ts';
import type { Turn } from './budget.ts';
import { readSteady } from './clock.ts';
import { UpstreamError } from './errors.ts';
import { type Answer, exchange, type StreamLimits, type WireRequest } from './exchange.ts';
import { isUnreadableFile, toAnswerError, toExchangeError } from './failures.ts';
import type { PassageResult } from './gates.ts';
import type { RedirectTarget } from './operations/call-types.ts';
import {
  assertWritable,
  type Call,
  type CallDeps,
  type CallTime,
  toClass,
  toNotSent,
} from './outgoing-call.ts';
import type { TransportHooks } from './transport-options.ts';

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
  try {
    const passage = deps.gates.enter(call.operation.id, call.options.key);
    let result: PassageResult = { kind: 'not-tried' };
    try {
      const hook = call.operation.method === 'GET' ? undefined : deps.hooks.beforeSend;
      if (call.options.beforeSend || hook) await announce(attempt, hook);
      assertWritable(deps, call); // Again: the call may have waited long for its turn.
      if (time.ended !== undefined) throw toUnwanted(attempt);
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
async function announce(
  { call, number }: Attempt,
  hook: TransportHooks['beforeSend'],
): Promise<void> {
  const { operation, args, options } = call;
  const callClass = toClass(call);
  const sending = { operation, args, attempt: number, callClass, key: options.key };
  try {
    // The hook last: every call that it sees leaves, unless the hook objects.
    await options.beforeSend?.(sending);
    await hook?.(sending);
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw toNotSent('stopped', call, { detail: `stopped before it was sent${why}`, cause });
  }
}

/** Error of a call that nobody wants any more when it could leave. */
function toUnwanted({ call, time }: Attempt): UpstreamError {
  const code = time.ended === 'caller' ? 'aborted' : 'timeout';
  const cause: unknown = time.signal.reason;
  return toNotSent(code, call, { detail: 'its time was over before it was sent', cause });
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
  const request = toWireRequest(deps, call, begun?.headers ?? []);
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
  const { skipAnswerAboveBytes, withinMs = 0 } = call.options;
  let sentAtMs: number | undefined;
  const limits = {
    // A longer limit of a call gives its attempts more time too.
    headersMs: Math.max(timeouts.headersMs, withinMs),
    bodyMs: Math.max(timeouts.bodyMs, withinMs),
    responseBytesMax,
    skipAnswerAboveBytes,
    signal: time.signal,
    stream: call.operation.response.kind === 'stream' ? toStreamLimits(call) : undefined,
    refuse: () => (hooks.mayLeave?.() === false ? toLate(call) : undefined),
    // Not earlier: making a connection takes time, after which earlier requests would seem to have left long ago.
    onSent: () => {
      sentAtMs = readSteady(clock);
      turn.sent();
    },
  };
  const answer = await exchange(deps.dispatcher, request, limits).catch((cause: unknown) => {
    const isSent = sentAtMs !== undefined;
    return toExchangeError(call.operation.id, cause, { ended: time.ended, isSent });
  });
  if (answer instanceof UpstreamError) return answer;
  const pauseMs = deps.rateLimit.note(answer, sentAtMs ?? readSteady(clock));
  return readAnswer(deps, call, { answer, pauseMs });
}

function toStreamLimits({ operation, options: { signal } }: Call): StreamLimits {
  const toError = (cause: unknown) => {
    const ended = signal?.aborted ? 'caller' : undefined;
    return toExchangeError(operation.id, cause, { ended, isSent: true });
  };
  return { signal, toError };
}

/** A request that took so long to get ready that it may not leave any more. */
function toLate(call: Call): UpstreamError {
  return toNotSent('timeout', call, { detail: 'it came too late to be sent' });
}

function toWireRequest(
  { origin, bearer }: CallDeps,
  { operation: { method, response }, path, body, options }: Call,
  added: readonly string[],
): WireRequest {
  const type = typeof body === 'string' ? ['content-type', 'application/json'] : [];
  const own = [...bearer.headers, ...type];
  const base = response.kind === 'stream' ? toStreamHeaders(own) : own;
  return { origin, path, method, headers: [...addHeaders(base, options.headers), ...added], body };
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
  return new UpstreamError('unreadable', {
    operation,
    detail: `the answer is no JSON but ${body.kind}`,
    retry: 'later',
    outcome: 'unknown',
    ...head,
    body,
  });
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
