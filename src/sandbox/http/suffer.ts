import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault, Faults, Suffering } from '../faults.ts';
import { type Face, htmlPage, toErrorWire, type Wire } from './wire.ts';

/** What a call ends in: an answer, half an answer, or a cut connection. */
export type Ending =
  | { readonly kind: 'whole' | 'half'; readonly wire: Wire }
  | { readonly kind: 'cut' };

/** The call that has to suffer. */
export interface Patient {
  readonly faults: Faults;
  readonly response: ServerResponse;
  readonly face: Face;
  /** Carries the call out, with this body instead of its own where one is given, and says what to answer. */
  run(text?: string): Wire;
}

/** Carries a call out, or not, with what the faults have in store for it. */
export async function suffer({ delayMs, fault }: Suffering, patient: Patient): Promise<Ending> {
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  switch (fault?.kind) {
    case undefined:
      return { kind: 'whole', wire: patient.run() };
    case 'status':
      return { kind: 'whole', wire: failWithStatus(fault, patient) };
    case 'hang':
      return hang(fault, patient);
    case 'reset':
      return reset(fault, patient);
    case 'html':
      patient.run();
      return { kind: 'whole', wire: htmlAnswer };
    case 'altered':
      return { kind: 'whole', wire: patient.run(JSON.stringify(fault.body)) };
    case 'truncated': {
      const wire = patient.run();
      return { kind: 'whole', wire: { ...wire, text: wire.text.slice(0, wire.text.length / 2) } };
    }
  }
}

const htmlAnswer: Wire = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  text: htmlPage,
};

function failWithStatus(fault: Extract<Fault, { kind: 'status' }>, { face, run }: Patient): Wire {
  if (fault.effect === 'done') run();
  const refusal = { status: fault.status, message: 'the sandbox was told to fail' };
  const wire = toErrorWire(refusal, face, fault.body ?? 'documented');
  return { ...wire, headers: { ...wire.headers, ...fault.headers } };
}

function reset({ at }: Extract<Fault, { kind: 'reset' }>, { run }: Patient): Ending {
  if (at === 'before-effect') return { kind: 'cut' };
  const wire = run();
  return at === 'mid-answer' ? { kind: 'half', wire } : { kind: 'cut' };
}

async function hang(
  fault: Extract<Fault, { kind: 'hang' }>,
  { faults, response, run }: Patient,
): Promise<Ending> {
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  if (response.destroyed) closed.abort();
  const early = fault.effect === 'done' ? run() : undefined;
  const outcome = await faults.hang(fault, closed.signal);
  return outcome === 'closed' ? { kind: 'cut' } : { kind: 'whole', wire: early ?? run() };
}
