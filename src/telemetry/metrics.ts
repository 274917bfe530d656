import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** The counters and histograms, and the registry that prints them for Prometheus. */
export type Metrics = { readonly registry: Registry } & {
  readonly [Name in keyof typeof COUNTED]: MetricOf<(typeof COUNTED)[Name]>;
};
type MetricOf<Row> = Row extends { readonly buckets: unknown } ? Histogram : Counter;

/** One metric as docs/runbook.md lists it; `labels` distinguish its series. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Upper bounds of the histograms, in seconds. */
const ANSWERS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const STATEMENTS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];
/** Waiting for a turn takes from nothing to an hour. */
const TURNS = [0.01, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600];
/** A change takes from nothing to a day, when the service is down. */
const CHANGES = [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400];

/** What is counted when it happens. */
export const COUNTED = {
  requests: histogram(
    'http_request_duration{method,route,status}',
    ANSWERS,
    'Duration of answered requests. `route` is a pattern, never an address.',
  ),
  changes: histogram(
    'change_duration{kind}',
    CHANGES,
    'Time from the acceptance of a change of a provider until the service holds it, by kind: `leaver` (deactivated or deleted), `joiner` (created or activated), `user`, `member-removed`, `member-added`, `group`. The leader counts it. Refused changes are not in it.',
  ),
  statements: histogram(
    'store_statement_duration{verb,result}',
    STATEMENTS,
    'Duration of statements of the store, by first word and `result` (`done`, `failed`).',
  ),
  transactions: histogram(
    'store_transaction_duration{result}',
    STATEMENTS,
    'Duration of transactions of the store, waiting included, by `result` (`done`, `failed`).',
  ),
  failedAttempts: counter(
    'authentication_failures{place,status}',
    'Requests without a valid credential, by `place` (`scim`, `oauth`, `ops`) and answer: `401`, or `429` if too many were delayed.',
  ),
  turnedAway: counter(
    'requests_turned_away{reason}',
    'Requests that were refused for their number: `rate` and `concurrency` of one credential (429), `bodies` in work together (503).',
  ),
  repairs: counter(
    'normaliser_repairs{kind}',
    'Deviations from the standard that the bridge repaired.',
  ),
  writes: counter(
    'writes{resource_type,answer}',
    'Writes of providers by answer: `applied` (the service holds it), `accepted` (delivered later), `refused` (by the service), `unchanged` (nothing to do there).',
  ),
  upstreamCalls: histogram(
    'upstream_call_duration{operation,status}',
    ANSWERS,
    'Duration of calls to the service. Status 0 means no answer.',
  ),
  turns: histogram(
    'upstream_turn_wait{class}',
    TURNS,
    'How long calls waited for the rate, by class: `remove`, `change`, `look`, `pass` (operators).',
  ),
  auditEvents: counter(
    'audit_events{origin}',
    'New events of the audit log: `ours` (the account of the token), `foreign` (another account), `unknown` (no author), `unreadable` (skipped).',
  ),
  sweeps: histogram(
    'sweep_duration{status}',
    TURNS,
    'Duration of sweeps. `incomplete` ones did not conclude everything.',
  ),
  notifications: counter(
    'notifications{receiver,result}',
    'Attempts to notify a receiver: `delivered`, `failed` (tried again).',
  ),
};

/** Creates metrics with a registry of their own, so that two bridges in one process do not mix. Times are in seconds. */
export function createMetrics(): Metrics;
// Which metric has which labels no compiler sees in a loop: hence two signatures.
export function createMetrics(): object {
  const registry = new Registry();
  const metrics = Object.entries(COUNTED).map(([key, { name, help, labels, ...more }]) => {
    const options = { name, help, labelNames: labels, registers: [registry] };
    const isTimed = 'buckets' in more;
    return [key, isTimed ? new Histogram({ ...options, ...more }) : new Counter(options)];
  });
  return { registry, ...Object.fromEntries(metrics) };
}

/** Describes a metric. @param series name with its labels, as Prometheus writes them, without the end that its type has */
export function describe(
  type: MetricDefinition['type'],
  series: string,
  help: string,
): MetricDefinition {
  const [, name, labels = ''] = /^(\w+)(?:\{(.+)\})?$/.exec(series) ?? [];
  const end = { counter: '_total', gauge: '', histogram: '_seconds' }[type];
  const names = labels === '' ? [] : labels.split(',');
  return { type, name: `scim_bridge_${name}${end}`, help, labels: names };
}

function counter(series: string, help: string): MetricDefinition {
  return describe('counter', series, help);
}

function histogram(series: string, buckets: number[], help: string) {
  return { ...describe('histogram', series, help), buckets };
}

/** Adds memory, CPU and event-loop delay of this process; called once per process, by its composition root. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry, prefix: 'scim_bridge_' });
}
