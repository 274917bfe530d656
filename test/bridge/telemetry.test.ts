import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listMetrics } from '../../src/app/state-metrics.ts';
import { CHANGE_CLASSES } from '../../src/domain/change.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';
import { serveNothing } from '../support/local-server.ts';
import { readMetrics, readMetricsText } from '../support/metrics.ts';
import { admit, dismiss, replace, toPatch } from '../support/provider.ts';
import { startRecording } from '../support/recording-server.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

const settings = { SCIM_WRITE_WAIT: '10s' };
const impatient = { SCIM_WRITE_WAIT: '100ms' };

function rename(bridge: TestBridge, id: string, familyName: string) {
  return bridge.tryPatch(`/Users/${id}`, replace('name.familyName', familyName));
}

function fail({ sandbox }: TestBridge, fault: Fault, operation: '*' | 'scim.updateUser' = '*') {
  return sandbox.faults.add({ operation, fault });
}

async function openLogged(options: TestBridgeOptions) {
  const log: JsonObject[] = [];
  const onLog = (line: JsonObject) => void log.push(line);
  const bridge = await bridgeForTest({ ...options, onLog });
  log.length = 0;
  return [bridge, log] as const;
}

function listMessages(log: readonly JsonObject[], level: string): unknown[] {
  return log.filter((line) => line.level === level).map(({ msg }) => msg);
}

test('every documented metric is printed, and tells how writes were answered and, while the token is refused, what waits', async () => {
  const bridge = await bridgeForTest({ settings });
  const id = await bridge.addUser('ada');
  await rename(bridge, id, 'Example');
  const refused = fail(bridge, failing(400), 'scim.updateUser');
  await rename(bridge, id, 'King');
  refused.remove();
  fail(bridge, failing(401));
  await rename(bridge, id, 'Queen');

  const metrics = await readMetrics(bridge);
  const text = await readMetricsText(bridge);

  for (const { name, type } of listMetrics()) expect(text).toContain(`\n# TYPE ${name} ${type}\n`);
  for (const answer of ['applied', 'unchanged', 'refused', 'accepted'])
    expect(metrics.get(`writes_total{resource_type="user",answer="${answer}"}`), answer).toBe(1);
  expect(Object.fromEntries(metrics)).toMatchObject({
    ...{ due: 1, stuck: 0 },
    'upstream_gate_is_shut{gate="credentials"}': 1,
    'upstream_gate_is_shut{gate="service"}': 0,
    'upstream_calls_waiting{class="remove"}': 0,
    'upstream_calls_waiting{class="change"}': 0,
    'reasons{code="credentials-refused"}': 1,
    ...{ upstream_calls_in_flight: 0, upstream_pause_seconds: 0 },
  });
  expect(metrics.get('upstream_turn_wait_seconds_count{class="change"}')).toBeGreaterThan(2);
});

test.each([
  ['a refused token', 401, 'error', 'the service refuses the token: calls stop'],
  ['an outage', 503, 'warn', 'the service fails or does not answer: calls stop'],
] as const)(
  '%s that many calls meet is logged once, and the calls that come to nothing are not',
  async (_, status, level, message) => {
    const [bridge, log] = await openLogged({ settings: impatient });
    const ids = await bridge.settled(bridge.addUsers(6));
    log.length = 0;
    fail(bridge, failing(status));

    for (const familyName of ['King', 'Queen'])
      await Promise.all(ids.map((id) => rename(bridge, id, familyName)));

    expect([...listMessages(log, 'warn'), ...listMessages(log, 'error')]).toEqual([message]);
    expect(log.find(({ msg }) => msg === message)).toMatchObject({ level });
  },
);

test('a refused write is logged with its code and nobody’s name', async () => {
  const [bridge, log] = await openLogged({ settings });
  const id = await bridge.addUser('ada');
  fail(bridge, failing(400), 'scim.updateUser');

  await rename(bridge, id, 'King');

  const [line] = log.filter(({ msg }) => msg === 'the service refused a write, which was undone');
  expect(line).toMatchObject({ resourceType: 'user', resourceId: id, code: 'refused' });
  expect(JSON.stringify(log)).not.toMatch(/ada@|King/);
});

describe('change durations', () => {
  /** Nobody waits for what the service does not take now. */
  const impatient = { SCIM_WRITE_WAIT: '0' };
  const HOUR_MS = 3_600_000;

  async function readCounts(bridge: TestBridge): Promise<Record<string, (number | undefined)[]>> {
    const metrics = await readMetrics(bridge);
    const read = (name: string) =>
      CHANGE_CLASSES.map((kind) => metrics.get(`${name}{kind="${kind}"}`));
    return { arrived: read('change_duration_seconds_count'), waiting: read('changes_waiting') };
  }

  test('each change of a provider is counted once by its kind when the service holds it', async () => {
    const bridge = await bridgeForTest({ settings });
    const [ada, bob] = await bridge.addPeople('ada', 'bob');
    const pilots = await bridge.addGroup('Pilots');
    await bridge.patch(`/Users/${ada}`, replace('name.familyName', 'Byron'));
    await bridge.patch(`/Groups/${pilots}`, admit(ada));
    await bridge.patch(`/Groups/${pilots}`, dismiss(ada));
    await bridge.patch(`/Users/${ada}`, replace('active', false));
    await bridge.settled(bridge.send('DELETE', `/Users/${bob}`));

    const counts = await readCounts(bridge);

    expect(counts).toEqual({ arrived: [2, 2, 1, 1, 1, 1], waiting: [0, 0, 0, 0, 0, 0] });
  });

  test('the time runs from the acceptance, also when the process that accepted has ended since', async () => {
    const { live, sandbox } = await makeLives({ settings: impatient });
    await live(async (first) => {
      const ada = await first.settled(first.addUser('ada'));
      sandbox.faults.add({ operation: '*', fault: failing(401) });
      await first.patch(`/Users/${ada}`, replace('active', false));
    });
    sandbox.faults.clear();

    const clock: Clock = { ...systemClock, now: () => systemClock.now() + HOUR_MS };
    const end = async (second: TestBridge) => {
      await second.untilSettled();
      return readMetrics(second);
    };
    const metrics = await live(end, {}, { clock });
    expect(metrics.get('change_duration_seconds_count{kind="leaver"}')).toBe(1);
    expect(metrics.get('change_duration_seconds_sum{kind="leaver"}')).toBeGreaterThan(3_600);
    expect(metrics.get('change_duration_seconds_bucket{le="3600",kind="leaver"}')).toBe(0);
  });

  test('what is asked of a group while another change of it is under way is waited for as well', async () => {
    const bridge = await bridgeForTest({ settings: impatient });
    const [ada, bob] = await bridge.addPeople('ada', 'bob');
    const pilots = await bridge.settled(bridge.addGroup('Pilots', [ada, bob]));
    const { id } = bridge.sandbox.service.getUser('bob@example.com');
    const { faults } = bridge.sandbox;
    const fault = failing(503);
    faults.add({ operation: 'scim.updateGroup', fault, about: `"value":${id}}` });
    faults.add({ operation: 'groupUsers.removeUserFromGroup', fault, about: `/users/${id} ` });
    for (const who of [ada, bob]) await bridge.patch(`/Groups/${pilots}`, dismiss(who));
    const readArrived = async () => (await readCounts(bridge)).arrived?.[3];
    await expect.poll(readArrived).toBe(1);
    const meanwhile = await readCounts(bridge);
    faults.clear();
    await bridge.untilSettled();

    expect(meanwhile.waiting?.[3]).toBe(1);
    expect((await readCounts(bridge)).waiting).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('open telemetry', () => {
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const CALLER = '00f067aa0ba902b7';
  const traceparent = `00-${TRACE}-${CALLER}-01`;
  const rename = toPatch(replace('name.familyName', 'Lovelace'));

  const value = z.object({ stringValue: z.string().optional(), intValue: z.number().optional() });
  const attributes = z.array(z.object({ key: z.string(), value })).default([]);
  const spanSchema = z.object({
    ...{ traceId: z.string(), spanId: z.string(), parentSpanId: z.string().optional() },
    ...{ name: z.string(), kind: z.number(), attributes },
  });
  type SentSpan = z.infer<typeof spanSchema>;
  const scopeSpans = z.array(z.object({ spans: z.array(spanSchema) }));
  const resourceSpan = z.object({ resource: z.object({ attributes }), scopeSpans });
  const traces = z.object({ resourceSpans: z.array(resourceSpan) });
  async function startCollector() {
    const { url: OTEL_EXPORTER_OTLP_ENDPOINT, recorded } = await forTest(startRecording());
    const listTexts = (all: typeof recorded) => all.map(({ body }) => body.toString('utf8'));
    const resources = () => {
      const texts = listTexts(recorded.filter(({ url }) => url === '/v1/traces'));
      return texts.flatMap((text) => traces.parse(JSON.parse(text)).resourceSpans);
    };
    const scopes = () => resources().flatMap(({ scopeSpans }) => scopeSpans);
    return {
      env: { OTEL_EXPORTER_OTLP_ENDPOINT },
      text: () => listTexts(recorded).join('\n'),
      spans: (): SentSpan[] => scopes().flatMap(({ spans }) => spans),
    };
  }

  async function startBridge(options: TestBridgeOptions = {}) {
    const proxy = await forTest(tamperWith(await forTest(startSandbox())));
    const settings = { SCIM_WRITE_WAIT: '10s', ...options.settings };
    const bridge = await startTestBridge({ ...options, service: proxy.service, settings });
    return { bridge, proxy };
  }

  function find(spans: readonly SentSpan[], name: RegExp): SentSpan {
    const found = spans.find((span) => span.traceId === TRACE && name.test(span.name));
    if (found === undefined) throw new Error(`no span ${name} among ${spans.map((s) => s.name)}`);
    return found;
  }

  test("a provider's trace goes through request, acceptance and step to the call and the service, and nothing sent has a name, an address, a value or a secret", async () => {
    const collector = await startCollector();
    const { bridge, proxy } = await startBridge({ otel: collector.env });
    await bridge.request('PATCH', `/Users/${await bridge.addUser('ada')}`, rename, { traceparent });
    await bridge.settled(bridge.request('GET', `/Users?filter=userName eq "ada@example.com"`));
    await bridge.stop();

    const spans = collector.spans();
    const request = find(spans, /^PATCH \/scim\/v2\/Users\/:id$/);
    const accept = find(spans, /^accept$/);
    const step = find(spans, /^converge$/);
    const call = find(spans, /^scim\.updateUser$/);
    const parents = [request, accept, step, call].map(({ parentSpanId }) => parentSpanId);
    expect(parents).toEqual([CALLER, request.spanId, accept.spanId, step.spanId]);
    expect(proxy.seen.at(-1)?.traceparent).toBe(`00-${TRACE}-${call.spanId}-01`);
    const action = { key: 'scim_bridge.action', value: { stringValue: 'user.rename' } };
    expect(step.attributes).toContainEqual(action);
    expect(Object.fromEntries(call.attributes.map(({ key, value: v }) => [key, v]))).toMatchObject({
      'scim_bridge.operation': { stringValue: 'scim.updateUser' },
      'http.response.status_code': { intValue: 200 },
    });
    const text = collector.text();
    const tokens = [bridge.opsToken, bridge.token, proxy.service.token];
    const secrets = ['Lovelace', 'ada', 'example.com', ...tokens];
    expect(text.length).toBeGreaterThan(5_000);
    expect(secrets.filter((secret) => new RegExp(`\\b${secret}\\b`).test(text))).toEqual([]);
  });

  test('the trace is kept with the change, and the process that delivers it later is in it', async () => {
    const { live, sandbox } = await makeLives({ settings: { SCIM_WRITE_WAIT: '0' } });
    const [first, second] = [await startCollector(), await startCollector()];
    const accept = async (bridge: TestBridge) => {
      const ada = await bridge.settled(bridge.addUser('ada'));
      sandbox.faults.add({ operation: '*', fault: failing(401) });
      await bridge.request('PATCH', `/Users/${ada}`, rename, { traceparent });
    };
    await live(accept, {}, { otel: first.env });
    sandbox.faults.clear();
    await live((bridge) => bridge.untilSettled(), {}, { otel: second.env });

    const { spanId } = find(first.spans(), /^accept$/);
    expect(find(second.spans(), /^converge$/).parentSpanId).toBe(spanId);
    expect(find(second.spans(), /^scim\.updateUser$/).traceId).toBe(TRACE);
  });

  test.each([
    { why: 'is not there', start: async () => ({ url: 'http://127.0.0.1:9' }) },
    { why: 'takes connections and never answers', start: () => forTest(serveNothing()) },
  ])('a collector that $why is logged once, and disturbs nobody', async ({ start }) => {
    const log: unknown[] = [];
    const OTEL_EXPORTER_OTLP_ENDPOINT = (await start()).url;
    const hasty = { OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_EXPORTER_OTLP_TIMEOUT: '100' };
    const otel = { OTEL_EXPORTER_OTLP_ENDPOINT, ...hasty };
    const { bridge } = await startBridge({ otel, onLog: ({ msg }) => log.push(msg) });
    for (const name of ['ada', 'bob', 'cyd']) await bridge.addUser(name);
    await bridge.stop();

    expect(log.filter((msg) => msg === 'traces cannot be sent')).toHaveLength(1);
  });
});
