import { Gauge } from 'prom-client';
import { CHANGE_CLASSES } from '../domain/change-class.ts';
import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import { countWaitingNotices } from '../notify/conditions.ts';
import type { StatusSources } from '../ops/sources.ts';
import { readWaitingWork, type WaitingWork } from '../ops/state/readiness-facts.ts';
import { readReadiness } from '../ops/state/reasons.ts';
import { POLL_STATE } from '../reconcile/audit/poller.ts';
import { countWaitingChanges } from '../store/changes.ts';
import { listLiveCredentials } from '../store/credentials/credentials.ts';
import { countDrifts, findLastSweptAt } from '../store/drifts.ts';
import { countWaitingPlans } from '../store/plans.ts';
import { COUNTED, type MetricDefinition, type Metrics } from '../telemetry/metrics.ts';

/** Sources of the state, with readings that several gauges share. Times are epoch milliseconds. */
interface MetricSources extends StatusSources {
  readonly readBacklog: () => Promise<WaitingWork>;
  readonly countChanges: () => ReturnType<typeof countWaitingChanges>;
}

/** Labels of one series, and its number; without a number the series is left out. */
type Series = readonly [labels: Readonly<Record<string, string>>, value: number];

/** A metric that is read from the state. */
interface StateGauge extends MetricDefinition {
  readonly read: (sources: MetricSources) => readonly Series[] | Promise<readonly Series[]>;
}

const NO_CHANGES = CHANGE_CLASSES.map((kind): Series => [{ kind }, 0]);

const BACKLOG = [
  ['due', 'Users and groups with a waiting change.'],
  ['failing', 'Those of them whose change failed several times, without stuck ones.'],
  ['stuck', 'Users and groups whose acknowledged change the service refused.'],
  ['disputed', 'Names that fit two accounts or groups, or need a decision of an operator.'],
] as const;

const STATE_GAUGES: readonly StateGauge[] = [
  gauge(
    'build_info',
    'Always 1. The labels have the versions, the `engine` of the store and the `mode`.',
    ({ about: { version }, store: { engine }, writes }) => {
      const labels = { version, engine, mode: writes().mode, node: process.versions.node };
      return [[labels, 1]];
    },
    ['version', 'engine', 'mode', 'node'],
  ),
  single('start_time_seconds', 'Start of this process, in seconds since 1970.', () =>
    toSeconds(performance.timeOrigin),
  ),
  gauge(
    'changes_waiting',
    'People and groups with a waiting change of a provider, by the kind of the most urgent.',
    async ({ countChanges }) => [
      ...NO_CHANGES,
      ...(await countChanges()).map(({ kind, count }): Series => [{ kind }, count]),
    ],
    ['kind'],
  ),
  gauge(
    'change_oldest_age_seconds',
    'Age of the oldest of them, by kind; 0 if none waits.',
    async ({ countChanges, clock }) => [
      ...NO_CHANGES,
      ...(await countChanges()).map(
        ({ kind, oldestAt }): Series => [{ kind }, toAge(clock, oldestAt)],
      ),
    ],
    ['kind'],
  ),
  gauge(
    'store_connections',
    'Connections to PostgreSQL: `used`, `idle`, and `waiting`, the work that waits for one. Absent on SQLite.',
    ({ store }) =>
      Object.entries(store.connections() ?? {}).map(([state, count]) => [{ state }, count]),
    ['state'],
  ),
  gauge(
    'credential_expiry_timestamp_seconds',
    'Expiry of a named token, or of the first secret of a client to end (`for` is `client`), in seconds since 1970. Absent if it never expires or is revoked.',
    async ({ store }) => {
      const live = (await listLiveCredentials(store.read)).toReversed();
      // For a client with two secrets, the end of the one that ends first.
      const first = new Map(live.map((one) => [`${one.purpose} ${one.name}`, one]));
      return [...first.values()].flatMap(({ name, purpose, expiresAt }): Series[] =>
        expiresAt === null ? [] : [[{ name, for: purpose }, toSeconds(expiresAt)]],
      );
    },
    ['name', 'for'],
  ),
  gauge(
    'upstream_gate_is_shut',
    '1 while calls are stopped, by gate.',
    ({ news }) => {
      const { credentials, service } = news().health;
      const gates = Object.entries({ credentials, service });
      return gates.map(([gate, { kind }]) => [{ gate }, kind === 'shut' ? 1 : 0]);
    },
    ['gate'],
  ),
  single(
    'upstream_pause_seconds',
    'Rest of the pause that the service asked for, of any process on the store; 0 without one.',
    ({ news }) => toSeconds(news().health.pausedForMs),
  ),
  single(
    'upstream_calls_in_flight',
    'Calls of this process without an answer yet.',
    ({ news }) => news().health.inFlight,
  ),
  gauge(
    'upstream_calls_waiting',
    'Calls of this process that wait for the rate, by class.',
    ({ news }) =>
      Object.entries(news().health.waiting).map(([name, count]) => [{ class: name }, count]),
    ['class'],
  ),
  single(
    'audit_lag_seconds',
    'Time since the audit log was last read to its end. Absent if it is not read.',
    async ({ isAuditFollowed, store, clock }) => {
      const readAt = isAuditFollowed ? (await POLL_STATE.find(store.read))?.readAt : undefined;
      return readAt && toAge(clock, readAt);
    },
  ),
  ...BACKLOG.map(([name, help]) =>
    single(name, help, async ({ readBacklog }) => (await readBacklog())[name]),
  ),
  single(
    'oldest_pending_age_seconds',
    'Age of the oldest waiting change, without stuck ones; 0 if nothing waits.',
    async ({ readBacklog, clock }) => {
      const { oldestSince } = await readBacklog();
      return toAge(clock, oldestSince ?? clock.now());
    },
  ),
  gauge(
    'seats',
    'Seats of the service: `used`, `needed` (used or waited for), `total` (`SEATS_TOTAL`, if set).',
    async ({ readSeats }) => {
      const { total, used, waiting } = await readSeats();
      const known: Series[] = [
        [{ state: 'used' }, used],
        [{ state: 'needed' }, used + waiting],
      ];
      return total === null ? known : [...known, [{ state: 'total' }, total]];
    },
    ['state'],
  ),
  single(
    'seats_days_left',
    'Days until the seats run out, by the trend of the last two days. Absent if unknown or never.',
    async ({ readSeats }) => (await readSeats()).daysLeft,
  ),
  single('leader', '1 while this process leads, else 0.', ({ findLeader }) =>
    Number(findLeader()?.isSelf === true),
  ),
  single(
    'requests_waiting',
    'Requests of providers that wait for the service.',
    ({ activity }) => activity().waiting,
  ),
  single(
    'last_complete_sweep_timestamp_seconds',
    'End of the last complete sweep, in seconds since 1970. Absent before the first.',
    async ({ store }) => {
      const at = await findLastSweptAt(store.read);
      return at && toSeconds(at);
    },
  ),
  gauge(
    'plan_changes_held',
    'Changes that wait in plans for an operator, by the source of the plan.',
    async ({ store }) =>
      (await countWaitingPlans(store.read)).map(({ source, waiting }) => [{ source }, waiting]),
    ['source'],
  ),
  gauge(
    'drift',
    'Drifts by kind and status. Ended ones (`repaired`, `accepted`, `gone`) count for `RETENTION_LEDGER`.',
    async ({ store }) =>
      (await countDrifts(store.read)).map(({ kind, status, count }) => [{ kind, status }, count]),
    ['kind', 'status'],
  ),
  gauge(
    'notifications_waiting',
    'Notifications that a receiver did not take yet.',
    async ({ store }) =>
      (await countWaitingNotices(store.read)).map(({ receiver, count }) => [{ receiver }, count]),
    ['receiver'],
  ),
  gauge(
    'reasons',
    'Reasons of `/readyz` by code.',
    async (sources) => (await readReadiness(sources)).reasons.map(({ code }) => [{ code }, 1]),
    ['code'],
  ),
];

/** Adds gauges of the backlog, of faults and of work under way. What cannot be read now is left out. */
export function addStateMetrics({ registry }: Metrics, sources: StatusSources): void {
  const { store, clock, readSeats } = sources;
  const shared: MetricSources = {
    ...sources,
    readBacklog: shareReading(() => readWaitingWork(store.read, clock.now())),
    countChanges: shareReading(() => countWaitingChanges(store.read)),
    readSeats: shareReading(readSeats),
  };
  for (const { name, help, labels, read } of STATE_GAUGES) {
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      async collect() {
        const series = await Promise.resolve(shared).then(read).catch(toNothing);
        if (labels.length === 0) this.remove();
        else this.reset();
        for (const [values, value] of series) this.inc(values, value);
      },
    });
  }
}

/** Every metric of the bridge itself. */
export function listMetrics(): MetricDefinition[] {
  return [...Object.values(COUNTED), ...STATE_GAUGES];
}

/** The metrics as a Markdown table, for docs/runbook.md. */
export function toMetricsTable(): string {
  const rows = listMetrics().map(({ name, type, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function gauge(
  name: string,
  help: string,
  read: StateGauge['read'],
  labels: readonly string[] = [],
): StateGauge {
  return { type: 'gauge', name: `scim_bridge_${name}`, help, labels, read };
}

type Reading = number | null | undefined;

/** A gauge of one series without labels; null and undefined: not known now. */
function single(
  name: string,
  help: string,
  read: (sources: MetricSources) => Reading | Promise<Reading>,
): StateGauge {
  return gauge(name, help, async (sources) => {
    const value = await read(sources);
    return value === null || value === undefined ? [] : [[{}, value]];
  });
}

function toSeconds(ms: number): number {
  return ms / 1_000;
}

function toAge(clock: Clock, at: number): number {
  return toSeconds(Math.max(clock.now() - at, 0));
}

/** Requests during a reading share it: one reading serves several gauges. */
function shareReading<Numbers>(read: () => Promise<Numbers>): () => Promise<Numbers> {
  let reading: Promise<Numbers> | undefined;
  return () => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

function toNothing(error: unknown): readonly Series[] {
  if (error instanceof BridgeError) return [];
  throw error;
}
