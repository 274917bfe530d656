import { createBreaker } from './breaker.ts';
import type { Clock } from './clock.ts';
import { UpstreamError } from './errors.ts';
import { createProbeGate, type GateState, type Verdict } from './probe-gate.ts';
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
