import type { Clock } from './clock.ts';
import { UpstreamError } from './errors.ts';
import type { TransportHooks } from './transport-options.ts';

/** The two gates that stop all calls: one for a refused token, one for a failing service. */
export interface Gates {
  /** @throws UpstreamError `credentials-refused` or `circuit-open` when a call has no chance now. Changes nothing. */
  assertOpen(operation: string): void;
  /** Admits a call that is about to leave. @throws UpstreamError as `assertOpen`. */
  enter(operation: string, key: string | undefined): Passage;
  /** Has another token tried at once; what is answered to calls with the former one says nothing from now on. */
  tokenRenewed(): void;
  readonly credentials: () => GateState;
  readonly service: () => GateState;
}

/** An admitted call; its result must be recorded, so that the gates learn and a probe makes room for the next. */
interface Passage {
  record(result: PassageResult): void;
}

/** Result of a call: an answer with this status, no answer, or nothing because it did not leave. */
export type PassageResult =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'not-tried' };

const CREDENTIALS_FIRST_PROBE_MS = 10_000;
const CREDENTIALS_PROBE_MAX_MS = 300_000;
const FAILURES_TO_OPEN = 5;
const RESOURCES_TO_OPEN = 3;

/** Creates open gates. */
export function createGates(
  clock: Clock,
  { onGate, onRefused }: Pick<TransportHooks, 'onGate' | 'onRefused'> = {},
): Gates {
  const credentials = createProbeGate({
    clock,
    firstMs: CREDENTIALS_FIRST_PROBE_MS,
    maxMs: CREDENTIALS_PROBE_MAX_MS,
    onChange: (change) => onGate?.({ gate: 'credentials', ...change }),
  });
  const breaker = createBreaker({
    clock,
    failures: FAILURES_TO_OPEN,
    resources: RESOURCES_TO_OPEN,
    onChange: (change) => onGate?.({ gate: 'service', ...change }),
  });

  let tokens = 0;

  function assertOpen(operation: string): void {
    const refusedMs = credentials.shutForMs();
    if (refusedMs > 0) {
      onRefused?.('credentials');
      throw credentialsRefused(operation, refusedMs);
    }
    const downMs = breaker.shutForMs();
    if (downMs === 0) return;
    onRefused?.('service');
    throw circuitOpen(operation, downMs);
  }

  return {
    assertOpen,
    enter(operation, key) {
      assertOpen(operation);
      const token = tokens;
      const admitted = { credentials: credentials.admit(), service: breaker.admit() };
      return {
        record(result) {
          const verdict = token === tokens ? toCredentialsVerdict(result) : 'unknown';
          credentials.record(admitted.credentials, verdict);
          // A call without a resource counts by its operation.
          breaker.record(admitted.service, toServiceVerdict(result), key ?? operation);
        },
      };
    },
    tokenRenewed() {
      tokens += 1;
      credentials.retry();
    },
    credentials: credentials.state,
    service: breaker.state,
  };
}

function toCredentialsVerdict(result: PassageResult): Verdict {
  if (result.kind !== 'answer') return 'unknown';
  return result.status === 401 ? 'bad' : 'good';
}

function toServiceVerdict(result: PassageResult): Verdict {
  if (result.kind === 'not-tried') return 'unknown';
  return result.kind === 'answer' && result.status < 500 ? 'good' : 'bad';
}

function credentialsRefused(operation: string, retryAfterMs: number): UpstreamError {
  return new UpstreamError('credentials-refused', {
    operation,
    detail: 'not sent, because the service refuses the token; it is tried again now and then',
    retry: 'later',
    outcome: 'not-sent',
    retryAfterMs,
  });
}

function circuitOpen(operation: string, retryAfterMs: number): UpstreamError {
  return new UpstreamError('circuit-open', {
    operation,
    detail: 'not sent, because the service fails for several resources; it is tried again soon',
    retry: 'later',
    outcome: 'not-sent',
    retryAfterMs,
  });
}

/** A gate that shuts only after failures of several resources in a row. */
export interface Breaker extends Omit<ProbeGate, 'record'> {
  /**
   * Records a verdict: `bad` is a 5xx or a failed connection, `good` any other answer. A refusal too proves that the
   * service is there.
   */
  record(admission: Admission, verdict: Verdict, key: string): void;
}

/** Threshold of the breaker. One resource that always fails must not stop the others. */
export interface BreakerOptions {
  readonly clock: Clock;
  /** Failures without a good answer in between. */
  readonly failures: number;
  /** Different resources among them. */
  readonly resources: number;
  readonly onChange?: ProbeGateOptions['onChange'];
}

const FIRST_PROBE_MS = 5_000;
const PROBE_MAX_MS = 60_000;

/** Creates a breaker that has seen nothing yet. */
function createBreaker({ failures, resources, ...rest }: BreakerOptions): Breaker {
  const gate = createProbeGate({ ...rest, firstMs: FIRST_PROBE_MS, maxMs: PROBE_MAX_MS });
  const failed = new Set<string>();
  let count = 0;

  /** One failure says nothing about the service until there are enough of them. */
  function weigh(verdict: Verdict, key: string): Verdict {
    if (verdict === 'good') {
      count = 0;
      failed.clear();
    }
    if (verdict !== 'bad') return verdict;
    count += 1;
    if (failed.size < resources) failed.add(key);
    return count >= failures && failed.size >= resources ? 'bad' : 'unknown';
  }

  return {
    ...gate,
    record(admission, verdict, key) {
      const weighed = weigh(verdict, key);
      gate.record(admission, admission === 'probe' ? verdict : weighed);
    },
  };
}

/**
 * A gate that shuts when all calls would fail, and admits one call now and then to test whether they still would. A
 * shut gate makes no call wait: calls are refused at once and come back by their own backoff.
 */
export interface ProbeGate {
  /** Milliseconds until a call may try; 0 when calls pass or a probe is due. Changes nothing. */
  shutForMs(): number;
  /** Admits a call; `probe`: this call is the test, and its end must be recorded. */
  admit(): Admission;
  /** Records the finding of an admitted call: `good` opens, `bad` shuts, `unknown` says nothing. */
  record(admission: Admission, verdict: Verdict): void;
  /** Makes a probe due at once, because what the gate guards may be another by now. */
  retry(): void;
  state(): GateState;
}

/** Position of a call before the gate. */
export type Admission = 'pass' | 'probe' | 'shut';

/** Finding of a call about the thing that the gate guards. */
export type Verdict = 'good' | 'bad' | 'unknown';

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
interface GateChange {
  readonly isShut: boolean;
  /** Milliseconds since it shut; 0 when it shuts now. */
  readonly shutForMs: number;
}

/** Creates an open gate. */
function createProbeGate(options: ProbeGateOptions): ProbeGate {
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
    record(admission, verdict) {
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
    retry() {
      if (state.kind === 'open') return;
      pauseMs = firstMs;
      probing = false;
      state = { ...state, nextProbeMs: clock.now() };
    },
    state: () => state,
  };
}
