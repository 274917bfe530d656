import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

/** Resource and version that the metrics of a process bear. */
interface Origin {
  readonly resource: Resource;
  readonly version: string;
}

/** Hands the metrics of `/metrics` to OpenTelemetry, so that nothing is counted twice. */
export function createMetricProducer(
  registry: Registry,
  { resource, version }: Origin,
): MetricProducer {
  const startTime = toHrTime(performance.timeOrigin);
  return {
    async collect() {
      const endTime = toHrTime(Date.now());
      const metrics: MetricData[] = [];
      for (const metric of await registry.getMetricsAsJSON()) {
        const data = toMetricData(metric, { startTime, endTime });
        if (data !== undefined) metrics.push(data);
      }
      const scope = { name: 'scim-bridge', version };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toMetricData(
  { name, help, type, values }: MetricObjectWithValues<MetricValue<string>>,
  span: Span,
): MetricData | undefined {
  const descriptor = {
    name,
    description: help,
    unit: name.includes('seconds') ? 's' : '1',
    valueType: ValueType.DOUBLE,
  };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  const base = { descriptor, aggregationTemporality };
  // The type is the name of an enumeration of prom-client, which is not there at run time.
  switch (String(type)) {
    case 'counter':
      return {
        ...base,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: values.map((value) => toPoint(value, span)),
      };
    case 'gauge':
      return {
        ...base,
        dataPointType: DataPointType.GAUGE,
        dataPoints: values.map((value) => toPoint(value, span)),
      };
    case 'histogram':
      return {
        ...base,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: toHistograms(values, span),
      };
    default:
      return undefined;
  }
}

function toPoint({ labels, value }: MetricValue<string>, span: Span): DataPoint<number> {
  return { ...span, attributes: toAttributes(labels), value };
}

function toAttributes(labels: Partial<Record<string, string | number>>): Record<string, string> {
  const known = Object.entries(labels).filter(([name]) => name !== 'le');
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
}

/** Series of one histogram while it is put together. */
interface Series {
  readonly attributes: Record<string, string>;
  /** Upper bounds, and how much is up to each. */
  readonly bounds: number[];
  readonly upTo: number[];
  sum: number;
  count: number;
}

/** Prometheus counts what is up to a bound, OpenTelemetry what is between two. */
function toHistograms(
  values: readonly (MetricValue<string> & { readonly metricName?: string })[],
  span: Span,
): DataPoint<Histogram>[] {
  const all = new Map<string, Series>();
  for (const { labels, value, metricName = '' } of values) {
    const attributes = toAttributes(labels);
    const key = JSON.stringify(attributes);
    const series = all.get(key) ?? { attributes, bounds: [], upTo: [], sum: 0, count: 0 };
    all.set(key, series);
    if (metricName.endsWith('_sum')) series.sum = value;
    else if (metricName.endsWith('_count')) series.count = value;
    else if (labels.le !== '+Inf') {
      series.bounds.push(Number(labels.le));
      series.upTo.push(value);
    }
  }
  return [...all.values()].map(({ attributes, bounds, upTo, sum, count }) => {
    const counts = [...upTo, count].map((each, index) => each - (upTo[index - 1] ?? 0));
    return { ...span, attributes, value: { buckets: { boundaries: bounds, counts }, sum, count } };
  });
}

function toHrTime(ms: number): HrTime {
  return [Math.trunc(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}
