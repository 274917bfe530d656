/** One metric; `labels` distinguish its series. */
interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in the unit of the name. */
  readonly buckets?: readonly number[];
}

const answerSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;
/** Waiting for a turn takes from nothing to an hour. */
const turnSeconds = [0.01, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 900, 3_600] as const;

/** A change takes from nothing to a day, when the service is down. */
const changeSeconds = [
  0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400,
] as const;
const statementSeconds = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30] as const;

/** Every metric of the bridge itself; docs/runbook.md lists the same. */
export const metricDefinitions = {
  requests: {
    type: 'histogram',
    name: 'scim_bridge_http_request_duration_seconds',
    help: 'Duration of answered requests. `route` is a pattern, never an address.',
    labels: ['method', 'route', 'status'],
    buckets: answerSeconds,
  },
  build: {
    type: 'gauge',
    name: 'scim_bridge_build_info',
    help: 'Always 1. The labels have the versions, the `engine` of the store and the `mode`.',
    labels: ['version', 'engine', 'mode', 'node'],
  },
  started: {
    type: 'gauge',
    name: 'scim_bridge_start_time_seconds',
    help: 'Start of this process, in seconds since 1970.',
    labels: [],
  },
  changes: {
    type: 'histogram',
    name: 'scim_bridge_change_duration_seconds',
    help: 'Time from the acceptance of a change of a provider until the service holds it, by kind: `leaver` (deactivated or deleted), `joiner` (created or activated), `user`, `member-removed`, `member-added`, `group`. The leader counts it. Refused changes are not in it.',
    labels: ['kind'],
    buckets: changeSeconds,
  },
  changesWaiting: {
    type: 'gauge',
    name: 'scim_bridge_changes_waiting',
    help: 'People and groups with a waiting change of a provider, by the kind of the most urgent.',
    labels: ['kind'],
  },
  changesOldest: {
    type: 'gauge',
    name: 'scim_bridge_change_oldest_age_seconds',
    help: 'Age of the oldest of them, by kind; 0 if none waits.',
    labels: ['kind'],
  },
  statements: {
    type: 'histogram',
    name: 'scim_bridge_store_statement_duration_seconds',
    help: 'Duration of statements of the store, by first word and `result` (`done`, `failed`).',
    labels: ['verb', 'result'],
    buckets: statementSeconds,
  },
  transactions: {
    type: 'histogram',
    name: 'scim_bridge_store_transaction_duration_seconds',
    help: 'Duration of transactions of the store, waiting included, by `result` (`done`, `failed`).',
    labels: ['result'],
    buckets: statementSeconds,
  },
  connections: {
    type: 'gauge',
    name: 'scim_bridge_store_connections',
    help: 'Connections to PostgreSQL: `used`, `idle`, and `waiting`, the work that waits for one. Absent on SQLite.',
    labels: ['state'],
  },
  credentialExpiry: {
    type: 'gauge',
    name: 'scim_bridge_credential_expiry_timestamp_seconds',
    help: 'Expiry of a named token, or of the first secret of a client to end (`for` is `client`), in seconds since 1970. Absent if it never expires or is revoked.',
    labels: ['name', 'for'],
  },
  failedAttempts: {
    type: 'counter',
    name: 'scim_bridge_authentication_failures_total',
    help: 'Requests without a valid credential, by `place` (`scim`, `oauth`, `ops`) and answer: `401`, or `429` if too many were delayed.',
    labels: ['place', 'status'],
  },
  turnedAway: {
    type: 'counter',
    name: 'scim_bridge_requests_turned_away_total',
    help: 'Requests that were refused for their number: `rate` and `concurrency` of one credential (429), `bodies` in work together (503).',
    labels: ['reason'],
  },
  repairs: {
    type: 'counter',
    name: 'scim_bridge_normaliser_repairs_total',
    help: 'Deviations from the standard that the bridge repaired.',
    labels: ['kind'],
  },
  writes: {
    type: 'counter',
    name: 'scim_bridge_writes_total',
    help: 'Writes of providers by answer: `applied` (the service holds it), `accepted` (delivered later), `refused` (by the service), `unchanged` (nothing to do there).',
    labels: ['resource_type', 'answer'],
  },
  converged: {
    type: 'counter',
    name: 'scim_bridge_converge_total',
    help: 'Steps of convergence by outcome: `done`, `refused`, `later`, `unknown` (the answer was lost).',
    labels: ['resource_type', 'outcome'],
  },
  upstreamCalls: {
    type: 'histogram',
    name: 'scim_bridge_upstream_call_duration_seconds',
    help: 'Duration of calls to the service. Status 0 means no answer.',
    labels: ['operation', 'status'],
    buckets: answerSeconds,
  },
  turns: {
    type: 'histogram',
    name: 'scim_bridge_upstream_turn_wait_seconds',
    help: 'How long calls waited for the rate, by class: `remove`, `change`, `look`, `pass` (operators).',
    labels: ['class'],
    buckets: turnSeconds,
  },
  pauses: {
    type: 'counter',
    name: 'scim_bridge_upstream_pauses_total',
    help: 'Pauses of all calls because the service answered 429.',
    labels: [],
  },
  gateShut: {
    type: 'counter',
    name: 'scim_bridge_upstream_gate_shut_total',
    help: 'How often calls were stopped: `service` (it failed for several resources), `credentials` (it rejected the token).',
    labels: ['gate'],
  },
  gateIsShut: {
    type: 'gauge',
    name: 'scim_bridge_upstream_gate_is_shut',
    help: '1 while calls are stopped, by the same gates.',
    labels: ['gate'],
  },
  paused: {
    type: 'gauge',
    name: 'scim_bridge_upstream_pause_seconds',
    help: 'Rest of the pause that the service asked for, of any process on the store; 0 without one.',
    labels: [],
  },
  inFlight: {
    type: 'gauge',
    name: 'scim_bridge_upstream_calls_in_flight',
    help: 'Calls of this process without an answer yet.',
    labels: [],
  },
  waitingCalls: {
    type: 'gauge',
    name: 'scim_bridge_upstream_calls_waiting',
    help: 'Calls of this process that wait for the rate, by class.',
    labels: ['class'],
  },
  auditEvents: {
    type: 'counter',
    name: 'scim_bridge_audit_events_total',
    help: 'New events of the audit log: `ours` (the account of the token), `operator` (a call of an operator), `foreign` (another account), `unknown` (no author), `unreadable` (skipped).',
    labels: ['origin'],
  },
  detections: {
    type: 'histogram',
    name: 'scim_bridge_audit_detection_seconds',
    help: 'Time from a change by another account until the bridge read about it.',
    labels: [],
    buckets: turnSeconds,
  },
  auditLag: {
    type: 'gauge',
    name: 'scim_bridge_audit_lag_seconds',
    help: 'Time since the audit log was last read to its end. Absent if it is not read.',
    labels: [],
  },
  due: {
    type: 'gauge',
    name: 'scim_bridge_due',
    help: 'Users and groups with a waiting change.',
    labels: [],
  },
  failing: {
    type: 'gauge',
    name: 'scim_bridge_failing',
    help: 'Those of them whose change failed several times, without stuck ones.',
    labels: [],
  },
  stuck: {
    type: 'gauge',
    name: 'scim_bridge_stuck',
    help: 'Users and groups whose acknowledged change the service refused.',
    labels: [],
  },
  seats: {
    type: 'gauge',
    name: 'scim_bridge_seats',
    help: 'Seats of the service: `used`, `needed` (used or waited for), `total` (`SEATS_TOTAL`, if set).',
    labels: ['state'],
  },
  seatDaysLeft: {
    type: 'gauge',
    name: 'scim_bridge_seats_days_left',
    help: 'Days until the seats run out, by the trend of the last two days. Absent if unknown or never.',
    labels: [],
  },
  disputed: {
    type: 'gauge',
    name: 'scim_bridge_disputed',
    help: 'Names that fit two accounts or groups, or need a decision of an operator.',
    labels: [],
  },
  oldestAge: {
    type: 'gauge',
    name: 'scim_bridge_oldest_pending_age_seconds',
    help: 'Age of the oldest waiting change, without stuck ones; 0 if nothing waits.',
    labels: [],
  },
  running: {
    type: 'gauge',
    name: 'scim_bridge_converging',
    help: 'Users and groups that this process converges now.',
    labels: [],
  },
  leader: {
    type: 'gauge',
    name: 'scim_bridge_leader',
    help: '1 while this process leads, else 0.',
    labels: [],
  },
  leaderEpoch: {
    type: 'gauge',
    name: 'scim_bridge_leader_epoch',
    help: 'Epoch of the leader that this process knows. Each takeover raises it.',
    labels: [],
  },
  leaderSince: {
    type: 'gauge',
    name: 'scim_bridge_leader_since_seconds',
    help: 'Start of that epoch, in seconds since 1970.',
    labels: [],
  },
  waitingRequests: {
    type: 'gauge',
    name: 'scim_bridge_requests_waiting',
    help: 'Requests of providers that wait for the service.',
    labels: [],
  },
  sweeps: {
    type: 'histogram',
    name: 'scim_bridge_sweep_duration_seconds',
    help: 'Duration of sweeps. `incomplete` ones did not conclude everything.',
    labels: ['status'],
    buckets: turnSeconds,
  },
  lastSweep: {
    type: 'gauge',
    name: 'scim_bridge_last_complete_sweep_timestamp_seconds',
    help: 'End of the last complete sweep, in seconds since 1970. Absent before the first.',
    labels: [],
  },
  driftRepairs: {
    type: 'histogram',
    name: 'scim_bridge_drift_repair_seconds',
    help: 'Time from finding a drift until its repair.',
    labels: ['kind'],
    buckets: turnSeconds,
  },
  plansHeld: {
    type: 'gauge',
    name: 'scim_bridge_plan_changes_held',
    help: 'Changes that wait in plans for an operator, by the source of the plan.',
    labels: ['source'],
  },
  drift: {
    type: 'gauge',
    name: 'scim_bridge_drift',
    help: 'Drifts by kind and status. Ended ones (`repaired`, `accepted`, `gone`) count for `RETENTION_LEDGER`.',
    labels: ['kind', 'status'],
  },
  notifications: {
    type: 'counter',
    name: 'scim_bridge_notifications_total',
    help: 'Attempts to notify a receiver: `delivered`, `failed` (tried again).',
    labels: ['receiver', 'result'],
  },
  notificationsWaiting: {
    type: 'gauge',
    name: 'scim_bridge_notifications_waiting',
    help: 'Notifications that a receiver did not take yet.',
    labels: ['receiver'],
  },
  reasons: {
    type: 'gauge',
    name: 'scim_bridge_reasons',
    help: 'Reasons of `/readyz` by code.',
    labels: ['code'],
  },
} as const satisfies Record<string, MetricDefinition>;

/** Every metric of the bridge itself as a Markdown table, for docs/runbook.md. */
export function toMetricsTable(): string {
  const rows = Object.values(metricDefinitions).map(({ name, type, labels, help }) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${shown} | ${help} |`;
  });
  return ['| metric | type | labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}
