import { type AnswerHead, toHead } from './answer-body.ts';
import type { Budget, Turn } from './budget.ts';
import { readSteady } from './clock.ts';
import { UpstreamError } from './errors.ts';
import type { Gates, PassageResult } from './gates.ts';
import {
  type Attempt,
  type CallScope,
  type OutgoingCall,
  openCallScope,
  toNotSent,
} from './outgoing-call.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';
import { planRepeatMs } from './retry.ts';
import { type Bearer, type Done, type SendDeps, send } from './send.ts';
import type { TransportHooks, WritesRefused } from './transport-options.ts';

/** Dependencies of `runCall`. */
export interface CallDeps extends AttemptDeps {
  readonly budget: Budget;
  readonly bearer: Bearer;
  /** A sender to any host, made when it is needed first. */
  readonly elsewhere: () => RequestDispatcher;
  /** Waits for exchanges under way, then closes the connections of our own. */
  readonly disconnect: () => Promise<void>;
  readonly attemptsMax: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Runs a call to its end: its turn, its attempts, the waits between them. @throws UpstreamError */
export async function runCall(deps: CallDeps, call: OutgoingCall): Promise<unknown> {
  assertWritable(deps, call);
  deps.gates.assertOpen(call.operation.id);
  const { withinMs, signal, again = false, timeoutMs = deps.timeouts.callMs } = call.options;
  if (withinMs !== undefined) return await runWithin(deps, call, withinMs);
  const turn = await takeTurn(deps, call, { signal, again });
  const scope = openCallScope(deps.clock, timeoutMs, signal);
  try {
    return await runAttempts(deps, call, { scope, turn });
  } finally {
    scope.close();
  }
}

async function runWithin(deps: CallDeps, call: OutgoingCall, withinMs: number): Promise<unknown> {
  const { signal, again = false } = call.options;
  const scope = openCallScope(deps.clock, withinMs, signal);
  try {
    const turn = await takeTurnInTime(deps, call, { scope, again });
    return await runAttempts(deps, call, { scope, turn });
  } finally {
    scope.close();
  }
}

async function takeTurnInTime(
  deps: CallDeps,
  call: OutgoingCall,
  { scope, again }: { scope: CallScope; again: boolean },
): Promise<Turn> {
  try {
    return await takeTurn(deps, call, { signal: scope.signal, again });
  } catch (cause) {
    if (scope.ended !== 'deadline') throw cause;
    throw toNotSent('timeout', call, { detail: 'its time was over before its turn came', cause });
  }
}

async function runAttempts(
  deps: CallDeps,
  call: OutgoingCall,
  { scope, turn }: { scope: CallScope; turn: Turn },
): Promise<unknown> {
  let doubt: UpstreamError | undefined;
  for (let number = 1; ; number += 1) {
    try {
      const { value, head } = await runAttempt(deps, { call, scope, turn, number });
      return finish(call, value, head);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (isGone(call, error, doubt)) return finish(call, undefined, toHead(404, error.headers));
      call.options.afterSend?.(error);
      if (error.outcome === 'unknown') doubt = error;
      const next = await findNextTurn(deps, call, { error, scope, attempt: number });
      if (!next) throw toFinalError(error, doubt);
      turn = next;
    }
  }
}

function finish({ options }: OutgoingCall, value: unknown, head: AnswerHead): unknown {
  options.afterSend?.(undefined);
  options.onAnswer?.(head);
  return value;
}

/** A repeated removal finds nothing any more when the lost answer was one to a success. */
function isGone(
  { operation }: OutgoingCall,
  { code }: UpstreamError,
  doubt: UpstreamError | undefined,
): boolean {
  return doubt !== undefined && operation.method === 'DELETE' && code === 'not-found';
}

/** The turn of the next attempt after the wait before it, or undefined when there is none. */
async function findNextTurn(
  deps: CallDeps,
  call: OutgoingCall,
  { error, scope, attempt }: { error: UpstreamError; scope: CallScope; attempt: number },
): Promise<Turn | undefined> {
  const { random, clock } = deps;
  const { attemptsMax = deps.attemptsMax, repeat = call.operation.repeat } = call.options;
  const remainingMs = scope.ended === undefined ? scope.remainingMs() : 0;
  const plan = { error, attempt, attemptsMax, repeat, remainingMs, random: random() };
  const delayMs = planRepeatMs(plan);
  if (delayMs === undefined) return undefined;
  try {
    if (delayMs > 0) await clock.sleep(delayMs, scope.signal);
    return await takeTurn(deps, call, { signal: scope.signal, again: true });
  } catch {
    // The time was over, or the client was closed: the error of the attempt says more than that.
    return undefined;
  }
}

async function takeTurn(
  { budget, clock, hooks }: CallDeps,
  { operation, callClass, options }: OutgoingCall,
  { signal, again }: { signal: AbortSignal | undefined; again: boolean },
): Promise<Turn> {
  const askedAtMs = readSteady(clock);
  const turn = await budget.take({
    operation: operation.id,
    callClass,
    key: options.key,
    signal,
    again,
  });
  hooks.onTurn?.({ callClass, waitedMs: readSteady(clock) - askedAtMs });
  return turn;
}

/** An earlier attempt that may have had an effect outweighs a later one that did not leave or was deferred. */
function toFinalError(error: UpstreamError, doubt: UpstreamError | undefined): UpstreamError {
  return error.retry === 'later' ? (doubt ?? error) : error;
}

/** Dependencies of `runAttempt`. */
export interface AttemptDeps extends SendDeps {
  readonly gates: Gates;
}

/**
 * Sends the call once and returns its answer. The turn ends with it, whatever the result.
 * @throws UpstreamError
 */
async function runAttempt(deps: AttemptDeps, attempt: Attempt): Promise<Done> {
  const { call, scope, turn } = attempt;
  try {
    const passage = deps.gates.enter(call.operation.id, call.options.key);
    let result: PassageResult = { kind: 'not-tried' };
    try {
      const hook = call.operation.method === 'GET' ? undefined : deps.hooks.beforeSend;
      if (call.options.beforeSend || hook) await announce(attempt, hook);
      assertWritable(deps, call); // Again: the call may have waited long for its turn.
      if (scope.ended !== undefined) throw toUnwanted(attempt);
      const sent = await send(deps, attempt);
      result = sent.result;
      if (sent.kind === 'failed') throw sent.error;
      return sent;
    } finally {
      passage.record(result);
    }
  } finally {
    turn.end();
  }
}

const REFUSAL_WORDS: Readonly<Record<WritesRefused, string>> = {
  'observe-mode': 'nothing is changed in the service while only observing',
  'writes-paused': 'nothing is changed in the service until an operator resumes',
};

/** @throws UpstreamError `observe-mode` or `writes-paused` when the call would change something and that is refused now. */
function assertWritable({ hooks }: SendDeps, call: Pick<OutgoingCall, 'operation'>): void {
  if (call.operation.method === 'GET') return;
  const refused = hooks.writesRefused?.();
  if (refused !== undefined) throw toNotSent(refused, call, { detail: REFUSAL_WORDS[refused] });
}

/** Asks the caller and the hook a last time, then lets the hook record the call. @throws UpstreamError `stopped` */
async function announce(
  { call, number }: Attempt,
  hook: TransportHooks['beforeSend'],
): Promise<void> {
  const { operation, args, callClass, options } = call;
  const sending = { operation, args, attempt: number, callClass, key: options.key };
  try {
    // The hook last: every call that it is told of leaves, unless the hook objects.
    await options.beforeSend?.(sending);
    await hook?.(sending);
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw toNotSent('stopped', call, { detail: `stopped before it was sent${why}`, cause });
  }
}

/** Error of a call that nobody wants any more when it could leave. */
function toUnwanted({ call, scope }: Attempt): UpstreamError {
  const code = scope.ended === 'caller' ? 'aborted' : 'timeout';
  const cause: unknown = scope.signal.reason;
  return toNotSent(code, call, { detail: 'its time was over before it was sent', cause });
}
