import type { Clock } from './clock.ts';
import {
  type Admission,
  createProbeGate,
  type ProbeGate,
  type ProbeGateOptions,
  type Verdict,
} from './probe-gate.ts';

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
export function createBreaker({ failures, resources, ...rest }: BreakerOptions): Breaker {
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
