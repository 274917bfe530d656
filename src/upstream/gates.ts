import type { Clock } from './clock.ts';
import { isFailing, notSent } from './errors.ts';
import { createProbeGate, type GateChange, type ProbeGate, type Verdict } from './probe-gate.ts';
import type { TransportHooks } from './transport-options.ts';

/** An admitted call; its result must be recorded, so that the gates learn and a probe makes room for the next. */
interface Passage {
  record(result: PassageResult): void;
}

/** Result of a call: an answer with this status, perhaps one that sends it elsewhere; none; or nothing, as it did not leave. */
export type PassageResult =
  | { readonly kind: 'answer' | 'redirected'; readonly status: number }
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'not-tried' };

const FIRST_PROBE_MS = 5_000;
const PROBE_MAX_MS = 60_000;
/** Failures without a good answer in between that open the breaker, and the number of resources among them. */
const FAILURES_TO_OPEN = 5;
const RESOURCES_TO_OPEN = 3;

/**
 * The two gates that stop all calls, one for a refused token and one for a failing service, and one for each operation
 * whose calls are sent elsewhere.
 */
export type Gates = ReturnType<typeof createGates>;

type GateHooks = Pick<TransportHooks, 'onGate' | 'onRefused' | 'onRedirect'>;

/** Creates open gates. */
export function createGates(clock: Clock, { onGate, onRefused, onRedirect }: GateHooks = {}) {
  const createGate = (gate: 'credentials' | 'service', firstMs: number, maxMs: number) => {
    const onChange = (change: GateChange) => onGate?.({ gate, ...change });
    return createProbeGate({ clock, firstMs, maxMs, onChange });
  };
  const credentials = createGate('credentials', 10_000, 300_000);
  const service = createGate('service', FIRST_PROBE_MS, PROBE_MAX_MS);
  const failures = createFailureCount();
  const redirects = createRedirectGates(clock, onRedirect);
  let tokens = 0;

  /** @throws UpstreamError `credentials-refused`, `circuit-open` or `redirected` when a call has no chance now */
  function assertOpen(operation: string): void {
    const refusedMs = credentials.shutForMs();
    const downMs = service.shutForMs();
    if (refusedMs > 0 || downMs > 0) onRefused?.(refusedMs > 0 ? 'credentials' : 'service');
    if (refusedMs > 0) throw toStopped('credentials-refused', operation, refusedMs);
    if (downMs > 0) throw toStopped('circuit-open', operation, downMs);
    const elsewhereMs = redirects.find(operation)?.shutForMs() ?? 0;
    if (elsewhereMs > 0) throw toStopped('redirected', operation, elsewhereMs);
  }

  return {
    assertOpen,
    /** Admits a call that is about to leave; without a resource it counts by its operation. @throws UpstreamError as `assertOpen`. */
    enter(operation: string, key: string = operation): Passage {
      assertOpen(operation);
      const [token, redirect] = [tokens, redirects.find(operation)];
      const [ofToken, ofService] = [credentials.admit(), service.admit()];
      const redirected = redirect?.admit() ?? 'pass';
      return {
        record(result) {
          const verdicts = toVerdicts(result);
          credentials.record(ofToken, token === tokens ? verdicts.credentials : 'unknown');
          const isEnough = failures.add(verdicts.service, key) || ofService === 'probe';
          const isDoubtful = verdicts.service === 'bad' && !isEnough;
          service.record(ofService, isDoubtful ? 'unknown' : verdicts.service);
          const isElsewhere = verdicts.redirect === 'bad';
          const gate = redirect ?? redirects.find(operation, isElsewhere);
          gate?.record(redirected, verdicts.redirect);
        },
      };
    },
    /** Has another token tried at once; what is answered to calls with the former one says nothing from now on. */
    tokenRenewed() {
      tokens += 1;
      credentials.retry();
    },
    credentials: credentials.state,
    service: service.state,
    /** When the service began to send calls elsewhere, in milliseconds since 1970; undefined: it does not. */
    redirectedSinceMs: redirects.sinceMs,
  };
}

/** Time without a call, after which nothing is known any more. */
const KNOWN_FOR_MS = 600_000;

/**
 * The gates of the operations whose calls the service sends elsewhere: one address may be, and the others not. Such a
 * call is not followed, because the token belongs to the service alone.
 */
function createRedirectGates(clock: Clock, onRedirect: TransportHooks['onRedirect']) {
  const shut = new Map<string, ProbeGate>();
  const create = (operation: string): ProbeGate =>
    createProbeGate({
      clock,
      firstMs: FIRST_PROBE_MS,
      maxMs: PROBE_MAX_MS,
      onChange(change) {
        if (!change.isShut) shut.delete(operation);
        onRedirect?.({ operation, ...change });
      },
    });
  return {
    /** The gate of an operation, made where it `isElsewhere` for the first time. */
    find(operation: string, isElsewhere = false): ProbeGate | undefined {
      if (isElsewhere && !shut.has(operation)) shut.set(operation, create(operation));
      return shut.get(operation);
    },
    /** When the first of those that are shut shut, in milliseconds since 1970; undefined: all are open. */
    sinceMs(): number | undefined {
      const states = [...shut.values()].map((gate) => gate.state());
      const since = states.flatMap((state) => {
        const isKnown = state.kind === 'shut' && clock.now() < state.nextProbeMs + KNOWN_FOR_MS;
        return isKnown ? [state.sinceMs] : [];
      });
      return since.length === 0 ? undefined : Math.min(...since);
    },
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

function toStopped(code: keyof typeof DETAILS, operation: string, retryAfterMs: number) {
  return notSent(code, operation, DETAILS[code], { retryAfterMs });
}

/** Failures in a row: one of them says nothing about the service until several resources have failed. */
function createFailureCount() {
  const failed = new Set<string>();
  let count = 0;
  return {
    /** True when there are enough of them. One resource that always fails must not stop the others. */
    add(verdict: Verdict, key: string): boolean {
      if (verdict === 'good') {
        count = 0;
        failed.clear();
      }
      if (verdict === 'bad') {
        count += 1;
        if (failed.size < RESOURCES_TO_OPEN) failed.add(key);
      }
      return count >= FAILURES_TO_OPEN && failed.size >= RESOURCES_TO_OPEN;
    },
  };
}
