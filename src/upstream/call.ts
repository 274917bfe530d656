import { type AnswerHead, toHead } from './answer-body.ts';
import { runAttempt } from './attempt.ts';
import type { Turn } from './budget.ts';
import { readSteady } from './clock.ts';
import { notSent, UpstreamError } from './errors.ts';
import {
  assertWritable,
  type Call,
  type CallDeps,
  type CallTime,
  openCallTime,
  toClass,
} from './outgoing-call.ts';
import { planRepeatMs } from './retry.ts';

/** Runs a call to its end: its turn, its attempts, the waits between them. @throws UpstreamError */
export async function runCall(deps: CallDeps, call: Call): Promise<unknown> {
  assertWritable(deps, call);
  deps.gates.assertOpen(call.operation.id);
  const { withinMs, timeoutMs = deps.timeouts.callMs, signal, again = false } = call.options;
  const time = openCallTime(deps.clock, signal);
  try {
    if (withinMs !== undefined) time.start(withinMs);
    const turn = await takeTurn(deps, call, { time, again });
    if (withinMs === undefined) time.start(timeoutMs);
    return await runAttempts(deps, call, { time, turn });
  } finally {
    time.close();
  }
}

async function runAttempts(
  deps: CallDeps,
  call: Call,
  { time, turn }: { time: CallTime; turn: Turn },
): Promise<unknown> {
  let doubt: UpstreamError | undefined;
  for (let number = 1; ; number += 1) {
    try {
      const { value, head } = await runAttempt(deps, { call, time, turn, number });
      return finish(call, value, head);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (isGone(call, error, doubt)) return finish(call, undefined, toHead(404, error.headers));
      call.options.afterSend?.(error);
      if (error.outcome === 'unknown') doubt = error;
      const next = await findNextTurn(deps, call, { error, time, attempt: number });
      if (!next) throw toFinalError(error, doubt);
      turn = next;
    }
  }
}

function finish({ options }: Call, value: unknown, head: AnswerHead): unknown {
  options.afterSend?.(undefined);
  options.onAnswer?.(head);
  return value;
}

/** A repeated removal finds nothing any more when the lost answer was one to a success. */
function isGone(
  { operation }: Call,
  { code }: UpstreamError,
  doubt: UpstreamError | undefined,
): boolean {
  return doubt !== undefined && operation.method === 'DELETE' && code === 'not-found';
}

/** An earlier attempt that may have had an effect outweighs a later one that did not leave or was deferred. */
function toFinalError(error: UpstreamError, doubt: UpstreamError | undefined): UpstreamError {
  return error.retry === 'later' ? (doubt ?? error) : error;
}

/** The turn of the next attempt after the wait before it, or undefined when there is none. */
async function findNextTurn(
  deps: CallDeps,
  call: Call,
  { error, time, attempt }: { error: UpstreamError; time: CallTime; attempt: number },
): Promise<Turn | undefined> {
  const { attemptsMax = deps.attemptsMax, repeat = call.operation.repeat } = call.options;
  const remainingMs = time.ended === undefined ? time.remainingMs() : 0;
  const random = deps.random();
  const delayMs = planRepeatMs({ error, attempt, attemptsMax, repeat, remainingMs, random });
  if (delayMs === undefined) return undefined;
  try {
    if (delayMs > 0) await deps.clock.sleep(delayMs, time.signal);
    return await takeTurn(deps, call, { time, again: true });
  } catch {
    // The time was over, or the client was closed: the error of the attempt says more than that.
    return undefined;
  }
}

async function takeTurn(
  { budget, clock, hooks }: CallDeps,
  call: Call,
  { time, again }: { time: CallTime; again: boolean },
): Promise<Turn> {
  const callClass = toClass(call);
  const askedAtMs = readSteady(clock);
  const { signal } = time;
  const { key } = call.options;
  try {
    const turn = await budget.take({ operation: call.operation.id, callClass, key, signal, again });
    hooks.onTurn?.({ callClass, waitedMs: readSteady(clock) - askedAtMs });
    return turn;
  } catch (cause) {
    if (time.ended !== 'deadline') throw cause;
    throw notSent('timeout', call.operation.id, 'its time was over before its turn came', {
      cause,
    });
  }
}
