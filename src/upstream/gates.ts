import type { Clock } from './clock.ts';
import { UpstreamError } from './errors.ts';
import {
  type Admission,
  createProbeGate,
  type GateState,
  type ProbeGate,
  type ProbeGateOptions,
  type Verdict,
} from './probe-gate.ts';
import { createRedirectGates } from './redirect-gates.ts';
import type { TransportHooks } from './transport-options.ts';

/**
 * The two gates that stop all calls, one for a refused token and one for a failing service, and one for each operation
 * whose calls are sent elsewhere.
 */
export interface Gates {
  /**
   * Changes nothing.
   * @throws UpstreamError `credentials-refused`, `circuit-open` or `redirected` when a call has no chance now
   */
  assertOpen(operation: string): void;
  /** Admits a call that is about to leave. @throws UpstreamError as `assertOpen`. */
  enter(operation: string, key: string | undefined): Passage;
  /** Has another token tried at once; what is answered to calls with the former one says nothing from now on. */
  tokenRenewed(): void;
  readonly credentials: () => GateState;
  readonly service: () => GateState;
  /** When the service began to send calls elsewhere, in milliseconds since 1970; undefined: it does not. */
  readonly redirectedSinceMs: () => number | undefined;
}

/** An admitted call; its result must be recorded, so that the gates learn and a probe makes room for the next. */
interface Passage {
  record(result: PassageResult): void;
}

/** Result of a call: an answer with this status, perhaps one that sends it elsewhere; none; or nothing, as it did not leave. */
export type PassageResult =
  | { readonly kind: 'answer' | 'redirected'; readonly status: number }
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'not-tried' };

const CREDENTIALS_FIRST_PROBE_MS = 10_000;
const CREDENTIALS_PROBE_MAX_MS = 300_000;
const FAILURES_TO_OPEN = 5;
const RESOURCES_TO_OPEN = 3;

/** Creates open gates. */
export function createGates(
  clock: Clock,
  {
    onGate,
    onRefused,
    onRedirect,
  }: Pick<TransportHooks, 'onGate' | 'onRefused' | 'onRedirect'> = {},
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
  const redirects = createRedirectGates(clock, onRedirect);

  let tokens = 0;

  function assertOpen(operation: string): void {
    const refusedMs = credentials.shutForMs();
    if (refusedMs > 0) {
      onRefused?.('credentials');
      throw credentialsRefused(operation, refusedMs);
    }
    const downMs = breaker.shutForMs();
    if (downMs > 0) {
      onRefused?.('service');
      throw circuitOpen(operation, downMs);
    }
    redirects.assertOpen(operation);
  }

  return {
    assertOpen,
    enter(operation, key) {
      assertOpen(operation);
      const token = tokens;
      const admitted = { credentials: credentials.admit(), service: breaker.admit() };
      const redirect = redirects.admit(operation);
      return {
        record(result) {
          const verdict = token === tokens ? toCredentialsVerdict(result) : 'unknown';
          credentials.record(admitted.credentials, verdict);
          // A call without a resource counts by its operation.
          breaker.record(admitted.service, toServiceVerdict(result), key ?? operation);
          redirect.record(toRedirectVerdict(result));
        },
      };
    },
    tokenRenewed() {
      tokens += 1;
      credentials.retry();
    },
    credentials: credentials.state,
    service: breaker.state,
    redirectedSinceMs: redirects.sinceMs,
  };
}

function toCredentialsVerdict(result: PassageResult): Verdict {
  if (result.kind !== 'answer') return 'unknown';
  return result.status === 401 ? 'bad' : 'good';
}

function toServiceVerdict(result: PassageResult): Verdict {
  if (result.kind === 'not-tried') return 'unknown';
  return result.kind !== 'no-answer' && result.status < 500 ? 'good' : 'bad';
}

/** An answer that says nothing of the address, as one of a failing gateway, leaves the gate as it is. */
function toRedirectVerdict(result: PassageResult): Verdict {
  if (result.kind === 'redirected') return 'bad';
  return result.kind === 'answer' && result.status < 500 ? 'good' : 'unknown';
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
