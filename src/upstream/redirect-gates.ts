import type { Clock } from './clock.ts';
import { UpstreamError } from './errors.ts';
import { createProbeGate, type ProbeGate, type Verdict } from './probe-gate.ts';
import type { TransportHooks } from './transport-options.ts';

/**
 * A gate for each operation whose calls the service sends elsewhere (3xx): one address may be, and the others not. Such a
 * call is not followed, because the token belongs to the service alone.
 */
export interface RedirectGates {
  /** @throws UpstreamError `redirected` when a call of the operation has no chance now. Changes nothing. */
  assertOpen(operation: string): void;
  /** Admits a call that is about to leave; its finding must be recorded. */
  admit(operation: string): { record(verdict: Verdict): void };
  /** When the first of those that are shut shut, in milliseconds since 1970; undefined: all are open. */
  sinceMs(): number | undefined;
}

const FIRST_PROBE_MS = 5_000;
const PROBE_MAX_MS = 60_000;
/** Time without a call, after which nothing is known any more. */
const KNOWN_FOR_MS = 600_000;

/** Creates gates that are all open. */
export function createRedirectGates(
  clock: Clock,
  onRedirect: TransportHooks['onRedirect'],
): RedirectGates {
  const shut = new Map<string, ProbeGate>();

  function shutGate(operation: string): ProbeGate {
    const gate = createProbeGate({
      clock,
      firstMs: FIRST_PROBE_MS,
      maxMs: PROBE_MAX_MS,
      onChange(change) {
        if (!change.isShut) shut.delete(operation);
        onRedirect?.({ operation, ...change });
      },
    });
    shut.set(operation, gate);
    return gate;
  }

  return {
    assertOpen(operation) {
      const shutForMs = shut.get(operation)?.shutForMs() ?? 0;
      if (shutForMs > 0) throw redirected(operation, shutForMs);
    },
    admit(operation) {
      const known = shut.get(operation);
      const admission = known?.admit() ?? 'pass';
      return {
        record(verdict) {
          const gate = known ?? shut.get(operation);
          if (gate) gate.record(admission, verdict);
          else if (verdict === 'bad') shutGate(operation).record('pass', 'bad');
        },
      };
    },
    sinceMs() {
      const since = [...shut.values()].flatMap((gate) => {
        const state = gate.state();
        const isKnown = state.kind === 'shut' && clock.now() < state.nextProbeMs + KNOWN_FOR_MS;
        return isKnown ? [state.sinceMs] : [];
      });
      return since.length === 0 ? undefined : Math.min(...since);
    },
  };
}

function redirected(operation: string, retryAfterMs: number): UpstreamError {
  return new UpstreamError('redirected', {
    operation,
    detail: 'not sent, because the service sends these calls elsewhere; it is tried again soon',
    retry: 'later',
    outcome: 'not-sent',
    retryAfterMs,
  });
}
