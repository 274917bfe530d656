import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { StepOutcome } from './events.ts';
import { metricDefinitions } from './metric-definitions.ts';

/** The counters and histograms, and the registry that prints them for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** One request answered. `route` is a pattern such as `/Users/:id`: an address would make endless series. */
  countRequest(labels: RequestLabels, durationMs: number): void;
  /** Repairs of the normaliser, by kind. */
  countRepairs(kind: string, count: number): void;
  /** One write of a provider was answered. */
  countWrite(labels: WriteLabels): void;
  /** One request was refused because of other requests, or because of their number. */
  countTurnedAway(reason: string): void;
  /** One request had no valid credential. */
  countFailedAttempt(place: string, status: number): void;
  /** One call to the service. `status` is 0 when no answer came. */
  countUpstreamCall(labels: UpstreamLabels, durationMs: number): void;
  /** One call got its turn in the budget. */
  countTurn(callClass: string, waitedMs: number): void;
  /** The service asked for a pause. */
  countPause(): void;
  /** Calls are stopped from now on. */
  countGateShut(gate: string): void;
  /** One new event of the audit log. */
  countAuditEvent(origin: string): void;
  /** Delay between a change by another author and its reading, in milliseconds. */
  countDetection(delayMs: number): void;
  /** The service holds a change that a provider asked for. */
  countChange(kind: string, tookMs: number): void;
  countStatement(verb: string, result: StoreResult, durationMs: number): void;
  countTransaction(result: StoreResult, durationMs: number): void;
  /** One attempt to notify a receiver. */
  countNotification(receiver: string, result: string): void;
  /** One step towards the desired state of a resource ended. */
  countConverge(labels: ConvergeLabels): void;
  countSweep(status: string, durationMs: number): void;
  /** Delay between the discovery of a difference and its repair, in milliseconds. */
  countDriftRepair(kind: string, tookMs: number): void;
}

/** How a statement or transaction ended. */
export type StoreResult = 'done' | 'failed';

interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

interface WriteLabels {
  readonly resourceType: 'user' | 'group';
  readonly answer: WriteAnswer;
}

/** Answer to a provider's write. */
export type WriteAnswer = 'applied' | 'accepted' | 'refused' | 'unchanged';

interface UpstreamLabels {
  readonly operation: string;
  readonly status: number;
}

interface ConvergeLabels {
  readonly resourceType: 'user' | 'group';
  readonly outcome: StepOutcome;
}

/** Creates metrics with a registry of their own, so that two bridges in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const series = createSeries(registry);
  const { requests, repairs, writes, upstreamCalls, turns, pauses, gateShut, converged } = series;
  const findRequests = rememberLabels(requests);
  const findStatements = rememberStatements(series.statements);
  return {
    registry,
    countRequest: ({ method, route, status }, durationMs) =>
      findRequests(method, route, status).observe(durationMs / 1_000),
    countRepairs: (kind, count) => repairs.inc({ kind }, count),
    countWrite: ({ resourceType, answer }) => writes.inc({ resource_type: resourceType, answer }),
    countTurnedAway: (reason) => series.turnedAway.inc({ reason }),
    countFailedAttempt: (place, status) => series.failedAttempts.inc({ place, status }),
    countUpstreamCall: (labels, durationMs) =>
      upstreamCalls.observe({ ...labels }, durationMs / 1_000),
    countTurn: (callClass, waitedMs) => turns.observe({ class: callClass }, waitedMs / 1_000),
    countPause: () => pauses.inc(),
    countGateShut: (gate) => gateShut.inc({ gate }),
    countAuditEvent: (origin) => series.auditEvents.inc({ origin }),
    countDetection: (delayMs) => series.detections.observe(delayMs / 1_000),
    countChange: (kind, tookMs) => series.changes.observe({ kind }, tookMs / 1_000),
    countStatement: (verb, result, durationMs) =>
      findStatements(verb, result).observe(durationMs / 1_000),
    countTransaction: (result, durationMs) =>
      series.transactions.observe({ result }, durationMs / 1_000),
    countNotification: (receiver, result) => series.notifications.inc({ receiver, result }),
    countConverge: ({ resourceType, outcome }) =>
      converged.inc({ resource_type: resourceType, outcome }),
    countSweep: (status, durationMs) => series.sweeps.observe({ status }, durationMs / 1_000),
    countDriftRepair: (kind, tookMs) => series.driftRepairs.observe({ kind }, tookMs / 1_000),
  };
}

function createSeries(registry: Registry) {
  const definitions = metricDefinitions;
  return {
    requests: new Histogram({
      ...toConfiguration(definitions.requests, registry),
      buckets: [...definitions.requests.buckets],
    }),
    changes: new Histogram({
      ...toConfiguration(definitions.changes, registry),
      buckets: [...definitions.changes.buckets],
    }),
    statements: new Histogram({
      ...toConfiguration(definitions.statements, registry),
      buckets: [...definitions.statements.buckets],
    }),
    transactions: new Histogram({
      ...toConfiguration(definitions.transactions, registry),
      buckets: [...definitions.transactions.buckets],
    }),
    notifications: new Counter(toConfiguration(definitions.notifications, registry)),
    repairs: new Counter(toConfiguration(definitions.repairs, registry)),
    writes: new Counter(toConfiguration(definitions.writes, registry)),
    failedAttempts: new Counter(toConfiguration(definitions.failedAttempts, registry)),
    turnedAway: new Counter(toConfiguration(definitions.turnedAway, registry)),
    upstreamCalls: new Histogram({
      ...toConfiguration(definitions.upstreamCalls, registry),
      buckets: [...definitions.upstreamCalls.buckets],
    }),
    turns: new Histogram({
      ...toConfiguration(definitions.turns, registry),
      buckets: [...definitions.turns.buckets],
    }),
    pauses: new Counter(toConfiguration(definitions.pauses, registry)),
    gateShut: new Counter(toConfiguration(definitions.gateShut, registry)),
    auditEvents: new Counter(toConfiguration(definitions.auditEvents, registry)),
    detections: new Histogram({
      ...toConfiguration(definitions.detections, registry),
      buckets: [...definitions.detections.buckets],
    }),
    converged: new Counter(toConfiguration(definitions.converged, registry)),
    driftRepairs: new Histogram({
      ...toConfiguration(definitions.driftRepairs, registry),
      buckets: [...definitions.driftRepairs.buckets],
    }),
    sweeps: new Histogram({
      ...toConfiguration(definitions.sweeps, registry),
      buckets: [...definitions.sweeps.buckets],
    }),
  };
}

/** Configuration of a metric for prom-client. */
export function toConfiguration<Label extends string>(
  { name, help, labels }: { name: string; help: string; labels: readonly Label[] },
  registry: Registry,
) {
  return { name, help, labelNames: labels, registers: [registry] };
}

/** Adds memory, CPU and event-loop delay of this process; called once per process, by its composition root. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry, prefix: 'scim_bridge_' });
}

/** The series of each combination of labels, found once: making the key costs more than counting. */
function rememberLabels(requests: Histogram<'method' | 'route' | 'status'>) {
  const series = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();
  return (method: string, route: string, status: number) => {
    const key = `${method} ${route} ${status}`;
    const known = series.get(key) ?? requests.labels({ method, route, status });
    series.set(key, known);
    return known;
  };
}

/** The same for statements, of which each request runs several. */
function rememberStatements(statements: Histogram<'verb' | 'result'>) {
  const series = new Map<string, Histogram.Internal<'verb' | 'result'>>();
  return (verb: string, result: StoreResult) => {
    const key = `${verb} ${result}`;
    const known = series.get(key) ?? statements.labels({ verb, result });
    series.set(key, known);
    return known;
  };
}
