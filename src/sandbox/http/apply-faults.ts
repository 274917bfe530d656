import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallFaults, Fault, Faults } from '../faults.ts';
import type { Face } from '../service.ts';
import { toErrorWire, toHtmlWire, type Wire } from './wire.ts';

/** End of a call: an answer, half an answer, or a cut connection. */
export type Ending =
  | { readonly kind: 'whole' | 'half'; readonly wire: Wire }
  | { readonly kind: 'cut' };

/** The call that the faults meet. */
export interface FaultyCall {
  readonly faults: Faults;
  readonly response: ServerResponse;
  readonly face: Face;
  /** Carries the call out, with this body instead of its own where one is given, and returns the answer. */
  run(text?: string): Wire;
}

/** Carries a call out, or not, with its faults. */
export async function applyFaults(
  { delayMs, fault }: CallFaults,
  call: FaultyCall,
): Promise<Ending> {
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  switch (fault?.kind) {
    case undefined:
      return { kind: 'whole', wire: call.run() };
    case 'status':
      return { kind: 'whole', wire: failWithStatus(fault, call) };
    case 'hang':
      return hang(fault, call);
    case 'reset':
      return reset(fault, call);
    case 'html':
      call.run();
      return { kind: 'whole', wire: toHtmlWire(200) };
    case 'altered':
      return { kind: 'whole', wire: call.run(JSON.stringify(fault.body)) };
    case 'truncated': {
      const wire = call.run();
      return { kind: 'whole', wire: { ...wire, text: wire.text.slice(0, wire.text.length / 2) } };
    }
  }
}

/** A service that goes on with a call whatever becomes of the caller. */
const NEVER = new AbortController().signal;

function failWithStatus(
  fault: Extract<Fault, { kind: 'status' }>,
  { face, run }: FaultyCall,
): Wire {
  if (fault.effect === 'done') run();
  const refusal = { status: fault.status, message: 'the sandbox was told to fail' };
  const wire = toErrorWire(refusal, face, fault.body ?? 'documented');
  return { ...wire, headers: { ...wire.headers, ...fault.headers } };
}

function reset({ at }: Extract<Fault, { kind: 'reset' }>, { run }: FaultyCall): Ending {
  if (at === 'before-effect') return { kind: 'cut' };
  const wire = run();
  return at === 'mid-answer' ? { kind: 'half', wire } : { kind: 'cut' };
}

async function hang(
  fault: Extract<Fault, { kind: 'hang' }>,
  { faults, response, run }: FaultyCall,
): Promise<Ending> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  if (response.destroyed) closed.abort();
  const early = fault.effect === 'done' ? run() : undefined;
  const isHeard = fault.effect !== 'late';
  const outcome = await faults.hang(fault, isHeard ? closed.signal : NEVER);
  return outcome === 'closed' ? { kind: 'cut' } : { kind: 'whole', wire: early ?? run() };
}
