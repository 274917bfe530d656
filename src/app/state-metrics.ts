import { Gauge } from 'prom-client';
import { CHANGE_CLASSES } from '../domain/change.ts';
import type { Clock } from '../domain/clock.ts';
import { shareRunning } from '../domain/clock.ts';
import { BridgeError } from '../domain/values.ts';
import { countWaitingNotices } from '../notify/notifier.ts';
import type { StatusSources } from '../ops/sources.ts';
import type { WaitingWork } from '../ops/state/readiness-facts.ts';
import { readWaitingWork } from '../ops/state/readiness-facts.ts';
import { readReadiness } from '../ops/state/reasons.ts';
import { readSeats } from '../ops/state/routes.ts';
import { POLL_STATE } from '../reconcile/audit/poller.ts';
import { countDrifts, findLastSweptAt } from '../store/drifts.ts';
import { countWaitingChanges } from '../store/due.ts';
import type { MetricDefinition, Metrics } from '../telemetry/metrics.ts';
import { COUNTED, describe } from '../telemetry/metrics.ts';

/** Sources of the state, with readings that several gauges share. Times are epoch milliseconds. */
interface MetricSources extends StatusSources {
  readonly readBacklog: () => Promise<WaitingWork>;
  readonly countChanges: () => ReturnType<typeof countWaitingChanges>;
}

/** One value, or one for each value of the labels; null and undefined: not known now. */
type Reading =
  | number
  | null
  | undefined
  | readonly (readonly [labels: string | readonly string[], value: number])[];

/** A metric that is read from the state. */
interface StateGauge extends MetricDefinition {
  readonly read: (sources: MetricSources) => Reading | Promise<Reading>;
}

const BACKLOG = [
  ['due', 'Users and groups with a waiting change.'],
  ['stuck', 'Users and groups whose acknowledged change the service refused.'],
] as const;

const STATE_GAUGES: readonly StateGauge[] = [
  gauge(
    'build_info{version,engine,mode,node}',
    'Always 1. The labels have the versions, the `engine` of the store and the `mode`.',
    ({ about: { version }, store, writes }) => [
      [[version, store.engine, writes().mode, process.versions.node], 1],
    ],
  ),
  gauge(
    'changes_waiting{kind}',
    'People and groups with a waiting change of a provider, by the kind of the most urgent.',
    async ({ countChanges }) => byKind(await countChanges(), ({ count }) => count),
  ),
  gauge(
    'change_oldest_age_seconds{kind}',
    'Age of the oldest of them, by kind; 0 if none waits.',
    async ({ countChanges, clock }) =>
      byKind(await countChanges(), ({ oldestAt }) => toAge(clock, oldestAt)),
  ),
  gauge(
    'store_connections{state}',
    'Connections to PostgreSQL: `used`, `idle`, and `waiting`, the work that waits for one. Absent on SQLite.',
    ({ store }) => Object.entries(store.connections() ?? {}),
  ),
  gauge('upstream_gate_is_shut{gate}', '1 while calls are stopped, by gate.', ({ leadership }) => {
    const { credentials, service } = leadership.news().health;
    const gates = Object.entries({ credentials, service });
    return gates.map(([gate, { kind }]) => [gate, Number(kind === 'shut')]);
  }),
  gauge(
    'upstream_pause_seconds',
    'Rest of the pause that the service asked for, of any process on the store; 0 without one.',
    ({ leadership }) => toSeconds(leadership.news().health.pausedForMs),
  ),
  gauge(
    'upstream_calls_in_flight',
    'Calls of this process without an answer yet.',
    ({ leadership }) => leadership.news().health.inFlight,
  ),
  gauge(
    'upstream_calls_waiting{class}',
    'Calls of this process that wait for the rate, by class.',
    ({ leadership }) => Object.entries(leadership.news().health.waiting),
  ),
  gauge(
    'audit_lag_seconds',
    'Time since the audit log was last read to its end. Absent if it is not read.',
    async ({ settings, store, clock }) => {
      const isFollowed = settings.audit.pollInterval !== 0;
      const readAt = isFollowed ? (await POLL_STATE.find(store.read))?.readAt : undefined;
      return readAt && toAge(clock, readAt);
    },
  ),
  ...BACKLOG.map(([name, help]) =>
    gauge(name, help, async ({ readBacklog }) => (await readBacklog())[name]),
  ),
  gauge(
    'seats{state}',
    'Seats of the service: `used`, `needed` (used or waited for), `total` (`SEATS_TOTAL`, if set).',
    async (sources) => {
      const { total, used, waiting } = await readSeats(sources, await sources.readBacklog());
      const known = Object.entries({ used, needed: used + waiting });
      return total === null ? known : [...known, ['total', total]];
    },
  ),
  gauge('leader', '1 while this process leads, else 0.', ({ leadership }) =>
    Number(leadership.known()?.isSelf === true),
  ),
  gauge(
    'last_complete_sweep_timestamp_seconds',
    'End of the last complete sweep, in seconds since 1970. Absent before the first.',
    async ({ store }) => {
      const at = await findLastSweptAt(store.read);
      return at && toSeconds(at);
    },
  ),
  gauge(
    'drift{kind,status}',
    'Drifts by kind and status. Ended ones (`repaired`, `accepted`, `gone`) count for `RETENTION_LEDGER`.',
    async ({ store }) =>
      (await countDrifts(store.read)).map(({ kind, status, count }) => [[kind, status], count]),
  ),
  gauge(
    'notifications_waiting{receiver}',
    'Notifications that a receiver did not take yet.',
    async ({ store }) =>
      (await countWaitingNotices(store.read)).map(({ receiver, count }) => [receiver, count]),
  ),
  gauge('reasons{code}', 'Reasons of `/readyz` by code.', async (sources) =>
    (await readReadiness(sources)).reasons.map(({ code }) => [code, 1]),
  ),
];

/** Adds gauges of the backlog, of faults and of work under way. What cannot be read now is left out. */
export function addStateMetrics({ registry }: Metrics, sources: StatusSources): void {
  const { store, clock } = sources;
  const shared: MetricSources = {
    ...sources,
    readBacklog: shareRunning(() => readWaitingWork(store.read, clock.now())),
    countChanges: shareRunning(() => countWaitingChanges(store.read)),
  };
  for (const { name, help, labels, read } of STATE_GAUGES) {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const reading = await Promise.resolve(shared).then(read).catch(toUnknown);
        if (labels.length === 0) this.remove();
        else this.reset();
        if (typeof reading === 'number') this.set(reading);
        else
          for (const [values, value] of reading ?? []) this.labels(...[values].flat()).inc(value);
      },
    });
  }
}

/** Every metric of the bridge itself. */
export function listMetrics(): MetricDefinition[] {
  return [...Object.values(COUNTED), ...STATE_GAUGES];
}

function gauge(series: string, help: string, read: StateGauge['read']): StateGauge {
  return { ...describe('gauge', series, help), read };
}

type Changes = Awaited<ReturnType<typeof countWaitingChanges>>;

/** A number of each kind of change; 0 where none waits. */
function byKind(changes: Changes, toValue: (change: Changes[number]) => number): Reading {
  return CHANGE_CLASSES.map((kind) => {
    const change = changes.find((one) => one.kind === kind);
    return [kind, change === undefined ? 0 : toValue(change)];
  });
}

const toSeconds = (ms: number) => ms / 1_000;

const toAge = (clock: Clock, at: number) => toSeconds(Math.max(clock.now() - at, 0));

function toUnknown(error: unknown): undefined {
  if (error instanceof BridgeError) return undefined;
  throw error;
}
