import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { StepOutcome } from './events.ts';
import { metricDefinitions } from './metric-definitions.ts';

/** The counters and histograms, and the registry that prints them for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

/** How a statement or transaction ended. */
type StoreResult = 'done' | 'failed';

interface RequestLabels {
  readonly method: string;
  /** A pattern such as `/Users/:id`: an address would make endless series. */
  readonly route: string;
  readonly status: number;
}

interface WriteLabels {
  readonly resourceType: 'user' | 'group';
  /** Answer to the provider. */
  readonly answer: 'applied' | 'accepted' | 'refused' | 'unchanged';
}

interface UpstreamLabels {
  readonly operation: string;
  /** 0: no answer came. */
  readonly status: number;
}

interface ConvergeLabels {
  readonly resourceType: 'user' | 'group';
  readonly outcome: StepOutcome;
}

/** Creates metrics with a registry of their own, so that two bridges in one process do not mix. */
export function createMetrics() {
  const registry = new Registry();
  const series = createSeries(registry);
  const findRequests = remember(series.requests);
  const findStatements = remember(series.statements);
  return {
    registry,
    countRequest: ({ method, route, status }: RequestLabels, durationMs: number) =>
      findRequests(method, route, `${status}`).observe(durationMs / 1_000),
    countRepairs: (kind: string, count: number) => series.repairs.inc({ kind }, count),
    countWrite: ({ resourceType, answer }: WriteLabels) =>
      series.writes.inc({ resource_type: resourceType, answer }),
    countTurnedAway: (reason: string) => series.turnedAway.inc({ reason }),
    countFailedAttempt: (place: string, status: number) =>
      series.failedAttempts.inc({ place, status }),
    countUpstreamCall: (labels: UpstreamLabels, durationMs: number) =>
      series.upstreamCalls.observe({ ...labels }, durationMs / 1_000),
    countTurn: (callClass: string, waitedMs: number) =>
      series.turns.observe({ class: callClass }, waitedMs / 1_000),
    countPause: () => series.pauses.inc(),
    countGateShut: (gate: string) => series.gateShut.inc({ gate }),
    countAuditEvent: (origin: string) => series.auditEvents.inc({ origin }),
    countDetection: (delayMs: number) => series.detections.observe(delayMs / 1_000),
    countChange: (kind: string, tookMs: number) => series.changes.observe({ kind }, tookMs / 1_000),
    countStatement: (verb: string, result: StoreResult, durationMs: number) =>
      findStatements(verb, result).observe(durationMs / 1_000),
    countTransaction: (result: StoreResult, durationMs: number) =>
      series.transactions.observe({ result }, durationMs / 1_000),
    countNotification: (receiver: string, result: string) =>
      series.notifications.inc({ receiver, result }),
    countConverge: ({ resourceType, outcome }: ConvergeLabels) =>
      series.converged.inc({ resource_type: resourceType, outcome }),
    countSweep: (status: string, durationMs: number) =>
      series.sweeps.observe({ status }, durationMs / 1_000),
    countDriftRepair: (kind: string, tookMs: number) =>
      series.driftRepairs.observe({ kind }, tookMs / 1_000),
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
