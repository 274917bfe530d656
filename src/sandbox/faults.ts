import { z } from 'zod';
import type { Section } from '../upstream/operations/operation.ts';
import { Bell } from './calls.ts';
import type { OperationName } from './operations.ts';
import { findSection, isOperationName, isSection } from './operations.ts';
import { ERROR_BODIES } from './shape.ts';

const count = z.int().min(0);

/**
 * - `delay`: the answer comes later; other faults may follow
 * - `status`: this answer instead; `effect` says whether the call is carried out all the same
 * - `hang`: no answer until `release`, then the ordinary one. No effect when the caller hangs up first, unless it was
 *   `done` before; `late`: it is carried out at `release` all the same
 * - `reset`: the connection is cut
 * - `html`: carried out, then 200 with a page of HTML
 * - `truncated`: carried out, then the ordinary status with half of its JSON
 * - `altered`: carried out as if this had been its body: a change that is taken and not made, for instance
 */
const fault = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('delay'), delayMs: count }),
  z.object({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.enum(ERROR_BODIES).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    effect: z.enum(['none', 'done']).optional(),
  }),
  z.object({ kind: z.literal('hang'), effect: z.enum(['none', 'done', 'late']).optional() }),
  z.object({
    kind: z.literal('reset'),
    at: z.enum(['before-effect', 'after-effect', 'mid-answer']),
  }),
  z.object({ kind: z.literal('html') }),
  z.object({ kind: z.literal('truncated') }),
  z.object({ kind: z.literal('altered'), body: z.record(z.string(), z.unknown()) }),
]);

/** A fault of a call. */
export type Fault = z.infer<typeof fault>;

/** Shape of a fault, and of the calls that it meets. */
export const faultRule = z.object({
  /** An operation, a section of them, or `*`: all. */
  operation: z.custom<OperationName | Section | '*'>(
    (name) =>
      typeof name === 'string' && (name === '*' || isOperationName(name) || isSection(name)),
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

/** A fault that is set. */
export interface ActiveFault {
  readonly rule: FaultRule;
  /** Number of calls it has met. */
  readonly met: number;
  /** Resolves when it has met at least `calls` calls. */
  until(calls: number): Promise<void>;
  remove(): void;
}

/** All faults that are set, changeable at any time. */
export class Faults {
  /** Calls allowed per second; undefined: any number. */
  requestsPerSecond: number | undefined;
  readonly #rules = new Set<ActiveFault & { seen: number; met: number }>();
  readonly #hanging = new Map<() => void, Fault>();
  #used = { second: 0, calls: 0 };
  readonly #bell = new Bell();

  /** Sets a fault. Of several that match, the first set wins; delays add up. */
  add(rule: FaultRule): ActiveFault {
    const active = {
      rule,
      seen: 0,
      met: 0,
      until: (calls: number) => this.#bell.until(() => active.met >= calls),
      remove: () => void this.#rules.delete(active),
    };
    this.#rules.add(active);
    return active;
  }

  /** The faults that can still meet a call. */
  active(): readonly ActiveFault[] {
    return [...this.#rules].filter(({ rule, met }) => met < (rule.times ?? Infinity));
  }

  /** Continues hanging calls: all, or those of one fault. */
  release(only?: Fault): void {
    for (const [go, fault] of [...this.#hanging]) if (only === undefined || only === fault) go();
  }

  /** Removes all faults; hanging calls continue. */
  clear(): void {
    this.#rules.clear();
    this.requestsPerSecond = undefined;
    this.release();
  }

  /**
   * Counts a call in whole seconds, as a service with `X-RateLimit-Reset` in epoch seconds seems to: whether it is within
   * the limit of this second, and the rate headers of its answer.
   */
  countCall(nowMs: number) {
    if (this.requestsPerSecond === undefined) return { isAllowed: true, headers: {} };
    const second = Math.floor(nowMs / 1_000);
    this.#used = { second, calls: second === this.#used.second ? this.#used.calls + 1 : 1 };
    const left = this.requestsPerSecond - this.#used.calls;
    const remaining = String(Math.max(0, left));
    const headers = { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': String(second + 1) };
    return { isAllowed: left >= 0, headers };
  }

  /** Takes the faults of a call of this operation off the rules. `text`: its target, a space and its body. */
  take(operation: OperationName | 'unknown', text = '') {
    const names = ['*', operation, operation === 'unknown' ? undefined : findSection(operation)];
    let delayMs = 0;
    for (const active of this.#rules) {
      const { operation: wanted, fault, about = '', skip = 0, times = Infinity } = active.rule;
      if (!names.includes(wanted) || !text.includes(about) || active.met >= times) continue;
      active.seen += 1;
      if (active.seen <= skip) continue;
      active.met += 1;
      this.#bell.ring();
      if (fault.kind !== 'delay') return { delayMs, fault };
      delayMs += fault.delayMs;
    }
    return { delayMs, fault: undefined };
  }

  /** Resolves at the next `release`. */
  hang(fault: Fault): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#hanging.set(resolve, fault);
    return promise.finally(() => this.#hanging.delete(resolve));
  }
}
