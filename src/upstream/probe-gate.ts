import { type Clock, readSteady } from './clock.ts';

/**
 * A gate that shuts when all calls would fail, and admits one call now and then to test whether they still would. A
 * shut gate makes no call wait: calls are refused at once and come back by their own backoff.
 */
export type ProbeGate = ReturnType<typeof createProbeGate>;

/** Position of a call before the gate. */
export type Admission = 'pass' | 'probe' | 'shut';

/** Finding of a call about the thing that the gate guards. */
export type Health = 'good' | 'bad' | 'unknown';

/** Open, or shut: since when, and until when at least (milliseconds since 1970). */
export type GateState =
  | { readonly kind: 'open' }
  | { readonly kind: 'shut'; readonly sinceMs: number; readonly nextProbeMs: number };

/** Time that the gate stays shut before a probe: doubling from `firstMs` to `maxMs`. */
export interface ProbeGateOptions {
  readonly clock: Clock;
  readonly firstMs: number;
  readonly maxMs: number;
  /** Called when it shuts and when it opens. */
  readonly onChange?: ((change: GateChange) => void) | undefined;
}

/** The gate shuts or opens. */
export interface GateChange {
  readonly isShut: boolean;
  /** Milliseconds since it shut; 0 when it shuts now. */
  readonly shutForMs: number;
}

/** Creates an open gate. */
export function createProbeGate({ clock, firstMs, maxMs, onChange }: ProbeGateOptions) {
  // As it is shown; what decides is in the steady time.
  let state: GateState = { kind: 'open' };
  let shutAtMs = 0;
  let probeAtMs = 0;
  let pauseMs = firstMs;
  let probing = false;

  /** Milliseconds until a call may try; 0 when calls pass or a probe is due. */
  function shutForMs(): number {
    if (state.kind === 'open') return 0;
    const remainingMs = Math.max(0, probeAtMs - readSteady(clock));
    return probing ? Math.max(1, remainingMs) : remainingMs;
  }

  function shut(sinceMs: number): void {
    state = { kind: 'shut', sinceMs, nextProbeMs: clock.now() + pauseMs };
    probeAtMs = readSteady(clock) + pauseMs;
    pauseMs = Math.min(pauseMs * 2, maxMs);
  }

  return {
    shutForMs,
    /** Admits a call; `probe`: this call is the test, and its end must be recorded. */
    admit(): Admission {
      if (state.kind === 'open') return 'pass';
      if (shutForMs() > 0) return 'shut';
      probing = true;
      return 'probe';
    },
    /** Records the finding of an admitted call: `good` opens, `bad` shuts, `unknown` says nothing. */
    record(admission: Admission, health: Health): void {
      if (state.kind === 'open') {
        if (health !== 'bad') return;
        shut(clock.now());
        shutAtMs = readSteady(clock);
        onChange?.({ isShut: true, shutForMs: 0 });
        return;
      }
      // Calls that left before the gate shut say nothing about now.
      if (admission !== 'probe') return;
      probing = false;
      if (health === 'bad') shut(state.sinceMs);
      if (health !== 'good') return;
      state = { kind: 'open' };
      pauseMs = firstMs;
      onChange?.({ isShut: false, shutForMs: readSteady(clock) - shutAtMs });
    },
    /** Makes a probe due at once, because what the gate guards may be another by now. */
    retry(): void {
      if (state.kind === 'open') return;
      pauseMs = firstMs;
      probing = false;
      state = { ...state, nextProbeMs: clock.now() };
      probeAtMs = readSteady(clock);
    },
    state: (): GateState => state,
  };
}
