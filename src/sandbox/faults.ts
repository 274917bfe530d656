import type { OperationName, Section } from './operations.ts';
import { Refusal } from './refusal.ts';
import type { ErrorBody } from './shape.ts';

/** A fault of a call. `effect`: `done` when the call is carried out all the same; default: it is not. */
export type Fault =
  /** The answer comes later; other faults may follow. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: ErrorBody;
      readonly headers?: Readonly<Record<string, string>>;
      readonly effect?: 'none' | 'done';
    }
  /**
   * No answer until `release`, then the ordinary one. No effect when the caller hangs up first, unless it was done
   * before; `late`: it is carried out at `release` all the same.
   */
  | { readonly kind: 'hang'; readonly effect?: 'none' | 'done' | 'late' }
  /** The connection is cut. */
  | { readonly kind: 'reset'; readonly at: 'before-effect' | 'after-effect' | 'mid-answer' }
  /** Carried out, then 200 with a page of HTML. */
  | { readonly kind: 'html' }
  /** Carried out, then the ordinary status with half of its JSON. */
  | { readonly kind: 'truncated' }
  /** Carried out as if this had been its body: a change that is taken and not made, for instance. */
  | { readonly kind: 'altered'; readonly body: Readonly<Record<string, unknown>> };

/** A fault, and the calls that it meets. */
export interface FaultRule {
  readonly operation: OperationName | '*';
  readonly fault: Fault;
  /** Only calls with this text in their path, query or body, such as `"value":1003}`; default: all. */
  readonly about?: string | undefined;
  /** Matching calls that pass unharmed first; default 0. */
  readonly skip?: number | undefined;
  /** Number of calls that it meets; default: until it is removed. */
  readonly times?: number | undefined;
}

/** A fault that is set. */
export interface ActiveFault {
  readonly rule: FaultRule;
  /** Number of calls it has met. */
  readonly met: number;
  /** Resolves when it has met at least `calls` calls. */
  until(calls: number): Promise<void>;
  remove(): void;
}

/** Faults of one call. */
export interface CallFaults {
  readonly delayMs: number;
  readonly fault: Exclude<Fault, { kind: 'delay' }> | undefined;
}

/** All faults that are set, changeable at any time. */
export class Faults {
  readonly #rules = new Set<Rule>();
  readonly #hanging = new Map<() => void, Fault>();
  readonly #refused = new Map<Section, 402 | 403>();
  #requestsPerSecond: number | undefined;

  /** Calls allowed per second, or undefined for no limit. */
  get requestsPerSecond(): number | undefined {
    return this.#requestsPerSecond;
  }

  limitRate(requestsPerSecond: number | undefined): void {
    this.#requestsPerSecond = requestsPerSecond;
  }

  /** Shuts a section: 402, the company's tariff lacks it; 403, the token's account may not. */
  refuse(section: Section, status: 402 | 403): void {
    this.#refused.set(section, status);
  }

  allow(section: Section): void {
    this.#refused.delete(section);
  }

  /** Sets a fault. Of several that match, the first set wins; delays add up. */
  add(rule: FaultRule): ActiveFault {
    const active = new Rule(rule, () => this.#rules.delete(active));
    this.#rules.add(active);
    return active;
  }

  /** The faults that can still meet a call. */
  active(): readonly ActiveFault[] {
    return [...this.#rules].filter((rule) => !rule.spent);
  }

  /** Continues hanging calls: all, or those of one fault. */
  release(only?: Fault): void {
    for (const [go, fault] of [...this.#hanging]) if (only === undefined || only === fault) go();
  }

  /** Removes all faults; hanging calls continue. */
  clear(): void {
    this.#rules.clear();
    this.#refused.clear();
    this.#requestsPerSecond = undefined;
    this.release();
  }

  /** @throws Refusal 402 or 403 when the section is shut. */
  assertAllowed(section: Section | null): void {
    const status = section === null ? undefined : this.#refused.get(section);
    if (status === 402) throw new Refusal('not-in-tariff', 'Feature is not supported by tariff');
    if (status === 403) throw new Refusal('forbidden', `no access to ${section}`);
  }

  /** Takes the faults of a call of this operation off the rules. `text`: its target, a space and its body. */
  take(operation: OperationName | 'unknown', text = ''): CallFaults {
    let delayMs = 0;
    for (const rule of this.#rules) {
      if (!rule.meets(operation, text)) continue;
      const { fault } = rule.rule;
      if (fault.kind !== 'delay') return { delayMs, fault };
      delayMs += fault.delayMs;
    }
    return { delayMs, fault: undefined };
  }

  /** Resolves with `released` at the next `release`, or with `closed` when the caller hangs up. */
  hang(fault: Fault, closed: AbortSignal): Promise<'released' | 'closed'> {
    return new Promise((resolve) => {
      const end = (outcome: 'released' | 'closed') => {
        this.#hanging.delete(release);
        closed.removeEventListener('abort', hangUp);
        resolve(outcome);
      };
      const release = () => end('released');
      const hangUp = () => end('closed');
      this.#hanging.set(release, fault);
      closed.addEventListener('abort', hangUp);
      if (closed.aborted) hangUp();
    });
  }
}

class Rule implements ActiveFault {
  readonly rule: FaultRule;
  readonly remove: () => void;
  readonly #waiting = new Set<() => void>();
  #seen = 0;
  #met = 0;

  constructor(rule: FaultRule, remove: () => void) {
    this.rule = rule;
    this.remove = remove;
  }

  get met(): number {
    return this.#met;
  }

  get spent(): boolean {
    return this.#met >= (this.rule.times ?? Number.POSITIVE_INFINITY);
  }

  /** Counts a call; true when this fault is for it. */
  meets(operation: OperationName | 'unknown', text: string): boolean {
    if (this.rule.operation !== '*' && this.rule.operation !== operation) return false;
    if (this.rule.about !== undefined && !text.includes(this.rule.about)) return false;
    if (this.spent) return false;
    this.#seen += 1;
    if (this.#seen <= (this.rule.skip ?? 0)) return false;
    this.#met += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const notify of waiting) notify();
    return true;
  }

  async until(calls: number): Promise<void> {
    while (this.#met < calls) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }
}
