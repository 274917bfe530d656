import type { FormData } from 'undici';
import { toHead } from './answer-body.ts';
import { type Answered, readAnswer } from './answers.ts';
import type { Budget, Turn } from './budget.ts';
import { type Clock, readSteady } from './clock.ts';
import { notSent, UpstreamError, type UpstreamErrorCode } from './errors.ts';
import {
  type Answerer,
  exchange,
  type RequestContext,
  type RequestDispatcher,
  type WireRequest,
} from './exchange.ts';
import { type Ended, isUnreadableFile, toExchangeError } from './failures.ts';
import type { Gates, PassageResult } from './gates.ts';
import { type Bearer, checkHeaders } from './headers.ts';
import { findAheadMs, planRepeatMs } from './retry.ts';
import type { CallOptions, Timeouts, TransportHooks, WritesRefused } from './transport-options.ts';
import type { CallClass } from './waiting-room.ts';

/** What all calls of one transport share. */
export interface CallDeps {
  readonly origin: string;
  readonly dispatcher: RequestDispatcher | Answerer;
  /** Replaced when another token is presented. */
  bearer: Bearer;
  /** Time by the clock of the service, as its last answer showed it, less the steady time; in milliseconds. */
  leadMs: number;
  /** `message`: the service's words stand in the messages of errors. */
  readonly wordsIn: 'message' | undefined;
  readonly timeouts: Timeouts;
  readonly responseBytesMax: number;
  readonly attemptsMax: number;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly hooks: TransportHooks;
  readonly budget: Budget;
  readonly gates: Gates;
  /** Exchanges under way. */
  readonly running: Set<Promise<unknown>>;
}

/** A call with checked arguments. */
export interface CallRequest extends RequestContext {
  /** Path with query, without the base URL. */
  readonly path: string;
  readonly body: string | FormData | undefined;
  readonly options: CallOptions;
}

/** Runs a call to its end: its turn, its attempts, the waits between them. @throws UpstreamError */
export function runCall(deps: CallDeps, request: CallRequest): Promise<unknown> {
  return new Call(deps, request).run();
}

const REFUSAL_WORDS: Readonly<Record<WritesRefused, string>> = {
  'observe-mode': 'nothing is changed in the service while only observing',
  'writes-paused': 'nothing is changed in the service until an operator resumes',
};

class Call {
  readonly #deps: CallDeps;
  readonly #request: CallRequest;
  readonly #id: string;
  readonly #callClass: CallClass;
  /** Ends the call when its time is over or its caller gives up. */
  readonly #ending = new AbortController();
  #ended: Ended;
  /** In the steady time; the end itself is a timer in real time, as the network is. */
  #endMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: CallDeps, request: CallRequest) {
    this.#deps = deps;
    this.#request = request;
    this.#id = request.operation.id;
    this.#callClass = request.options.class ?? 'pass';
  }

  async run(): Promise<unknown> {
    this.#assertWritable();
    this.#deps.gates.assertOpen(this.#id);
    const { timeoutMs, signal, again = false } = this.#request.options;
    const giveUp = () => this.#end('caller');
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    try {
      if (timeoutMs !== undefined) this.#startTime(timeoutMs);
      const turn = await this.#takeTurn(again);
      if (timeoutMs === undefined) this.#startTime(this.#deps.timeouts.callMs);
      return await this.#runAttempts(turn);
    } finally {
      clearTimeout(this.#timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async #runAttempts(first: Turn): Promise<unknown> {
    const { options, operation } = this.#request;
    let turn = first;
    // An attempt that may have had an effect outweighs a later one that did not leave or was deferred.
    let doubt: UpstreamError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(turn, attempt);
      if (!(answer instanceof UpstreamError)) return this.#finish(answer);
      // A repeated removal finds nothing any more when the lost answer was one to a success.
      const isGone = doubt && operation.method === 'DELETE' && answer.code === 'not-found';
      if (isGone) return this.#finish({ value: undefined, head: toHead(404, answer.headers) });
      options.afterSend?.(answer);
      if (answer.outcome === 'unknown') doubt = answer;
      const next = await this.#findNextTurn(answer, attempt);
      if (next === undefined) throw answer.retry === 'later' ? (doubt ?? answer) : answer;
      turn = next;
    }
  }

  #finish({ value, head }: Answered): unknown {
    const { afterSend, onAnswer } = this.#request.options;
    afterSend?.(undefined);
    onAnswer?.(head);
    return value;
  }

  /** Makes one attempt. The turn ends with it, whatever the result. */
  async #attempt(turn: Turn, attempt: number): Promise<Answered | UpstreamError> {
    let result: PassageResult = { kind: 'not-tried' };
    try {
      const passage = this.#deps.gates.enter(this.#id, this.#request.options.key);
      try {
        await this.#announce(attempt);
        this.#assertWritable(); // Again: the call may have waited long for its turn.
        this.#assertInTime();
        const sent = await this.#send(turn, attempt);
        result = sent.result;
        return sent.answer;
      } finally {
        passage.record(result);
      }
    } catch (error) {
      if (error instanceof UpstreamError) return error;
      throw error;
    } finally {
      turn.end();
    }
  }

  /** Asks the caller and the hook a last time, then lets the hook record the call. @throws UpstreamError `stopped` */
  async #announce(attempt: number): Promise<void> {
    const { operation, args, options } = this.#request;
    const sending = { operation, args, attempt, callClass: this.#callClass, key: options.key };
    try {
      // The hook comes last, so that a call that it sees leaves unless the hook throws.
      await options.beforeSend?.(sending);
      if (operation.method !== 'GET') await this.#deps.hooks.beforeSend?.(sending);
    } catch (cause) {
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      throw this.#notSent('stopped', `stopped before it was sent${why}`, cause);
    }
  }

  /** @throws UpstreamError `observe-mode` or `writes-paused` when the call would change something and that is refused now */
  #assertWritable(): void {
    if (this.#request.operation.method === 'GET') return;
    const refused = this.#deps.hooks.writesRefused?.();
    if (refused !== undefined) throw this.#notSent(refused, REFUSAL_WORDS[refused]);
  }

  #assertInTime(): void {
    if (this.#ended === undefined) return;
    const code = this.#ended === 'caller' ? 'aborted' : 'timeout';
    throw this.#notSent(code, 'its time was over before it was sent', this.#ending.signal.reason);
  }

  #notSent(code: UpstreamErrorCode, detail: string, cause?: unknown): UpstreamError {
    return notSent(code, this.#id, detail, { cause });
  }

  /** Sends the request, reads its answer, and reports both with what they say about the service. */
  async #send(turn: Turn, attempt: number) {
    const { hooks, running } = this.#deps;
    const startedMs = performance.now();
    const name = { operation: this.#id, attempt };
    const request = this.#toWireRequest();
    const begun = hooks.onBegin?.(name, request);
    const headers = { ...request.headers, ...begun?.headers };
    const exchanged = this.#exchange(turn, { ...request, headers });
    running.add(exchanged);
    const answer = await exchanged;
    running.delete(exchanged);
    const durationMs = performance.now() - startedMs;
    const result = this.#toResult(answer, durationMs);
    const head = answer instanceof UpstreamError ? answer : answer.head;
    const report = {
      ...name,
      status: head.status,
      code: answer instanceof UpstreamError ? answer.code : undefined,
      durationMs,
      requestId: head.requestId,
      headers: head.headers,
      isAbandoned: result.kind === 'not-tried',
    };
    hooks.onAttempt?.(report);
    begun?.ended(report);
    return { answer, result };
  }

  async #exchange(turn: Turn, request: WireRequest): Promise<Answered | UpstreamError> {
    const { dispatcher, timeouts, responseBytesMax, clock, hooks, budget } = this.#deps;
    const { bearer, wordsIn } = this.#deps;
    const { operation, args, options } = this.#request;
    const { skipAnswerAboveBytes, timeoutMs = 0 } = options;
    let sentAtMs: number | undefined;
    const answer = await exchange(dispatcher, request, {
      context: { operation, args },
      // A longer limit of a call gives its attempts more time too.
      headersMs: Math.max(timeouts.headersMs, timeoutMs),
      bodyMs: Math.max(timeouts.bodyMs, timeoutMs),
      responseBytesMax,
      skipAnswerAboveBytes,
      signal: this.#ending.signal,
      refuse: () =>
        hooks.mayLeave?.() === false
          ? this.#notSent('timeout', 'it came too late to be sent')
          : undefined,
      // Not earlier: making a connection takes time, after which earlier requests would seem to have left long ago.
      onSent: () => {
        sentAtMs = readSteady(clock);
        turn.sent();
      },
    }).catch((cause: unknown) => {
      const isSent = sentAtMs !== undefined;
      return toExchangeError(this.#id, cause, { ended: this.#ended, isSent });
    });
    if (answer instanceof UpstreamError) return answer;
    const [nowMs, steadyMs] = [clock.now(), readSteady(clock)];
    const sentMs = sentAtMs ?? steadyMs;
    const theirMs = nowMs + findAheadMs(answer.headers, nowMs, steadyMs - sentMs);
    this.#deps.leadMs = theirMs - steadyMs;
    const pauseMs = budget.noteAnswer(answer, sentMs);
    const target = { operation, url: request.origin + request.path };
    return readAnswer(target, answer, { token: bearer.token, nowMs, pauseMs, wordsIn });
  }

  #toWireRequest(): WireRequest {
    const { origin, bearer } = this.#deps;
    const { operation, path, body, options } = this.#request;
    const headers = {
      ...bearer.headers,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      // A content is handed on as it is, which is not decompressed.
      ...(operation.response.kind === 'stream' && { accept: '*/*', 'accept-encoding': 'identity' }),
      ...checkHeaders(options.headers),
    };
    return { origin, path, method: operation.method, headers, body };
  }

  /**
   * What an attempt says about the service. A fault of the caller says nothing: giving up, giving too little time,
   * sending an unreadable body.
   */
  #toResult(answer: Answered | UpstreamError, durationMs: number): PassageResult {
    if (!(answer instanceof UpstreamError)) return { kind: 'answer', status: answer.head.status };
    const { code, status, outcome, cause } = answer;
    if (status !== undefined) return { kind: code === 'redirected' ? code : 'answer', status };
    const { headersMs, callMs } = this.#deps.timeouts;
    const isShort = this.#ended === 'deadline' && durationMs < Math.min(headersMs, callMs) / 2;
    const isLapsed = this.#ended === undefined && code === 'timeout' && outcome === 'not-sent';
    const isOurs = code === 'aborted' || code === 'closed' || isUnreadableFile(cause);
    return { kind: isOurs || isShort || isLapsed ? 'not-tried' : 'no-answer' };
  }

  /** The turn of the next attempt after the wait before it, or undefined when there is none. */
  async #findNextTurn(error: UpstreamError, attempt: number): Promise<Turn | undefined> {
    const { clock, random, attemptsMax } = this.#deps;
    const { options, operation } = this.#request;
    const delayMs = planRepeatMs({
      error,
      attempt,
      attemptsMax: options.attemptsMax ?? attemptsMax,
      repeat: options.repeat ?? operation.repeat,
      remainingMs: this.#ended === undefined ? this.#endMs - readSteady(clock) : 0,
      random: random(),
    });
    if (delayMs === undefined) return undefined;
    try {
      if (delayMs > 0) await clock.sleep(delayMs, this.#ending.signal);
      return await this.#takeTurn(true);
    } catch {
      // The time was over, or the client was closed: the error of the attempt says more than that.
      return undefined;
    }
  }

  async #takeTurn(again: boolean): Promise<Turn> {
    const { budget, clock, hooks } = this.#deps;
    const callClass = this.#callClass;
    const askedAtMs = readSteady(clock);
    const { signal } = this.#ending;
    const { key } = this.#request.options;
    try {
      const turn = await budget.take({ operation: this.#id, callClass, key, signal, again });
      hooks.onTurn?.({ callClass, waitedMs: readSteady(clock) - askedAtMs });
      return turn;
    } catch (cause) {
      if (this.#ended !== 'deadline') throw cause;
      throw this.#notSent('timeout', 'its time was over before its turn came', cause);
    }
  }

  #startTime(limitMs: number): void {
    this.#endMs = readSteady(this.#deps.clock) + limitMs;
    this.#timer = setTimeout(() => this.#end('deadline'), limitMs);
  }

  #end(by: 'deadline' | 'caller'): void {
    this.#ended ??= by;
    this.#ending.abort(by === 'caller' ? this.#request.options.signal?.reason : undefined);
  }
}
