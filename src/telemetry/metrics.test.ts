import { expect, test } from 'vitest';
import { createMetrics, type Metrics } from './metrics.ts';
import { addStateMetrics, listMetrics, type StateSources } from './state-metrics.ts';
import { systemClock } from './system-clock.ts';

test('each count appears with its labels, in seconds', async () => {
  const metrics = createMetrics();
  metrics.requests.observe({ method: 'GET', route: '/Users/:id', status: 200 }, 0.02);
  metrics.repairs.inc({ kind: 'string-boolean' }, 3);
  metrics.upstreamCalls.observe({ operation: 'scim.addUser', status: 0 }, 1);
  metrics.converged.inc({ resource_type: 'user', outcome: 'done' });
  const text = await metrics.registry.metrics();
  expect(text).toContain(
    'scim_bridge_http_request_duration_seconds_sum{method="GET",route="/Users/:id",status="200"} 0.02',
  );
  expect(text).toContain('scim_bridge_normaliser_repairs_total{kind="string-boolean"} 3');
  expect(text).toContain(
    'scim_bridge_upstream_call_duration_seconds_count{operation="scim.addUser",status="0"} 1',
  );
  expect(text).toContain('scim_bridge_converge_total{resource_type="user",outcome="done"} 1');
});

/** One call of each count. */
const counting: Readonly<
  Record<Exclude<keyof Metrics, 'registry' | 'traffic'>, (metrics: Metrics) => void>
> = {
  requests: (m) => m.requests.observe({ method: 'GET', route: '/Users/:id', status: 200 }, 0.02),
  repairs: (m) => m.repairs.inc({ kind: 'string-boolean' }),
  writes: (m) => m.writes.inc({ resource_type: 'user', answer: 'applied' }),
  turnedAway: (m) => m.turnedAway.inc({ reason: 'rate' }),
  failedAttempts: (m) => m.failedAttempts.inc({ place: 'scim', status: 401 }),
  upstreamCalls: (m) => m.upstreamCalls.observe({ operation: 'scim.addUser', status: 0 }, 0.02),
  turns: (m) => m.turns.observe({ class: 'change' }, 0.02),
  pauses: (m) => m.pauses.inc(),
  gateShut: (m) => m.gateShut.inc({ gate: 'service' }),
  auditEvents: (m) => m.auditEvents.inc({ origin: 'ours' }),
  detections: (m) => m.detections.observe(0.02),
  converged: (m) => m.converged.inc({ resource_type: 'user', outcome: 'done' }),
  sweeps: (m) => m.sweeps.observe({ status: 'complete' }, 0.02),
  changes: (m) => m.changes.observe({ kind: 'leaver' }, 0.02),
  statements: (m) => m.statements.observe({ verb: 'select', result: 'done' }, 0.02),
  transactions: (m) => m.transactions.observe({ result: 'done' }, 0.02),
  notifications: (m) => m.notifications.inc({ receiver: 'ops', result: 'delivered' }),
  driftRepairs: (m) => m.driftRepairs.observe({ kind: 'user.name' }, 0.02),
};

const state: StateSources = {
  readBacklog: async () => ({ due: 1, failing: 1, stuck: 1, disputed: 1, oldestSince: 1 }),
  findLeader: () => ({ isSelf: true, epoch: 3, since: 4_000 }),
  upstreamHealth: () => ({
    waiting: { change: 1 },
    inFlight: 1,
    pausedForMs: 1,
    credentials: { kind: 'shut' },
    service: { kind: 'shut' },
  }),
  countDrifts: async () => [{ kind: 'user.name', status: 'open', count: 1 }],
  countWaitingPlans: async () => [{ source: 'provider', waiting: 1 }],
  listCredentials: async () => [{ name: 'okta', purpose: 'scim', expiresAt: 1 }],
  activity: () => ({ running: 1, waiting: 1 }),
  readReadiness: async () => ({ reasons: [{ code: 'stuck' }] }),
  findAuditReadAt: async () => 1,
  readSeats: async () => ({ total: 50, used: 38, waiting: 1, daysLeft: 3.5 }),
  countChanges: async () => [{ kind: 'leaver', oldestAt: 1, count: 1 }],
  connections: () => ({ used: 1, idle: 0, waiting: 0 }),
  countNotifications: async () => [{ receiver: 'ops', count: 1 }],
  findLastSweptAt: async () => 1,
  build: { version: '0.1.0', engine: 'sqlite', mode: 'live' },
  clock: systemClock,
};

/** The names of the metrics that have a value other than 0. */
async function listFilled({ registry }: Metrics): Promise<string[]> {
  const all = await registry.getMetricsAsJSON();
  return all.filter(({ values }) => values.some(({ value }) => value > 0)).map(({ name }) => name);
}

test('every metric that is documented gets a value, by a count or from the state', async () => {
  const metrics = createMetrics();
  for (const count of Object.values(counting)) count(metrics);
  addStateMetrics(metrics, state);

  const documented = listMetrics().map(({ name }) => name);
  expect((await listFilled(metrics)).toSorted()).toEqual(documented.toSorted());
});

test('what several metrics come from is read once for each request', async () => {
  const metrics = createMetrics();
  const read: string[] = [];
  const counted = <T>(name: string, source: () => T) => {
    return () => {
      read.push(name);
      return source();
    };
  };
  addStateMetrics(metrics, {
    ...state,
    readBacklog: counted('backlog', state.readBacklog),
    countChanges: counted('changes', state.countChanges),
    readSeats: counted('seats', state.readSeats),
  });

  await metrics.registry.metrics();
  expect(read.toSorted()).toEqual(['backlog', 'changes', 'seats']);
});

test('every count adds to a metric', async () => {
  const idle = [];
  for (const [name, count] of Object.entries(counting)) {
    const metrics = createMetrics();
    count(metrics);
    if ((await listFilled(metrics)).length !== 1) idle.push(name);
  }
  expect(idle).toEqual([]);
});
