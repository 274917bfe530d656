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
    help: 'Requests answered, and how long that took. `route` is a pattern, never an address.',
    labels: ['method', 'route', 'status'],
    buckets: answerSeconds,
  },
  build: {
    type: 'gauge',
    name: 'scim_bridge_build_info',
    help: '1, with the version of the bridge, the `engine` of its store, its `mode` and the version of Node.',
    labels: ['version', 'engine', 'mode', 'node'],
  },
  started: {
    type: 'gauge',
    name: 'scim_bridge_start_time_seconds',
    help: 'Time at which this process began, in seconds since 1970.',
    labels: [],
  },
  changes: {
    type: 'histogram',
    name: 'scim_bridge_change_duration_seconds',
    help: 'Time from the acceptance of a change that a provider asked for until the service holds it, by kind: `leaver` (deactivated or deleted), `joiner` (created or activated), `user`, `member-removed`, `member-added`, `group`. Counted by the leader; it survives restarts. What the service refused is not in it.',
    labels: ['kind'],
    buckets: changeSeconds,
  },
  changesWaiting: {
    type: 'gauge',
    name: 'scim_bridge_changes_waiting',
    help: 'People and groups with a change that a provider asked for and the service does not hold yet, by the kind of the most urgent.',
    labels: ['kind'],
  },
  changesOldest: {
    type: 'gauge',
    name: 'scim_bridge_change_oldest_age_seconds',
    help: 'How long the oldest of them has waited, by kind; 0 when none does.',
    labels: ['kind'],
  },
  statements: {
    type: 'histogram',
    name: 'scim_bridge_store_statement_duration_seconds',
    help: 'Statements of the store, by their first word and `result` (`done`, `failed`), and how long they took.',
    labels: ['verb', 'result'],
    buckets: statementSeconds,
  },
  transactions: {
    type: 'histogram',
    name: 'scim_bridge_store_transaction_duration_seconds',
    help: 'Transactions of the store with the wait for their turn, by `result` (`done`, `failed`), and how long they took.',
    labels: ['result'],
    buckets: statementSeconds,
  },
  connections: {
    type: 'gauge',
    name: 'scim_bridge_store_connections',
    help: 'Connections to PostgreSQL, by state: `used`, `idle`; and `waiting`, what waits for one. Not there on SQLite.',
    labels: ['state'],
  },
  credentialExpiry: {
    type: 'gauge',
    name: 'scim_bridge_credential_expiry_timestamp_seconds',
    help: 'When a named token, or the secret of a client that ends first (`for` is `client`), expires, in seconds since 1970; not there for what never does or is revoked.',
    labels: ['name', 'for'],
  },
  failedAttempts: {
    type: 'counter',
    name: 'scim_bridge_authentication_failures_total',
    help: 'Requests without a valid credential, by `place` (`scim`, `oauth`, `ops`) and by how they were answered: `401`, or `429` when too many were being slowed.',
    labels: ['place', 'status'],
  },
  turnedAway: {
    type: 'counter',
    name: 'scim_bridge_requests_turned_away_total',
    help: 'Requests of providers that were refused for their number: `rate` and `concurrency` of one credential (429), `bodies` all bodies together (503).',
    labels: ['reason'],
  },
  repairs: {
    type: 'counter',
    name: 'scim_bridge_normaliser_repairs_total',
    help: 'What identity providers send differently from the standard and the bridge repaired.',
    labels: ['kind'],
  },
  writes: {
    type: 'counter',
    name: 'scim_bridge_writes_total',
    help: 'Writes of providers by how they were answered: `applied` the service holds them, `accepted` they are stored and delivered later, `refused` by the service, `unchanged` nothing was to be done there.',
    labels: ['resource_type', 'answer'],
  },
  converged: {
    type: 'counter',
    name: 'scim_bridge_converge_total',
    help: 'Steps towards the desired state of a resource, by how they ended: `done`, `refused`, `later`, `unknown` (the answer was lost).',
    labels: ['resource_type', 'outcome'],
  },
  upstreamCalls: {
    type: 'histogram',
    name: 'scim_bridge_upstream_call_duration_seconds',
    help: 'Calls to the service, and how long they took; status 0 means that no answer came.',
    labels: ['operation', 'status'],
    buckets: answerSeconds,
  },
  turns: {
    type: 'histogram',
    name: 'scim_bridge_upstream_turn_wait_seconds',
    help: 'How long calls waited for their turn in the budget, by class: `remove`, `change`, `look`, `pass`.',
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
    help: 'How often calls were stopped: `service` it failed for several resources, `credentials` it refused the token.',
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
    help: 'How much longer the service asked for a pause, of whichever process on the store; 0 without one.',
    labels: [],
  },
  inFlight: {
    type: 'gauge',
    name: 'scim_bridge_upstream_calls_in_flight',
    help: 'Calls of this process that are on their way.',
    labels: [],
  },
  waitingCalls: {
    type: 'gauge',
    name: 'scim_bridge_upstream_calls_waiting',
    help: 'Calls of this process that wait for their turn in the budget, by class.',
    labels: ['class'],
  },
  auditEvents: {
    type: 'counter',
    name: 'scim_bridge_audit_events_total',
    help: 'New events of the audit log: `ours` by the account of the token, `operator` by a call of an operator, `foreign` by another account, `unknown` where the log or the service does not tell, `unreadable` it was skipped.',
    labels: ['origin'],
  },
  detections: {
    type: 'histogram',
    name: 'scim_bridge_audit_detection_seconds',
    help: 'Time from a change by another author until the bridge read of it.',
    labels: [],
    buckets: turnSeconds,
  },
  auditLag: {
    type: 'gauge',
    name: 'scim_bridge_audit_lag_seconds',
    help: 'How long ago the audit log was last read to its end; not there when it is not followed.',
    labels: [],
  },
  due: {
    type: 'gauge',
    name: 'scim_bridge_due',
    help: 'Users and groups with a change that waits for the service.',
    labels: [],
  },
  failing: {
    type: 'gauge',
    name: 'scim_bridge_failing',
    help: 'Those of them whose change was tried several times in vain, without those that are stuck.',
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
    help: 'Seats of the service: `used` are taken, `needed` are taken or waited for, `total` is `SEATS_TOTAL`, where it is set.',
    labels: ['state'],
  },
  seatDaysLeft: {
    type: 'gauge',
    name: 'scim_bridge_seats_days_left',
    help: 'Days until the seats run out, if as many more are taken as in the last two days; not there when that is not known or they do not.',
    labels: [],
  },
  disputed: {
    type: 'gauge',
    name: 'scim_bridge_disputed',
    help: 'Names that fit two accounts or groups, or that wait for an operator; the bridge never guesses.',
    labels: [],
  },
  oldestAge: {
    type: 'gauge',
    name: 'scim_bridge_oldest_pending_age_seconds',
    help: 'How long the oldest waiting change has waited, without those that are stuck; 0 when nothing waits.',
    labels: [],
  },
  running: {
    type: 'gauge',
    name: 'scim_bridge_converging',
    help: 'Users and groups that this process is bringing to the desired state now.',
    labels: [],
  },
  leader: {
    type: 'gauge',
    name: 'scim_bridge_leader',
    help: '1 while this process brings changes to the service, else 0.',
    labels: [],
  },
  leaderEpoch: {
    type: 'gauge',
    name: 'scim_bridge_leader_epoch',
    help: 'Number of the lead that this process knows of; raised by each takeover.',
    labels: [],
  },
  leaderSince: {
    type: 'gauge',
    name: 'scim_bridge_leader_since_seconds',
    help: 'Time at which that lead began, in seconds since 1970.',
    labels: [],
  },
  waitingRequests: {
    type: 'gauge',
    name: 'scim_bridge_requests_waiting',
    help: 'Requests of providers that wait for the service to hold their write.',
    labels: [],
  },
  sweeps: {
    type: 'histogram',
    name: 'scim_bridge_sweep_duration_seconds',
    help: 'Comparisons of the whole service with the store, and how long they took; `incomplete` ones did not conclude everything.',
    labels: ['status'],
    buckets: turnSeconds,
  },
  lastSweep: {
    type: 'gauge',
    name: 'scim_bridge_last_complete_sweep_timestamp_seconds',
    help: 'Time at which the last comparison ended that concluded everything, in seconds since 1970; not there before the first.',
    labels: [],
  },
  driftRepairs: {
    type: 'histogram',
    name: 'scim_bridge_drift_repair_seconds',
    help: 'How long after it was found a difference was repaired.',
    labels: ['kind'],
    buckets: turnSeconds,
  },
  plansHeld: {
    type: 'gauge',
    name: 'scim_bridge_plan_changes_held',
    help: 'Changes of plans that wait for an operator, by the source of the plan.',
    labels: ['source'],
  },
  drift: {
    type: 'gauge',
    name: 'scim_bridge_drift',
    help: 'Differences of managed people and groups that no request through the bridge caused, by kind and status; those that are over (`repaired`, `accepted`, `gone`) for `RETENTION_DRIFTS`.',
    labels: ['kind', 'status'],
  },
  notifications: {
    type: 'counter',
    name: 'scim_bridge_notifications_total',
    help: 'Attempts to notify a receiver, by `result`: `delivered`, `failed` (tried again).',
    labels: ['receiver', 'result'],
  },
  notificationsWaiting: {
    type: 'gauge',
    name: 'scim_bridge_notifications_waiting',
    help: 'Notifications that a receiver does not have.',
    labels: ['receiver'],
  },
  reasons: {
    type: 'gauge',
    name: 'scim_bridge_reasons',
    help: 'What `/readyz` tells: how many reasons of each code there are now.',
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
