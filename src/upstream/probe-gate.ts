import type { Clock } from './clock.ts';

/**
 * A gate that shuts when something is wrong for everybody and lets one call through now and then to see whether it still
 * is. A shut gate does not wait: calls are refused at once and come back by their own backoff.
 */
export interface ProbeGate {
  /** Milliseconds until a call may try; 0 when calls pass or a probe is due. Changes nothing. */
  shutForMs(): number;
  /** `probe`: this call is the one that tries; its end must be told by `settle`. */
  admit(): Admission;
  /** What the admitted call found: `good` opens, `bad` shuts, `unknown` says nothing. */
  settle(admission: Admission, verdict: Verdict): void;
  state(): GateState;
}

/** How a call stands before the gate. */
export type Admission = 'pass' | 'probe' | 'shut';

/** What a call says about the thing that the gate guards. */
export type Verdict = 'good' | 'bad' | 'unknown';

/** Open, or shut since when and until when at least (milliseconds since 1970). */
export type GateState =
  | { readonly kind: 'open' }
  | { readonly kind: 'shut'; readonly sinceMs: number; readonly nextProbeMs: number };

/** How long the gate stays shut before a probe: doubling from `firstMs` to `maxMs`. */
export interface ProbeGateOptions {
  readonly clock: Clock;
  readonly firstMs: number;
  readonly maxMs: number;
  /** Told when it shuts and when it opens. */
  readonly onChange?: ((change: GateChange) => void) | undefined;
}

/** A gate that was open is shut, or the other way round. */
interface GateChange {
  readonly isShut: boolean;
  /** Milliseconds since it shut; 0 when it shuts now. */
  readonly shutForMs: number;
}

/** An open gate. */
export function createProbeGate(options: ProbeGateOptions): ProbeGate {
  const { clock, firstMs, maxMs, onChange } = options;
  let state: GateState = { kind: 'open' };
  let pauseMs = firstMs;
  let probing = false;

  function shutForMs(): number {
    if (state.kind === 'open') return 0;
    const remainingMs = Math.max(0, state.nextProbeMs - clock.now());
    return probing ? Math.max(1, remainingMs) : remainingMs;
  }

  function shut(sinceMs: number): void {
    state = { kind: 'shut', sinceMs, nextProbeMs: clock.now() + pauseMs };
    pauseMs = Math.min(pauseMs * 2, maxMs);
  }

  return {
    shutForMs,
    admit() {
      if (state.kind === 'open') return 'pass';
      if (shutForMs() > 0) return 'shut';
      probing = true;
      return 'probe';
    },
    settle(admission, verdict) {
      if (state.kind === 'open') {
        if (verdict !== 'bad') return;
        shut(clock.now());
        onChange?.({ isShut: true, shutForMs: 0 });
        return;
      }
      // Calls that left before the gate shut say nothing about now.
      if (admission !== 'probe') return;
      probing = false;
      if (verdict === 'bad') shut(state.sinceMs);
      if (verdict !== 'good') return;
      const { sinceMs } = state;
      state = { kind: 'open' };
      pauseMs = firstMs;
      onChange?.({ isShut: false, shutForMs: clock.now() - sinceMs });
    },
    state: () => state,
  };
}
