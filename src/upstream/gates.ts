import type { Clock } from './clock.ts';
import { isFailing, notSent } from './errors.ts';
import { createProbeGate, type GateChange, type Health, type ProbeGate } from './probe-gate.ts';
import type { TransportHooks } from './transport-options.ts';

/** Result of a call: an answer with this status, perhaps one that sends it elsewhere; none; or nothing, as it did not leave. */
export type PassageResult =
  | { readonly kind: 'answer' | 'redirected'; readonly status: number }
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'not-tried' };

/** What a gate guards against, and the time until its first and its later probes, in milliseconds. */
const GUARDS = {
  credentials: {
    code: 'credentials-refused',
    why: 'the service refuses the token; it is tried again now and then',
    firstMs: 10_000,
    maxMs: 300_000,
  },
  service: {
    code: 'circuit-open',
    why: 'the service fails for several resources; it is tried again soon',
    firstMs: 5_000,
    maxMs: 60_000,
  },
  redirect: {
    code: 'redirected',
    why: 'the service sends these calls elsewhere; it is tried again soon',
    firstMs: 5_000,
    maxMs: 60_000,
  },
} as const;

type Guard = keyof typeof GUARDS;

/** Failures without a good answer in between that open the breaker, and the number of resources among them. */
const FAILURES_TO_OPEN = 5;
const RESOURCES_TO_OPEN = 3;
/** Time without a call, after which nothing is known of a redirect any more. */
const KNOWN_FOR_MS = 600_000;

/**
 * The two gates that stop all calls, one for a refused token and one for a failing service, and one for each operation
 * whose calls are sent elsewhere. Such a call is not followed, because the token belongs to the service alone.
 */
export class Gates {
  readonly #clock: Clock;
  readonly #hooks: Pick<TransportHooks, 'onGate' | 'onRefused' | 'onRedirect'>;
  readonly #credentials: ProbeGate;
  readonly #service: ProbeGate;
  /** By operation; only those that are shut. */
  readonly #redirects = new Map<string, ProbeGate>();
  /** Failures in a row, and the resources among them. */
  #failures = 0;
  readonly #failed = new Set<string>();
  #tokens = 0;

  constructor(clock: Clock, hooks: TransportHooks = {}) {
    this.#clock = clock;
    this.#hooks = hooks;
    const { onGate } = hooks;
    this.#credentials = this.#create('credentials', (change) =>
      onGate?.({ gate: 'credentials', ...change }),
    );
    this.#service = this.#create('service', (change) => onGate?.({ gate: 'service', ...change }));
  }

  /** @throws UpstreamError `credentials-refused`, `circuit-open` or `redirected` when a call has no chance now */
  assertOpen(operation: string): void {
    this.#assert('credentials', operation, this.#credentials);
    this.#assert('service', operation, this.#service);
    this.#assert('redirect', operation, this.#redirects.get(operation));
  }

  /** Admits a call that is about to leave, whose result must be recorded; without a resource it counts by its operation. @throws UpstreamError as `assertOpen`. */
  enter(operation: string, key: string = operation) {
    this.assertOpen(operation);
    const token = this.#tokens;
    const ofToken = this.#credentials.admit();
    const ofService = this.#service.admit();
    const ofRedirect = this.#redirects.get(operation)?.admit() ?? 'pass';
    return {
      record: (result: PassageResult) => {
        const verdicts = toHealth(result);
        const ofThisToken = token === this.#tokens ? verdicts.credentials : 'unknown';
        this.#credentials.record(ofToken, ofThisToken);
        const isEnough = this.#isFailing(verdicts.service, key) || ofService === 'probe';
        const isDoubtful = verdicts.service === 'bad' && !isEnough;
        this.#service.record(ofService, isDoubtful ? 'unknown' : verdicts.service);
        if (verdicts.redirect === 'bad') this.#addRedirect(operation);
        this.#redirects.get(operation)?.record(ofRedirect, verdicts.redirect);
      },
    };
  }

  /** Has another token tried at once; what is answered to calls with the former one says nothing from now on. */
  tokenRenewed(): void {
    this.#tokens += 1;
    this.#credentials.retry();
  }

  /** `redirectedSinceMs`: when the first of the redirects began, in milliseconds since 1970; undefined: there are none. */
  state() {
    const now = this.#clock.now();
    const since = [...this.#redirects.values()].flatMap((gate) => {
      const state = gate.state();
      const isKnown = state.kind === 'shut' && now < state.nextProbeMs + KNOWN_FOR_MS;
      return isKnown ? [state.sinceMs] : [];
    });
    return {
      credentials: this.#credentials.state(),
      service: this.#service.state(),
      redirectedSinceMs: since.length === 0 ? undefined : Math.min(...since),
    };
  }

  #assert(guard: Guard, operation: string, gate: ProbeGate | undefined): void {
    const retryAfterMs = gate?.shutForMs() ?? 0;
    if (retryAfterMs === 0) return;
    if (guard !== 'redirect') this.#hooks.onRefused?.(guard);
    const { code, why } = GUARDS[guard];
    throw notSent(code, operation, `not sent, because ${why}`, { retryAfterMs });
  }

  #create(guard: Guard, onChange: (change: GateChange) => void): ProbeGate {
    const { firstMs, maxMs } = GUARDS[guard];
    return createProbeGate({ clock: this.#clock, firstMs, maxMs, onChange });
  }

  #addRedirect(operation: string): void {
    if (this.#redirects.has(operation)) return;
    const gate = this.#create('redirect', (change) => {
      if (!change.isShut) this.#redirects.delete(operation);
      this.#hooks.onRedirect?.({ operation, ...change });
    });
    this.#redirects.set(operation, gate);
  }

  /**
   * True once there are enough failures in a row. One of them says nothing about the service until several resources
   * have failed: one that always fails must not stop the others.
   */
  #isFailing(health: Health, key: string): boolean {
    if (health === 'good') {
      this.#failures = 0;
      this.#failed.clear();
    }
    if (health === 'bad') {
      this.#failures += 1;
      if (this.#failed.size < RESOURCES_TO_OPEN) this.#failed.add(key);
    }
    return this.#failures >= FAILURES_TO_OPEN && this.#failed.size >= RESOURCES_TO_OPEN;
  }
}

/** Health of what each gate guards, by a result. */
function toHealth(result: PassageResult): Record<Guard, Health> {
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
