import type { Dispatcher } from 'undici';
import type { Clock } from './clock.ts';
import type { ConnectFailures } from './dispatcher.ts';
import type { UpstreamError } from './errors.ts';
import { type Answer, exchange, type WireRequest } from './exchange.ts';
import { type ParsedAnswer, parseAnswer, toAnswerError, toExchangeError } from './failures.ts';
import type { PassageResult } from './gates.ts';
import type { Attempt } from './outgoing-call.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Timeouts, TransportHooks } from './transport-options.ts';

/** What is needed to put a request on the wire. */
export interface SendDeps {
  readonly dispatcher: Dispatcher;
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
  const sent = await exchangeOnce(deps, attempt, sentAtMs);
  if (deps.hooks.onAttempt) report(deps.hooks, attempt, { sent, startedMs });
  return sent;
}

async function exchangeOnce(deps: SendDeps, attempt: Attempt, sentAtMs: number): Promise<Sent> {
  const { connects, responseBytesMax, timeouts } = deps;
  const { scope, call } = attempt;
  const { headersMs, bodyMs } = timeouts;
  const { skipAnswerAboveBytes } = call.options;
  const limits = {
    headersMs,
    bodyMs,
    responseBytesMax,
    skipAnswerAboveBytes,
    signal: scope.signal,
  };
  let answer: Answer;
  try {
    answer = await exchange(deps.dispatcher, toWireRequest(deps, attempt), limits);
  } catch (cause) {
    const error = toExchangeError(call.operation.id, cause, { scope, connects });
    return { kind: 'failed', error, result: judgeLost(error) };
  }
  return { ...readAnswer(deps, attempt, { answer, sentAtMs }), result: toResult(answer.status) };
}

function toWireRequest({ origin, headers }: SendDeps, { call }: Attempt): WireRequest {
  const { path, body } = call.request;
  const method = call.operation.method;
  return { origin, path, method, body, headers: body === undefined ? headers.bare : headers.json };
}

function readAnswer(
  { rateLimit, token, clock }: SendDeps,
  { call }: Attempt,
  { answer, sentAtMs }: { answer: Answer; sentAtMs: number },
): ParsedAnswer {
  const { id } = call.operation;
  const pauseMs = rateLimit.note(answer, sentAtMs);
  if (answer.status >= 200 && answer.status < 300) return parseAnswer(id, answer);
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
  { sent, startedMs }: { sent: Sent; startedMs: number },
): void {
  const { id, section } = call.operation;
  onAttempt?.({
    operation: id,
    section,
    callClass: call.callClass,
    attempt: number,
    status: sent.result.kind === 'answer' ? sent.result.status : undefined,
    code: sent.kind === 'failed' ? sent.error.code : undefined,
    durationMs: performance.now() - startedMs,
    requestId: sent.kind === 'failed' ? sent.error.requestId : sent.requestId,
  });
}
