import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toPatch } from '../support/provider.ts';
import { startRecording } from '../support/recording-server.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

const OPS_TOKEN = 'ops-token-0123456789';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${CALLER}-01`;
const rename = toPatch(replace('name.familyName', 'Lovelace'));

const value = z.object({ stringValue: z.string().optional(), intValue: z.number().optional() });
const attributes = z.array(z.object({ key: z.string(), value })).default([]);
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes,
});
type SentSpan = z.infer<typeof spanSchema>;
const traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});
/** A collector that takes everything, and what it was sent. */
async function startCollector() {
  const { baseUrl, recorded, stop } = await startRecording();
  onTestFinished(stop);
  const list = (path: string) => recorded.filter(({ url }) => url === path);
  const read = (path: string): unknown[] =>
    list(path).map(({ body }) => JSON.parse(body.toString('utf8')));
  return {
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl },
    text: () => recorded.map(({ body }) => body.toString('utf8')).join('\n'),
    spans: (): SentSpan[] =>
      read('/v1/traces').flatMap((sent) =>
        traces
          .parse(sent)
          .resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    resources: () => read('/v1/traces').flatMap((sent) => traces.parse(sent).resourceSpans),
  };
}

async function startBridge(options: TestBridgeOptions = {}) {
  const sandbox = await forTest(startSandbox());
  const proxy = await forTest(tamperWith(sandbox));
  const settings = { OPS_TOKEN, SCIM_WRITE_WAIT: '10s', ...options.settings };
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
  const ada = await bridge.addUser('ada');
  await bridge.request('PATCH', `/Users/${ada}`, rename, { traceparent });
  await bridge.request('GET', `/Users?filter=userName eq "ada@example.com"`);
  await bridge.untilSettled();
  await bridge.stop();

  const spans = collector.spans();
  const request = find(spans, /^PATCH \/scim\/v2\/Users\/:id$/);
  const accept = find(spans, /^accept$/);
  const step = find(spans, /^converge$/);
  const call = find(spans, /^scim\.updateUser$/);
  const parents = [request, accept, step, call].map(({ parentSpanId }) => parentSpanId);
  expect(parents).toEqual([CALLER, request.spanId, accept.spanId, step.spanId]);
  expect(proxy.seen.at(-1)?.traceparent).toBe(`00-${TRACE}-${call.spanId}-01`);
  expect(step.attributes).toContainEqual({
    key: 'scim_bridge.action',
    value: { stringValue: 'user.rename' },
  });
  expect(Object.fromEntries(call.attributes.map(({ key, value: v }) => [key, v]))).toMatchObject({
    'scim_bridge.operation': { stringValue: 'scim.updateUser' },
    'http.response.status_code': { intValue: 200 },
  });
  const text = collector.text();
  const secrets = ['Lovelace', 'ada', 'example.com', OPS_TOKEN, bridge.token, proxy.service.token];
  expect(text.length).toBeGreaterThan(5_000);
  expect(secrets.filter((secret) => new RegExp(`\\b${secret}\\b`).test(text))).toEqual([]);
});

test('the trace is kept with the change, and the process that delivers it later is in it', async () => {
  const sandbox = await forTest(startSandbox());
  const settings = { DATABASE_URL: await makeStoreUrl(), SCIM_WRITE_WAIT: '0' };
  const [first, second] = [await startCollector(), await startCollector()];
  const accepting = await startTestBridge({ service: sandbox, settings, otel: first.env });
  const ada = await accepting.addUser('ada');
  await accepting.untilSettled();
  const fault = sandbox.faults.add({ operation: '*', fault: { kind: 'status', status: 401 } });
  await accepting.request('PATCH', `/Users/${ada}`, rename, { traceparent });
  await accepting.stop();
  fault.remove();

  const delivering = await startTestBridge({ service: sandbox, settings, otel: second.env });
  await delivering.untilSettled();
  await delivering.stop();

  const accept = find(first.spans(), /^accept$/);
  const step = find(second.spans(), /^converge$/);
  expect(step.parentSpanId).toBe(accept.spanId);
  expect(find(second.spans(), /^scim\.updateUser$/).traceId).toBe(TRACE);
});

/** Address of a collector that takes connections and never answers. */
async function startMute(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

test.each([
  { why: 'is not there', start: async () => 'http://127.0.0.1:9' },
  { why: 'takes connections and never answers', start: startMute },
])('a collector that $why is logged once, and disturbs nobody', async ({ start }) => {
  const log: unknown[] = [];
  const otel = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await start(),
    OTEL_BSP_SCHEDULE_DELAY: '10',
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
  };
  const { bridge } = await startBridge({ otel, onLog: ({ msg }) => log.push(msg) });
  for (const name of ['ada', 'bob', 'cyd']) await bridge.addUser(name);
  await bridge.stop();

  expect(log.filter((msg) => msg === 'traces cannot be sent')).toHaveLength(1);
});
