import type { TrafficCounter } from '../reconcile/loop/sampling.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Counts for samples what the metrics count. */
export function countTraffic(metrics: Metrics, traffic: TrafficCounter): Metrics {
  return {
    ...metrics,
    countUpstreamCall(labels, durationMs) {
      traffic.called();
      metrics.countUpstreamCall(labels, durationMs);
    },
    countChange(kind, tookMs) {
      if (kind === 'leaver') traffic.left(tookMs);
      metrics.countChange(kind, tookMs);
    },
  };
}
