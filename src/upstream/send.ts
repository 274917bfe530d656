import type { Clock } from './clock.ts';
import type { ConnectFailures } from './dispatcher.ts';
import type { UpstreamError } from './errors.ts';
import { type Answer, exchange, type WireRequest } from './exchange.ts';
import {
  findRedirect,
  type ParsedAnswer,
  parseAnswer,
  toAnswerError,
  toEmptyAnswer,
  toExchangeError,
} from './failures.ts';
import type { FormBody } from './form-body.ts';
import type { PassageResult } from './gates.ts';
import type { Attempt } from './outgoing-call.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';
import type { Timeouts, TransportHooks } from './transport-options.ts';

/** What is needed to put a request on the wire. */
export interface SendDeps {
  readonly dispatcher: RequestDispatcher;
  readonly connects: ConnectFailures;
  readonly origin: string;
  readonly token: string;
  /** Names and values in turn, for requests without and with a body. */
  readonly headers: { readonly bare: string[]; readonly json: string[] };
  readonly timeouts: Timeouts;
  readonly responseBytesMax: number;
  readonly rateLimit: RateLimit;
  readonly clock: Clock;
  readonly hooks: TransportHooks;
}

/** What became of a request: the parsed answer, or the error; and what that says about the service. */
export type Sent = ParsedAnswer & { readonly result: PassageResult };

/** Sends one request and reads its answer. Never throws. */
export async function send(deps: SendDeps, attempt: Attempt): Promise<Sent> {
  const sentAtMs = deps.clock.now();
  const startedMs = performance.now();
  attempt.turn.sent();
  const request = toWireRequest(deps, attempt);
  deps.hooks.onSend?.({ operation: attempt.call.operation.id, attempt: attempt.number }, request);
  const sent = await exchangeOnce(deps, attempt, { request, sentAtMs });
  if (deps.hooks.onAttempt) report(deps.hooks, attempt, { sent, startedMs, request });
  return sent;
}

async function exchangeOnce(
  deps: SendDeps,
  attempt: Attempt,
  { request, sentAtMs }: { request: WireRequest; sentAtMs: number },
): Promise<Sent> {
  const { connects, responseBytesMax, timeouts } = deps;
  const { scope, call } = attempt;
  const { skipAnswerAboveBytes, withinMs = 0 } = call.options;
  // Who gives a call more time than usual gives it to each of its attempts.
  const headersMs = Math.max(timeouts.headersMs, withinMs);
  const bodyMs = Math.max(timeouts.bodyMs, withinMs);
  const limits = {
    headersMs,
    bodyMs,
    responseBytesMax,
    skipAnswerAboveBytes,
    signal: scope.signal,
  };
  let answer: Answer;
  try {
    answer = await exchange(deps.dispatcher, request, limits);
  } catch (cause) {
    const error = toExchangeError(call.operation.id, cause, { scope, connects });
    return { kind: 'failed', error, result: judgeLost(error) };
  }
  return { ...readAnswer(deps, attempt, { answer, sentAtMs }), result: toResult(answer.status) };
}

function toWireRequest({ origin, headers }: SendDeps, { call }: Attempt): WireRequest {
  const { path, body } = call.request;
  const { method } = call.operation;
  if (typeof body === 'object') {
    const formHeaders = [...headers.bare, ...toFormHeaders(body)];
    return { origin, path, method, headers: formHeaders, body: body.open() };
  }
  return { origin, path, method, body, headers: body === undefined ? headers.bare : headers.json };
}

function toFormHeaders({ contentType, bytes }: FormBody): string[] {
  const type = ['content-type', contentType];
  return bytes === undefined ? type : [...type, 'content-length', String(bytes)];
}

function readAnswer(
  { rateLimit, token, clock, origin }: SendDeps,
  { call }: Attempt,
  { answer, sentAtMs }: { answer: Answer; sentAtMs: number },
): ParsedAnswer {
  const { id, response } = call.operation;
  const pauseMs = rateLimit.note(answer, sentAtMs);
  if (answer.status >= 200 && answer.status < 300) {
    return response.kind === 'none' ? toEmptyAnswer(answer) : parseAnswer(id, answer);
  }
  const asked = origin + call.request.path;
  const redirected = response.kind === 'redirect' ? findRedirect(answer, asked) : undefined;
  if (redirected) return redirected;
  const error = toAnswerError(id, answer, { token, nowMs: clock.now(), pauseMs });
  return { kind: 'failed', error };
}

function toResult(status: number): PassageResult {
  return { kind: 'answer', status };
}

/** A caller who gives up says nothing about the service. */
function judgeLost({ code, status }: UpstreamError): PassageResult {
  if (status !== undefined) return toResult(status);
  return code === 'aborted' ? { kind: 'not-tried' } : { kind: 'no-answer' };
}

function report(
  { onAttempt }: TransportHooks,
  { call, number }: Attempt,
  { sent, startedMs, request }: { sent: Sent; startedMs: number; request: WireRequest },
): void {
  const { id, section } = call.operation;
  const report = {
    operation: id,
    section,
    callClass: call.callClass,
    attempt: number,
    status: sent.result.kind === 'answer' ? sent.result.status : undefined,
    code: sent.kind === 'failed' ? sent.error.code : undefined,
    durationMs: performance.now() - startedMs,
    requestId: sent.kind === 'failed' ? sent.error.requestId : sent.requestId,
  };
  onAttempt?.(report, request);
}
