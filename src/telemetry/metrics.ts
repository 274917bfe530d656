import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { metricDefinitions } from './metric-definitions.ts';

/** The counters and histograms, and the registry that prints them for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates metrics with a registry of their own, so that two bridges in one process do not mix. Times are in seconds. */
export function createMetrics() {
  const registry = new Registry();
  const series = createSeries(registry);
  return {
    registry,
    ...series,
    /** Series by method, route and status. A route is a pattern such as `/Users/:id`: an address would make endless series. */
    requests: remember(series.requests),
    /** Series by verb and result. */
    statements: remember(series.statements),
  };
}

/** A metric as `metricDefinitions` has it. */
export interface Definition<Label> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
}

function createSeries(registry: Registry) {
  const definitions = metricDefinitions;
  const counter = <Label extends string>(definition: Definition<Label>) =>
    new Counter(toConfiguration(definition, registry));
  const histogram = <Label extends string>(
    definition: Definition<Label> & { readonly buckets: readonly number[] },
  ) =>
    new Histogram({ ...toConfiguration(definition, registry), buckets: [...definition.buckets] });
  return {
    requests: histogram(definitions.requests),
    changes: histogram(definitions.changes),
    statements: histogram(definitions.statements),
    transactions: histogram(definitions.transactions),
    notifications: counter(definitions.notifications),
    repairs: counter(definitions.repairs),
    writes: counter(definitions.writes),
    failedAttempts: counter(definitions.failedAttempts),
    turnedAway: counter(definitions.turnedAway),
    upstreamCalls: histogram(definitions.upstreamCalls),
    turns: histogram(definitions.turns),
    pauses: counter(definitions.pauses),
    gateShut: counter(definitions.gateShut),
    auditEvents: counter(definitions.auditEvents),
    detections: histogram(definitions.detections),
    converged: counter(definitions.converged),
    driftRepairs: histogram(definitions.driftRepairs),
    sweeps: histogram(definitions.sweeps),
  };
}

/** Configuration of a metric for prom-client. */
export function toConfiguration<Label extends string>(
  { name, help, labels }: Definition<Label>,
  registry: Registry,
) {
  return { name, help, labelNames: labels, registers: [registry] };
}

/** Adds memory, CPU and event-loop delay of this process; called once per process, by its composition root. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry, prefix: 'scim_bridge_' });
}

/** Finds the series of some labels, in the order of their names, once: making the key costs more than counting. */
function remember<Label extends string>(metric: Histogram<Label>) {
  const series = new Map<string, Histogram.Internal<Label>>();
  return (...labels: readonly string[]) => {
    const key = labels.join(' ');
    const known = series.get(key) ?? metric.labels(...labels);
    series.set(key, known);
    return known;
  };
}

/** Times of leavers that a sample keeps: more than the service takes in a minute. */
const LEAVERS_MAX = 300;

/** Counter of what a sample tells of its minute. */
export type TrafficCounter = ReturnType<typeof createTrafficCounter>;

/** Creates the counter of one process. */
export function createTrafficCounter() {
  /** Calls to the service since the last sample. */
  let calls = 0;
  /** Times from the request until the leaver was out, in milliseconds. */
  let leaversMs: number[] = [];
  return {
    called() {
      calls += 1;
    },
    left(tookMs: number) {
      if (leaversMs.length < LEAVERS_MAX) leaversMs.push(Math.round(tookMs));
    },
    /** Takes what was counted; the next count begins at nothing. */
    take() {
      const taken = { calls, leaversMs };
      calls = 0;
      leaversMs = [];
      return taken;
    },
  };
}
