import type { Gates, PassageResult } from './gates.ts';
import type { Operation } from './operations/operation.ts';
import { type Attempt, type OutgoingCall, toNotSent } from './outgoing-call.ts';
import { type Done, type SendDeps, send } from './send.ts';
import type { WritesRefused } from './transport-options.ts';

/** Dependencies of `runAttempt`. */
export interface AttemptDeps extends SendDeps {
  readonly gates: Gates;
}

/**
 * Sends the call once and returns its answer. The turn ends with it, whatever the result.
 * @throws UpstreamError
 */
export async function runAttempt(deps: AttemptDeps, attempt: Attempt): Promise<Done> {
  const { call, turn } = attempt;
  try {
    const passage = deps.gates.enter(call.operation.id, call.options.key);
    let result: PassageResult = { kind: 'not-tried' };
    try {
      if (call.options.beforeSend || findHook(deps, call)) await announce(deps, attempt);
      assertWanted(deps, attempt);
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
export function assertWritable({ hooks }: SendDeps, call: Pick<OutgoingCall, 'operation'>): void {
  if (!isMutating(call.operation)) return;
  const refused = hooks.writesRefused?.();
  if (refused !== undefined) throw toNotSent(refused, call, { detail: REFUSAL_WORDS[refused] });
}

function isMutating({ method }: Operation): boolean {
  return method !== 'GET';
}

/** Asks the caller and the hook a last time, then lets the hook record the call. @throws UpstreamError `stopped` */
async function announce(deps: AttemptDeps, { call, number }: Attempt): Promise<void> {
  const { operation, args, callClass, options } = call;
  const sending = { operation, args, attempt: number, callClass, key: options.key };
  try {
    // The hook last: every call that it is told of leaves, unless the hook objects.
    await options.beforeSend?.(sending);
    await findHook(deps, call)?.(sending);
  } catch (cause) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    throw toNotSent('stopped', call, { detail: `stopped before it was sent${why}`, cause });
  }
}

function findHook({ hooks }: AttemptDeps, { operation }: OutgoingCall) {
  return isMutating(operation) ? hooks.beforeSend : undefined;
}

/** Checks a last time that the call is still wanted. @throws UpstreamError */
function assertWanted(deps: AttemptDeps, { call, scope }: Attempt): void {
  assertWritable(deps, call); // Again: the call may have waited long for its turn.
  const ended = scope.ended();
  if (ended === undefined) return;
  const code = ended === 'caller' ? 'aborted' : 'timeout';
  const cause: unknown = scope.signal.reason;
  throw toNotSent(code, call, { detail: 'its time was over before it was sent', cause });
}
