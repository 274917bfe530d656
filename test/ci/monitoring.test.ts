import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { listMetrics } from '../../src/app/state-metrics.ts';
import { CHANGE_CLASSES } from '../../src/domain/change.ts';
import { REASON_CODES } from '../../src/ops/state/reasons.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { readMetricsText } from '../support/metrics.ts';
import { read } from '../support/repository.ts';

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

const NO_PROMTOOL = 'promtool is not installed: apt-get install prometheus';

/** Runs promtool on texts as files beside each other, of which it is given those that begin with `test`, or the first; returns all that it says. */
function runPromtool(
  command: readonly string[],
  files: Readonly<Record<string, string>>,
): { readonly status: number | null; readonly output: string } {
  const folder = makeFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const names = Object.keys(files);
  const tests = names.filter((name) => name.startsWith('test'));
  const given = tests.length > 0 ? tests : names.slice(0, 1);
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('promtool', [...command, ...given], options);
  return { status, output: `${stdout}${stderr}` };
}

const rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
  annotations: z.strictObject({
    summary: z.string(),
    description: z.string(),
    runbook: z.string().startsWith('docs/runbook.md#'),
  }),
});
type Rule = z.infer<typeof rule>;
const rulesSchema = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })),
});
const rulesText = read('config/prometheus/rules.yaml');
const { groups } = rulesSchema.parse(parse(rulesText));
const rules = groups.flatMap((group) => group.rules);

const panel = z.object({
  id: z.number(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string(),
  description: z.string().optional(),
  gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
  targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
});
const dashboard = z
  .object({ uid: z.string(), panels: z.array(panel) })
  .parse(JSON.parse(read('config/grafana/scim-bridge.json')));

const fill = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*');
const asked = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, expr: fill(expr) })),
);

interface Asked {
  readonly where: string;
  readonly name: string;
  readonly labels: readonly { readonly name: string; readonly value: string | undefined }[];
}

function listAsked(where: string, expr: string): Asked[] {
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => ({ name: name.trim(), value: undefined })),
  );
  return [...expr.matchAll(/\b(scim_bridge_\w+)(?:\{([^}]*)\})?/g)].map(([, name, selector]) => {
    const selected = [...(selector ?? '').matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)];
    const labels = selected.map(([, label = '', operator, value]) => ({
      name: label,
      value: operator === '=' ? value : undefined,
    }));
    return { where, name: name ?? '', labels: [...labels, ...grouped] };
  });
}

const allAsked = [
  ...rules.flatMap(({ alert, expr }) => listAsked(alert, expr)),
  ...asked.flatMap(({ title, expr }) => listAsked(title, expr)),
];

const apiVersion = 'monitoring.coreos.com/v1';
const OUTER = new Set(['job', 'instance']);

function needPromtool(context: TestContext): void {
  if (hasPromtool) return;
  if (process.env.CI !== undefined) throw new Error(NO_PROMTOOL);
  context.skip(NO_PROMTOOL);
}

test('every metric and label that an alert or a panel asks for is at /metrics of a running bridge', async () => {
  const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '10s', SEATS_TOTAL: '50' } });
  const ada = await bridge.addUser('ada');
  await bridge.addGroup('Pilots', [ada]);
  await bridge.settled(bridge.send('DELETE', `/Users/${ada}`));

  const lines = (await readMetricsText(bridge)).split('\n');
  const missing = allAsked.filter(({ name, labels }) => {
    const base = name.replace(/_(bucket|count|sum)$/, '');
    const own = listMetrics().find((one) => one.name === base);
    // Those of Node are there in a process of its own.
    if (own === undefined) return !/^scim_bridge_(process|nodejs)_/.test(base);
    if (!lines.includes(`# TYPE ${base} ${own.type}`)) return true;
    const known = new Set<string>(['le', ...OUTER, ...own.labels]);
    return labels.some((label) => !known.has(label.name) || !hasSeries(lines, name, label));
  });
  expect(allAsked.length).toBeGreaterThan(60);
  expect(missing).toEqual([]);
});

/** True when a series of the metric has the value, or nothing that this company does can make one. */
function hasSeries(
  lines: readonly string[],
  name: string,
  { name: label, value }: Asked['labels'][number],
): boolean {
  if (value === undefined || OUTER.has(label)) return true;
  // A bridge in order has no reason, without a receiver nothing is told, and on SQLite there is no pool.
  if (label === 'code') return REASON_CODES.includes(value);
  if (name.endsWith('store_connections')) return ['used', 'idle', 'waiting'].includes(value);
  return lines.some((line) => line.startsWith(`${name}{`) && line.includes(`${label}="${value}"`));
}

test('every reason of /readyz has one alert, which leads to its section of the runbook', () => {
  const anchors = new Map(rules.map((one) => [one.alert, one.annotations.runbook.split('#')[1]]));
  const ofReasons = rules.filter(({ expr }) => /scim_bridge_reasons|\bup\{/.test(expr));

  const told = ofReasons.map(({ alert }) => anchors.get(alert));
  expect(told.toSorted()).toEqual(REASON_CODES.toSorted());
});

test('every alert leads to a section of the runbook that is there', () => {
  const headings = [...read('docs/runbook.md').matchAll(/^### (.+)$/gm)].map(([, heading = '']) =>
    heading.replaceAll('`', '').toLowerCase().replaceAll(' ', '-'),
  );

  const isThere = ({ annotations }: Rule) =>
    headings.includes(annotations.runbook.split('#')[1] ?? '');
  const lost = rules.filter((one) => !isThere(one));
  expect(lost.map(({ alert }) => alert)).toEqual([]);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test('the PrometheusRule has the same rules: npm run docs writes it', () => {
  const manifest = parse(read('config/kubernetes/monitoring/prometheus-rule.yaml'));

  expect(manifest).toMatchObject({ apiVersion, kind: 'PrometheusRule', spec: { groups } });
});

test('the ServiceMonitor finds the port of operators, with a token from a secret', () => {
  const monitor = parse(read('config/kubernetes/monitoring/service-monitor.yaml'));
  const service = parse(read('config/kubernetes/ops-service.yaml'));

  const selector = { matchLabels: service.metadata.labels };
  const endpoints = [{ port: service.spec.ports[0].name, path: '/metrics' }];
  const spec = { selector, endpoints };
  expect(monitor).toMatchObject({ apiVersion, kind: 'ServiceMonitor', spec });
  expect(monitor.spec.endpoints[0].authorization.credentials).toHaveProperty('key');
});

test('panels of the dashboard have ids of their own, say what they show, and never overlap', () => {
  const { panels } = dashboard;
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, index) => `${x + (index % w)}:${y + Math.floor(index / w)}`),
  );

  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(panels.filter(({ type, description }) => type !== 'row' && !description)).toEqual([]);
  expect(new Set(cells).size).toBe(cells.length);
});

test('Prometheus takes every rule, and every expression of the dashboard', (context) => {
  needPromtool(context);
  const panels = asked.map(({ expr }, index) => ({ record: `panel_${index}`, expr }));
  const files = [rulesText, stringify({ groups: [{ name: 'panels', rules: panels }] })];

  const answers = files.map((text) => runPromtool(['check', 'rules'], { 'rules.yaml': text }));

  expect(answers).toEqual(answers.map(({ output }) => ({ status: 0, output })));
  expect(answers[1]?.output).toContain(`${panels.length} rules found`);
});

interface Series {
  readonly firing: Readonly<Record<string, string>>;
  readonly quiet: Readonly<Record<string, string>>;
  readonly at?: number;
}

const job = 'job="scim-bridge-ops",instance="a"';
const leaver = `kind="leaver",${job}`;
const changes = 'scim_bridge_change_duration_seconds';
const requests = 'scim_bridge_http_request_duration_seconds_count';
const calls = 'scim_bridge_upstream_call_duration_seconds_count';
const transactions = 'scim_bridge_store_transaction_duration_seconds_bucket';

const toLevel = (name: string, labels: string, firing: string, quiet: string): Series => {
  const series = `scim_bridge_${name}{${labels}${labels === '' ? '' : ','}${job}}`;
  return { firing: { [series]: firing }, quiet: { [series]: quiet } };
};

const levels: Readonly<Record<string, Series>> = {
  ScimBridgeStarting: { firing: { [`up{${job}}`]: '0x60' }, quiet: { [`up{${job}}`]: '1x60' } },
  ScimBridgeAbsent: { firing: {}, quiet: { [`scim_bridge_build_info{${job}}`]: '1x60' } },
  ScimBridgeLeaverWaits: toLevel('change_oldest_age_seconds', 'kind="leaver"', '301x60', '299x60'),
  ScimBridgeLeaversSlow: {
    firing: toLeavers('0+100x1500', '0+98x1500'),
    quiet: toLeavers('0+100x1500', '0+99.5x1500'),
    at: 1_440,
  },
  ScimBridgeRequestErrors: {
    firing: toStatuses(requests, { 200: '0+94x60', 500: '0+6x60' }),
    quiet: toStatuses(requests, { 200: '0+96x60', 500: '0+4x60', 501: '0+50x60' }),
  },
  ScimBridgeServiceErrors: {
    firing: toStatuses(calls, { 200: '0+7x60', 0: '0+2x60', 502: '0+1x60' }),
    quiet: toStatuses(calls, { 200: '0+9x60', 404: '0+9x60', 502: '0+1x60' }),
  },
  ScimBridgeStoreSlow: {
    firing: toTransactions('0+90x60', '0+100x60'),
    quiet: toTransactions('0+100x60', '0+100x60'),
  },
  ScimBridgeStoreConnections: {
    firing: { [`scim_bridge_store_connections{state="waiting",${job}}`]: '1x60' },
    quiet: { [`scim_bridge_store_connections{state="used",${job}}`]: '9x60' },
  },
  ScimBridgeNotificationsWait: toLevel('notifications_waiting', 'receiver="ops"', '1x60', '0x60'),
  ScimBridgeSeatsRunOut: { firing: toSeats('40+0.001x120'), quiet: toSeats('40+0.0001x120') },
  ScimBridgeSweepOld: {
    ...toLevel('last_complete_sweep_timestamp_seconds', '', '1x300', '60+60x300'),
    at: 242,
  },
};

function toSeats(needed: string) {
  const seats = (state: string) => `scim_bridge_seats{state="${state}",${job}}`;
  return { [seats('needed')]: needed, [seats('total')]: '50x120' };
}

function toLeavers(all: string, inTime: string) {
  return {
    [`${changes}_count{${leaver}}`]: all,
    [`${changes}_bucket{le="300",${leaver}}`]: inTime,
  };
}

function toStatuses(name: string, counts: Readonly<Record<string, string>>) {
  const entries = Object.entries(counts);
  return Object.fromEntries(
    entries.map(([status, values]) => [`${name}{status="${status}",${job}}`, values]),
  );
}

function toTransactions(withinSecond: string, all: string) {
  return {
    [`${transactions}{le="1",result="done",${job}}`]: withinSecond,
    [`${transactions}{le="5",result="done",${job}}`]: all,
    [`${transactions}{le="+Inf",result="done",${job}}`]: all,
  };
}

/** A reason fires once it was there for as long as the rule says. */
function toReasonSeries({ expr }: Rule): Series {
  const code = /code="([a-z-]+)"/.exec(expr)?.[1];
  const other = code === 'stuck' ? 'behind' : 'stuck';
  const series = (each: string | undefined) => ({
    [`scim_bridge_reasons{code="${each}",${job}}`]: '1x200',
  });
  return { firing: series(code), quiet: series(other) };
}

function toMinutes(text: string): number {
  const [, count, unit] = /^(\d+)([mh])$/.exec(text) ?? [];
  return Number(count) * (unit === 'h' ? 60 : 1);
}

function toAlertLabels(expr: string): Record<string, string> {
  if (expr.includes('by (job, instance)')) return { instance: 'a' };
  return expr.includes('by (job, receiver)') ? { receiver: 'ops' } : {};
}

function toPromtoolTest(
  one: Rule,
  series: Readonly<Record<string, string>>,
  at: number,
  fires: boolean,
) {
  const isAbsent = one.expr.startsWith('absent');
  const labels = toAlertLabels(one.expr);
  const expected = {
    exp_labels: { ...one.labels, ...(isAbsent ? {} : { job: 'scim-bridge-ops', ...labels }) },
    exp_annotations: one.annotations,
  };
  const exp_alerts = fires ? [expected] : [];
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: `${at}m`, alertname: one.alert, exp_alerts }],
  };
}

test('every alert fires under its own series after its time, not before, and not under others', (context) => {
  needPromtool(context);
  // Each alert has files of its own, so that promtool works out one rule a minute and not all.
  const files = rules.flatMap((one) => {
    const { firing, quiet, at } = levels[one.alert] ?? toReasonSeries(one);
    const waits = toMinutes(one.for);
    // A rate has a value from the second minute on.
    const fires = at ?? waits + 5;
    const tests = [
      toPromtoolTest(one, firing, fires, true),
      toPromtoolTest(one, quiet, fires, false),
      ...(waits < 2 ? [] : [toPromtoolTest(one, firing, waits - 1, false)]),
    ];
    const rule_files = [`rule-${one.alert}.yaml`];
    return [
      [`test-${one.alert}.yaml`, stringify({ rule_files, evaluation_interval: '1m', tests })],
      [`rule-${one.alert}.yaml`, stringify({ groups: [{ name: 'one', rules: [one] }] })],
    ] as const;
  });

  const answer = runPromtool(['test', 'rules'], Object.fromEntries(files));

  expect(answer.output.match(/SUCCESS/g)).toHaveLength(rules.length);
  expect(answer.status).toBe(0);
  expect(CHANGE_CLASSES).toContain('leaver');
});
