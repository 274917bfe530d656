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
import { isFailing } from './status-table.ts';
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
const FIRST_PROBE_MS = 5_000;
const PROBE_MAX_MS = 60_000;
/** Failures without a good answer in between that open the breaker, and the number of resources among them. */
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
  const breaker = createBreaker(clock, (change) => onGate?.({ gate: 'service', ...change }));
  const redirects = createRedirectGates(clock, onRedirect);
  let tokens = 0;

  function assertOpen(operation: string): void {
    const refusedMs = credentials.shutForMs();
    if (refusedMs > 0) {
      onRefused?.('credentials');
      throw toStopped('credentials-refused', operation, refusedMs);
    }
    const downMs = breaker.shutForMs();
    if (downMs > 0) {
      onRefused?.('service');
      throw toStopped('circuit-open', operation, downMs);
    }
    const elsewhereMs = redirects.shut.get(operation)?.shutForMs() ?? 0;
    if (elsewhereMs > 0) throw toStopped('redirected', operation, elsewhereMs);
  }

  return {
    assertOpen,
    // A call without a resource counts by its operation.
    enter(operation, key = operation) {
      assertOpen(operation);
      const [token, redirect] = [tokens, redirects.shut.get(operation)];
      const admitted = { credentials: credentials.admit(), service: breaker.admit() };
      const redirected = redirect?.admit() ?? 'pass';
      return {
        record(result) {
          const verdicts = toVerdicts(result);
          const ofToken = token === tokens ? verdicts.credentials : 'unknown';
          credentials.record(admitted.credentials, ofToken);
          breaker.record(admitted.service, verdicts.service, key);
          const gate = redirect ?? redirects.shut.get(operation);
          if (gate) gate.record(redirected, verdicts.redirect);
          else if (verdicts.redirect === 'bad') redirects.shutGate(operation);
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

/** Verdict of a result for each gate. */
function toVerdicts(
  result: PassageResult,
): Record<'credentials' | 'service' | 'redirect', Verdict> {
  const unknown = { credentials: 'unknown', service: 'unknown', redirect: 'unknown' } as const;
  if (result.kind === 'not-tried') return unknown;
  if (result.kind === 'no-answer') return { ...unknown, service: 'bad' };
  const service = isFailing(result.status) ? 'bad' : 'good';
  if (result.kind === 'redirected') return { ...unknown, service, redirect: 'bad' };
  return {
    credentials: result.status === 401 ? 'bad' : 'good',
    service,
    // A failing gateway says nothing of the address.
    redirect: service === 'good' ? 'good' : 'unknown',
  };
}

const DETAILS = {
  'credentials-refused':
    'not sent, because the service refuses the token; it is tried again now and then',
  'circuit-open':
    'not sent, because the service fails for several resources; it is tried again soon',
  redirected: 'not sent, because the service sends these calls elsewhere; it is tried again soon',
} as const;

/** Error of a call that a gate stops. */
function toStopped(
  code: keyof typeof DETAILS,
  operation: string,
  retryAfterMs: number,
): UpstreamError {
  const fate = { retry: 'later', outcome: 'not-sent', retryAfterMs } as const;
  return new UpstreamError(code, { operation, detail: DETAILS[code], ...fate });
}

/** A gate that shuts only after failures of several resources in a row. */
interface Breaker extends Omit<ProbeGate, 'record'> {
  /**
   * Records a verdict: `bad` is a failure or no answer, `good` any other answer. A refusal too proves that the
   * service is there.
   */
  record(admission: Admission, verdict: Verdict, key: string): void;
}

/** Creates a breaker that has seen nothing yet. One resource that always fails must not stop the others. */
function createBreaker(clock: Clock, onChange: ProbeGateOptions['onChange']): Breaker {
  const gate = createProbeGate({ clock, firstMs: FIRST_PROBE_MS, maxMs: PROBE_MAX_MS, onChange });
  const failed = new Set<string>();
  let count = 0;

  return {
    ...gate,
    record(admission, verdict, key) {
      if (verdict === 'good') {
        count = 0;
        failed.clear();
      }
      if (verdict === 'bad') {
        count += 1;
        if (failed.size < RESOURCES_TO_OPEN) failed.add(key);
      }
      // One failure says nothing about the service until there are enough of them; that of a probe does.
      const isEnough = count >= FAILURES_TO_OPEN && failed.size >= RESOURCES_TO_OPEN;
      const isDoubtful = verdict === 'bad' && admission !== 'probe' && !isEnough;
      gate.record(admission, isDoubtful ? 'unknown' : verdict);
    },
  };
}

/**
 * The gates of the operations whose calls the service sends elsewhere (3xx): one address may be, and the others not. Such a
 * call is not followed, because the token belongs to the service alone.
 */
interface RedirectGates {
  readonly shut: ReadonlyMap<string, ProbeGate>;
  /** Shuts the gate of an operation. */
  shutGate(operation: string): void;
  /** When the first of those that are shut shut, in milliseconds since 1970; undefined: all are open. */
  sinceMs(): number | undefined;
}

/** Time without a call, after which nothing is known any more. */
const KNOWN_FOR_MS = 600_000;

/** Creates gates that are all open. */
function createRedirectGates(
  clock: Clock,
  onRedirect: TransportHooks['onRedirect'],
): RedirectGates {
  const shut = new Map<string, ProbeGate>();
  return {
    shut,
    shutGate(operation) {
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
      gate.record('pass', 'bad');
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
