import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../domain/clock.ts';
import type { StepOutcome } from './events.ts';

/** What is measured, and the registry that prints it for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** One request answered. `route` is a pattern such as `/Users/:id`: an address would make endless series. */
  countRequest(labels: RequestLabels, durationMs: number): void;
  /** What the normaliser had to repair, by kind. */
  countRepairs(kind: string, count: number): void;
  /** One call to the service. `status` is 0 when no answer came. */
  countUpstreamCall(labels: UpstreamLabels, durationMs: number): void;
  /** How one step towards the desired state of a resource ended. */
  countConverge(labels: ConvergeLabels): void;
}

interface RequestLabels {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

interface UpstreamLabels {
  readonly operation: string;
  readonly status: number;
}

interface ConvergeLabels {
  readonly resourceType: 'user' | 'group';
  readonly outcome: StepOutcome;
}

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A set of metrics on a registry of its own, so that two bridges in one process do not mix. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const requests = new Histogram({
    name: 'scim_bridge_http_request_duration_seconds',
    help: 'Requests answered, and how long that took.',
    labelNames: ['method', 'route', 'status'],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  const repairs = new Counter({
    name: 'scim_bridge_normaliser_repairs_total',
    help: 'What identity providers send differently from the standard and the bridge repaired.',
    labelNames: ['kind'],
    registers: [registry],
  });
  const upstreamCalls = new Histogram({
    name: 'scim_bridge_upstream_call_duration_seconds',
    help: 'Calls to the service, and how long they took; status 0 means that no answer came.',
    labelNames: ['operation', 'status'],
    buckets: bucketsSeconds,
    registers: [registry],
  });
  const converged = new Counter({
    name: 'scim_bridge_converge_total',
    help: 'Steps towards the desired state of a resource, by how they ended.',
    labelNames: ['resource_type', 'outcome'],
    registers: [registry],
  });
  const findRequests = rememberLabels(requests);
  return {
    registry,
    countRequest: ({ method, route, status }, durationMs) =>
      findRequests(method, route, status).observe(durationMs / 1_000),
    countRepairs: (kind, count) => repairs.inc({ kind }, count),
    countUpstreamCall: (labels, durationMs) =>
      upstreamCalls.observe({ ...labels }, durationMs / 1_000),
    countConverge: ({ resourceType, outcome }) =>
      converged.inc({ resource_type: resourceType, outcome }),
  };
}

/** Adds memory, CPU and event-loop delay of this process; once per process, by whoever composes it. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry, prefix: 'scim_bridge_' });
}

/** Work that waits, as metrics see it. */
interface BacklogSource {
  /** `oldestDueAt` is epoch milliseconds. */
  readonly readBacklog: () => Promise<{
    due: number;
    stuck: number;
    oldestDueAt: number | undefined;
  }>;
  readonly clock: Clock;
}

/** Adds what waits and what is stuck, read from the store whenever somebody asks for the metrics. */
export function addBacklogMetrics(
  { registry }: Metrics,
  { readBacklog, clock }: BacklogSource,
): void {
  const registers = [registry];
  const stuck = new Gauge({
    name: 'scim_bridge_stuck',
    help: 'People and groups whose acknowledged change the service refused.',
    registers,
  });
  const age = new Gauge({
    name: 'scim_bridge_oldest_due_age_seconds',
    help: 'How long the oldest waiting change has been due; 0 when nothing is.',
    registers,
  });
  new Gauge({
    name: 'scim_bridge_due',
    help: 'People and groups with a change that waits for the service.',
    registers,
    async collect() {
      const backlog = await readBacklog();
      this.set(backlog.due);
      stuck.set(backlog.stuck);
      age.set(Math.max(clock.now() - (backlog.oldestDueAt ?? clock.now()), 0) / 1_000);
    },
  });
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
