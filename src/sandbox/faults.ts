import { z } from 'zod';
import { Bell } from './bell.ts';
import { isOperationName, type OperationName, type Section } from './operations.ts';
import { Refusal } from './refusal.ts';
import { ERROR_BODIES } from './shape.ts';

const count = z.int().min(0);

const fault = z.discriminatedUnion('kind', [
  /** The answer comes later; other faults may follow. */
  z.object({ kind: z.literal('delay'), delayMs: count }),
  z.object({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.enum(ERROR_BODIES).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    /** Whether the call is carried out all the same; default: it is not. */
    effect: z.enum(['none', 'done']).optional(),
  }),
  /**
   * No answer until `release`, then the ordinary one. No effect when the caller hangs up first, unless it was done
   * before; `late`: it is carried out at `release` all the same.
   */
  z.object({ kind: z.literal('hang'), effect: z.enum(['none', 'done', 'late']).optional() }),
  /** The connection is cut. */
  z.object({
    kind: z.literal('reset'),
    at: z.enum(['before-effect', 'after-effect', 'mid-answer']),
  }),
  /** Carried out, then 200 with a page of HTML. */
  z.object({ kind: z.literal('html') }),
  /** Carried out, then the ordinary status with half of its JSON. */
  z.object({ kind: z.literal('truncated') }),
  /** Carried out as if this had been its body: a change that is taken and not made, for instance. */
  z.object({ kind: z.literal('altered'), body: z.record(z.string(), z.unknown()) }),
]);

/** A fault of a call. */
export type Fault = z.infer<typeof fault>;

/** Shape of a fault, and of the calls that it meets. */
export const faultRule = z.object({
  operation: z.custom<OperationName | '*'>(
    (name) => name === '*' || (typeof name === 'string' && isOperationName(name)),
    'no such operation',
  ),
  fault,
  /** Only calls with this text in their path, query or body, such as `"value":1003}`; default: all. */
  about: z.string().min(1).optional(),
  /** Matching calls that pass unharmed first; default 0. */
  skip: count.optional(),
  /** Number of calls that it meets; default: until it is removed. */
  times: count.optional(),
});

/** A fault, and the calls that it meets. */
export type FaultRule = z.infer<typeof faultRule>;

/** Faults of one call. */
export interface CallFaults {
  readonly delayMs: number;
  readonly fault: Exclude<Fault, { kind: 'delay' }> | undefined;
}

/** All faults that are set, changeable at any time. */
export class Faults {
  /** Calls allowed per second; undefined: any number. */
  requestsPerSecond: number | undefined;
  readonly #rules = new Set<ActiveFault>();
  readonly #hanging = new Map<() => void, Fault>();
  readonly #refused = new Map<Section, 402 | 403>();

  /** Shuts a section: 402, the company's tariff lacks it; 403, the token's account may not. */
  refuse(section: Section, status: 402 | 403): void {
    this.#refused.set(section, status);
  }

  allow(section: Section): void {
    this.#refused.delete(section);
  }

  /** Sets a fault. Of several that match, the first set wins; delays add up. */
  add(rule: FaultRule): ActiveFault {
    const active = new ActiveFault(rule, () => this.#rules.delete(active));
    this.#rules.add(active);
    return active;
  }

  /** The faults that can still meet a call. */
  active(): readonly ActiveFault[] {
    return [...this.#rules].filter((rule) => !rule.isSpent());
  }

  /** Continues hanging calls: all, or those of one fault. */
  release(only?: Fault): void {
    for (const [go, fault] of [...this.#hanging]) if (only === undefined || only === fault) go();
  }

  /** Removes all faults; hanging calls continue. */
  clear(): void {
    this.#rules.clear();
    this.#refused.clear();
    this.requestsPerSecond = undefined;
    this.release();
  }

  /** @throws Refusal 402 or 403 when the section is shut. */
  assertAllowed(section: Section | undefined): void {
    const status = section === undefined ? undefined : this.#refused.get(section);
    if (status === 402) throw new Refusal(402, 'Feature is not supported by tariff');
    if (status === 403) throw new Refusal(403, `no access to ${section}`);
  }

  /** Takes the faults of a call of this operation off the rules. `text`: its target, a space and its body. */
  take(operation: OperationName | 'unknown', text = ''): CallFaults {
    let delayMs = 0;
    for (const active of this.#rules) {
      if (!active.meets(operation, text)) continue;
      const { fault } = active.rule;
      if (fault.kind !== 'delay') return { delayMs, fault };
      delayMs += fault.delayMs;
    }
    return { delayMs, fault: undefined };
  }

  /** Resolves with `released` at the next `release`, or with `closed` when the caller hangs up. */
  hang(fault: Fault, closed: AbortSignal): Promise<'released' | 'closed'> {
    const { promise, resolve } = Promise.withResolvers<'released' | 'closed'>();
    const release = () => resolve('released');
    const hangUp = () => resolve('closed');
    this.#hanging.set(release, fault);
    closed.addEventListener('abort', hangUp);
    if (closed.aborted) hangUp();
    return promise.finally(() => {
      this.#hanging.delete(release);
      closed.removeEventListener('abort', hangUp);
    });
  }
}

/** A fault that is set. */
export class ActiveFault {
  readonly rule: FaultRule;
  readonly remove: () => void;
  readonly #bell = new Bell();
  #seen = 0;
  #met = 0;

  constructor(rule: FaultRule, remove: () => void) {
    this.rule = rule;
    this.remove = remove;
  }

  /** Number of calls it has met. */
  get met(): number {
    return this.#met;
  }

  isSpent(): boolean {
    return this.#met >= (this.rule.times ?? Number.POSITIVE_INFINITY);
  }

  /** Counts a call; true when this fault is for it. */
  meets(operation: OperationName | 'unknown', text: string): boolean {
    const { operation: wanted, about = '', skip = 0 } = this.rule;
    if (wanted !== '*' && wanted !== operation) return false;
    if (!text.includes(about) || this.isSpent()) return false;
    this.#seen += 1;
    if (this.#seen <= skip) return false;
    this.#met += 1;
    this.#bell.ring();
    return true;
  }

  /** Resolves when it has met at least `calls` calls. */
  until(calls: number): Promise<void> {
    return this.#bell.until(() => this.#met >= calls);
  }
}
