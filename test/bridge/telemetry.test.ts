import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import { metricDefinitions } from '../../src/telemetry/metric-definitions.ts';
import { type TestBridge, type TestBridgeOptions, withTestBridge } from '../support/bridge.ts';
import { withCalmBridge } from '../support/calm-clock.ts';
import { readMetrics, readMetricsText } from '../support/metrics.ts';
import {
  addGroup,
  addUser,
  addUsers,
  readWork,
  send,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { askOps } from '../support/sweep.ts';

const OPS_TOKEN = 'ops-token-0123456789';
/** Long enough for a busy machine; nobody waits for what is only tried again later. */
const settings = { OPS_TOKEN, SCIM_WRITE_WAIT: '10s' };
const impatient = { OPS_TOKEN, SCIM_WRITE_WAIT: '100ms' };

function rename(bridge: TestBridge, id: string, familyName: string) {
  const operation = { op: 'replace', path: 'name.familyName', value: familyName };
  return bridge.request('PATCH', `/Users/${id}`, toPatch(operation));
}

function fail({ sandbox }: TestBridge, fault: Fault, operation: '*' | 'scim.updateUser' = '*') {
  return sandbox.faults.add({ operation, fault });
}

/** Runs a test with what the bridge logs, from the end of the first read on. */
async function withLog(
  options: TestBridgeOptions,
  run: (bridge: TestBridge, log: JsonObject[]) => Promise<void>,
) {
  const log: JsonObject[] = [];
  await withTestBridge({ ...options, onLog: (line) => log.push(line) }, async (bridge) => {
    log.length = 0;
    await run(bridge, log);
  });
}

function listMessages(log: readonly JsonObject[], level: string): unknown[] {
  return log.filter((line) => line.level === level).map(({ msg }) => msg);
}

test('every metric that is documented is printed', () =>
  withTestBridge({ settings }, async (bridge) => {
    const text = await readMetricsText(bridge, OPS_TOKEN);

    for (const { name, type } of Object.values(metricDefinitions)) {
      expect(text).toContain(`\n# TYPE ${name} ${type}\n`);
    }
  }));

test('every write is counted by how it was answered', () =>
  withTestBridge({ settings }, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    await rename(bridge, id, 'Example');
    const refused = fail(bridge, { kind: 'status', status: 400 }, 'scim.updateUser');
    await rename(bridge, id, 'King');
    refused.remove();
    fail(bridge, { kind: 'status', status: 401 });
    await rename(bridge, id, 'Queen');

    const metrics = await readMetrics(bridge, OPS_TOKEN);

    const answers = ['applied', 'unchanged', 'refused', 'accepted'].map((answer) =>
      metrics.get(`writes_total{resource_type="user",answer="${answer}"}`),
    );
    expect(answers).toEqual([1, 1, 1, 1]);
  }));

test('writes of a bulk request are counted one by one', () =>
  withTestBridge({ settings }, async (bridge) => {
    const post = { method: 'POST', path: '/Users', bulkId: 'a', data: toUser('ada') };
    const again = {
      method: 'PATCH',
      path: '/Users/bulkId:a',
      data: toPatch({ op: 'replace', path: 'active', value: true }),
    };
    await send(bridge, 'POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [post, again],
    });

    const metrics = await readMetrics(bridge, OPS_TOKEN);

    expect(metrics.get('writes_total{resource_type="user",answer="applied"}')).toBe(1);
    expect(metrics.get('writes_total{resource_type="user",answer="unchanged"}')).toBe(1);
  }));

test('while the token is refused the metrics say what waits, for how long, and what stops it', () =>
  withTestBridge({ settings }, async (bridge) => {
    const [id = ''] = await addUsers(bridge, 2);
    fail(bridge, { kind: 'status', status: 401 });
    await rename(bridge, id, 'King');

    const metrics = await readMetrics(bridge, OPS_TOKEN);

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
  }));

test('a pause that the service asked for is counted once, shown and logged once, and so is its end', async () => {
  const log: JsonObject[] = [];
  const options = {
    settings: { OPS_TOKEN, SCIM_WRITE_WAIT: '0' },
    onLog: (line: JsonObject) => log.push(line),
  };
  await withCalmBridge(options, async (bridge, clock) => {
    const { faults, calls } = bridge.sandbox;
    const ids = await addUsers(bridge, 5);
    await clock.untilCalm(bridge.sandbox);
    log.length = 0;
    const headers = { 'retry-after': '7' };
    faults.add({ operation: '*', fault: { kind: 'status', status: 429, headers }, times: 1 });

    for (const id of ids) {
      await rename(bridge, id, 'King');
      await clock.untilCalm(bridge.sandbox);
    }
    const during = await readMetrics(bridge, OPS_TOKEN);
    const isOver = () => calls.count({ operation: 'scim.updateUser', status: 200 }) === 5;
    await clock.pass(bridge.sandbox, isOver);
    await clock.untilCalm(bridge.sandbox);

    expect(during.get('upstream_pauses_total')).toBe(1);
    expect(during.get('upstream_pause_seconds')).toBe(7);
    expect(during.get('upstream_calls_waiting{class="change"}')).toBe(5);
    expect(during.get('reasons{code="paused"}')).toBe(1);
    expect(listMessages(log, 'warn')).toEqual(['the service asks for a pause: calls stop']);
    const ends = listMessages(log, 'info').filter(
      (msg) => msg === 'the pause is over: calls go on',
    );
    expect(ends).toHaveLength(1);
  });
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
  ({ status, level, message }) =>
    withLog({ settings: impatient }, async (bridge, log) => {
      const ids = await addUsers(bridge, 12);
      await untilSettled(bridge);
      log.length = 0;
      fail(bridge, { kind: 'status', status });

      for (const familyName of ['King', 'Queen']) {
        await Promise.all(ids.map((id) => rename(bridge, id, familyName)));
      }

      expect([...listMessages(log, 'warn'), ...listMessages(log, 'error')]).toEqual([message]);
      expect(log.find(({ msg }) => msg === message)).toMatchObject({ level });
    }),
);

test('a refused write is logged with its code and nobody’s name', () =>
  withLog({ settings }, async (bridge, log) => {
    const id = await addUser(bridge, 'ada');
    fail(bridge, { kind: 'status', status: 400 }, 'scim.updateUser');

    await rename(bridge, id, 'King');

    const [line] = log.filter(({ msg }) => msg === 'the service refused a write, which was undone');
    expect(line).toMatchObject({ resourceType: 'user', resourceId: id, code: 'refused' });
    expect(JSON.stringify(log)).not.toMatch(/ada@|King/);
  }));

test('a deletion is logged once the service holds it', () =>
  withLog({ settings }, async (bridge, log) => {
    const id = await addUser(bridge, 'ada');
    const groupId = await addGroup(bridge, 'Pilots', [id]);
    log.length = 0;

    await send(bridge, 'DELETE', `/Users/${id}`);
    await send(bridge, 'DELETE', `/Groups/${groupId}`);

    const finished = log.filter(({ msg }) => msg === 'a deletion has reached the service');
    expect(finished.map(({ resourceId }) => resourceId)).toEqual([id, groupId]);
  }));

test('a name that waits for an operator is logged when it first comes up, counted and told', () =>
  withLog(
    {
      settings: { ...settings, USERS_ADOPT: 'ask' },
      prepare: ({ service }) => void service.addUser({ email: 'ada@example.com', fullName: 'Ada' }),
    },
    async (bridge, log) => {
      const answers = [1, 2].map(() => bridge.request('POST', '/Users', toUser('ada')));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);

      const metrics = await readMetrics(bridge, OPS_TOKEN);

      expect(statuses).toEqual([409, 409]);
      expect(listMessages(log, 'warn')).toEqual(['a name waits for an operator']);
      expect(metrics.get('disputed')).toBe(1);
      expect(metrics.get('reasons{code="disputed"}')).toBe(1);
    },
  ));

test('an acknowledged change that the service refuses is logged once, however often it is tried', () =>
  withLog({ settings: { OPS_TOKEN, SCIM_WRITE_WAIT: '0' } }, async (bridge, log) => {
    const id = await addUser(bridge, 'ada');
    await untilSettled(bridge);
    const { faults, calls } = bridge.sandbox;
    faults.add({ operation: 'scim.updateUser', fault: { kind: 'status', status: 400 } });
    log.length = 0;

    await rename(bridge, id, 'King');
    await expect.poll(async () => (await readWork(bridge))?.stuck).toBe(1);
    await askOps(bridge, 'POST', '/retry', { name: 'ada@example.com' });
    await calls.until(2, { operation: 'scim.updateUser', status: 400 });
    await untilSettled(bridge, 'may stay');

    const lines = log.filter(({ level }) => level === 'error');
    expect(lines).toMatchObject([
      {
        msg: 'the service refused an acknowledged change, which is kept',
        resourceType: 'user',
        resourceId: id,
        code: 'refused',
      },
    ]);
  }));
