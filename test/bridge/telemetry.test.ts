import { expect, test } from 'vitest';
import { listMetrics } from '../../src/app/state-metrics.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { readMetrics, readMetricsText } from '../support/metrics.ts';
import { replace, toPatch } from '../support/provider.ts';

const OPS_TOKEN = 'ops-token-0123456789';
/** Long enough for a busy machine; nobody waits for what is only tried again later. */
const settings = { OPS_TOKEN, SCIM_WRITE_WAIT: '10s' };
const impatient = { OPS_TOKEN, SCIM_WRITE_WAIT: '100ms' };

function rename(bridge: TestBridge, id: string, familyName: string) {
  const operation = replace('name.familyName', familyName);
  return bridge.request('PATCH', `/Users/${id}`, toPatch(operation));
}

function fail({ sandbox }: TestBridge, fault: Fault, operation: '*' | 'scim.updateUser' = '*') {
  return sandbox.faults.add({ operation, fault });
}

/** A bridge and what it logs, from the end of the first read on. */
async function openLogged(options: TestBridgeOptions) {
  const log: JsonObject[] = [];
  const onLog = (line: JsonObject) => void log.push(line);
  const bridge = await forTest(startTestBridge({ ...options, onLog }));
  log.length = 0;
  return [bridge, log] as const;
}

function listMessages(log: readonly JsonObject[], level: string): unknown[] {
  return log.filter((line) => line.level === level).map(({ msg }) => msg);
}

test('every documented metric is printed, and tells how writes were answered and, while the token is refused, what waits', async () => {
  const bridge = await forTest(startTestBridge({ settings }));
  const id = await bridge.addUser('ada');
  await rename(bridge, id, 'Example');
  const refused = fail(bridge, { kind: 'status', status: 400 }, 'scim.updateUser');
  await rename(bridge, id, 'King');
  refused.remove();
  fail(bridge, { kind: 'status', status: 401 });
  await rename(bridge, id, 'Queen');

  const metrics = await readMetrics(bridge, OPS_TOKEN);
  const text = await readMetricsText(bridge, OPS_TOKEN);

  for (const { name, type } of listMetrics()) {
    expect(text).toContain(`\n# TYPE ${name} ${type}\n`);
  }
  const answers = ['applied', 'unchanged', 'refused', 'accepted'].map((answer) =>
    metrics.get(`writes_total{resource_type="user",answer="${answer}"}`),
  );
  expect(answers).toEqual([1, 1, 1, 1]);
  expect(Object.fromEntries(metrics)).toMatchObject({
    due: 1,
    failing: 0,
    stuck: 0,
    disputed: 0,
    'upstream_gate_is_shut{gate="credentials"}': 1,
    'upstream_gate_is_shut{gate="service"}': 0,
    'upstream_gate_shut_total{gate="credentials"}': 1,
    'upstream_calls_waiting{class="remove"}': 0,
    'upstream_calls_waiting{class="change"}': 0,
    'reasons{code="credentials-refused"}': 1,
    upstream_calls_in_flight: 0,
    upstream_pause_seconds: 0,
    requests_waiting: 0,
  });
  expect(metrics.get('oldest_pending_age_seconds')).toBeGreaterThan(0);
  expect(metrics.get('oldest_pending_age_seconds')).toBeLessThan(60);
  expect(metrics.get('upstream_turn_wait_seconds_count{class="change"}')).toBeGreaterThan(2);
});

test.each([
  {
    why: 'a refused token',
    status: 401,
    level: 'error',
    message: 'the service refuses the token: calls stop',
  },
  {
    why: 'an outage',
    status: 503,
    level: 'warn',
    message: 'the service fails or does not answer: calls stop',
  },
])(
  '$why that many calls meet is logged once, and the calls that come to nothing are not',
  async ({ status, level, message }) => {
    const [bridge, log] = await openLogged({ settings: impatient });
    const ids = await bridge.addUsers(6);
    await bridge.untilSettled();
    log.length = 0;
    fail(bridge, { kind: 'status', status });

    for (const familyName of ['King', 'Queen']) {
      await Promise.all(ids.map((id) => rename(bridge, id, familyName)));
    }

    expect([...listMessages(log, 'warn'), ...listMessages(log, 'error')]).toEqual([message]);
    expect(log.find(({ msg }) => msg === message)).toMatchObject({ level });
  },
);

test('a refused write is logged with its code and nobody’s name', async () => {
  const [bridge, log] = await openLogged({ settings });
  const id = await bridge.addUser('ada');
  fail(bridge, { kind: 'status', status: 400 }, 'scim.updateUser');

  await rename(bridge, id, 'King');

  const [line] = log.filter(({ msg }) => msg === 'the service refused a write, which was undone');
  expect(line).toMatchObject({ resourceType: 'user', resourceId: id, code: 'refused' });
  expect(JSON.stringify(log)).not.toMatch(/ada@|King/);
});
