import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toCommandsTable } from '../../scripts/command-page.ts';
import { events } from '../../src/telemetry/events.ts';
import { logLines, toLogTable } from '../../src/telemetry/log-lines.ts';
import { metricDefinitions, toMetricsTable } from '../../src/telemetry/metric-definitions.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { readSources } from '../support/source.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');

const sources = readSources();

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function listMatches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, match]) => match ?? '').toSorted();
}

function isInSource(text: string): boolean {
  return sources.some(({ code }) => code.includes(text));
}

test('docs/operations.md lists every reason of /readyz once, and none that is gone', () => {
  const [, union = ''] = /type ReasonCode =([^;]+);/.exec(read('src/ops/state/reason.ts')) ?? [];
  const codes = listMatches(union, /'([a-z-]+)'/g);

  expect(codes).toContain('stuck');
  expect(listMatches(page, /^\| `([a-z-]+)` \| (?:200|503) \|/gm)).toEqual(codes);
});

test('docs/runbook.md says of every reason of /readyz what to do, and of none that is gone', () => {
  const [, union = ''] = /type ReasonCode =([^;]+);/.exec(read('src/ops/state/reason.ts')) ?? [];
  const codes = listMatches(union, /'([a-z-]+)'/g);
  const sections = read('docs/runbook.md').split(/^### /m).slice(1);
  const empty = sections.filter((text) => text.split('\n').slice(1).join('').trim() === '');

  expect(listMatches(read('docs/runbook.md'), /^### `([a-z-]+)`$/gm)).toEqual(codes);
  expect(empty).toEqual([]);
});

test('docs/operations.md has the lines of the log as they are: npm run docs writes them', () => {
  expect(page).toContain(`\n${toLogTable()}\n`);
});

test('every line of the log is made by an event', () => {
  const made = listMatches(read('src/telemetry/events.ts'), /\bline\(\s*'(\w+)'/g);

  expect(new Set(made)).toEqual(new Set(Object.keys(logLines)));
});

test('every reason that is documented is told somewhere', () => {
  const [, union = ''] = /type ReasonCode =([^;]+);/.exec(read('src/ops/state/reason.ts')) ?? [];
  const codes = listMatches(union, /'([a-z-]+)'/g);

  // An answer may have the same code, and tells no reason by it.
  const isTold = (code: string) => {
    const reason = new RegExp(`code: '${code}',\\s+detail\\b`);
    return sources.some((file) => reason.test(file.code));
  };

  expect(codes.filter((code) => !isTold(code))).toEqual([]);
});

test('every message that is documented is logged somewhere', () => {
  const names = Object.keys(events);

  expect(names.filter((name) => !isInSource(`events.${name}(`))).toEqual([]);
});

test('every count of a metric is made somewhere', () => {
  const counts = Object.keys(createMetrics()).filter((name) => name !== 'registry');

  expect(counts).toContain('requests');
  expect(counts.filter((name) => !isInSource(`metrics.${name}`))).toEqual([]);
});

test('every hook that logs or counts for another part is called by that part', () => {
  const [telemetry] = sources.filter(({ code }) => code.includes('function toReconcileEvents('));
  // Counts of metrics have a test of their own.
  const hooks = listMatches(telemetry?.code ?? '', /^ {4}(?!count)(\w+)(?:: \(|\()/gm);
  // A file that makes lines of the log itself has other `events`.
  const others = sources.filter(({ code }) => !/import \{ [^}]*\bevents\b/.test(code));
  const isCalled = (hook: string) => {
    const call = new RegExp(`(?:[eE]vents|telemetry|told|hooks)\\.${hook}\\b|\\b${hook}\\?\\.\\(`);
    return others.some(({ code }) => call.test(code));
  };

  expect(hooks).toContain('converged');
  expect(hooks.filter((hook) => !isCalled(hook))).toEqual([]);
});

test('every metric that a document names exists', () => {
  const own = Object.values(metricDefinitions).map(({ name }) => name);
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })];
  const named = pages.flatMap((path) => listMatches(read(path), /\b(scim_bridge_[a-z_]+[a-z])\b/g));
  const isOwn = (name: string) =>
    own.some((one) => one === name.replace(/_(bucket|count|sum)$/, ''));

  expect(named.length).toBeGreaterThan(own.length);
  expect(named.filter((name) => !isOwn(name))).toEqual([]);
});

test('docs/operations.md has the metrics as they are: npm run docs writes them', () => {
  expect(page).toContain(`\n${toMetricsTable()}\n`);
});

test('docs/command-line.md has the commands and their options as they are: npm run docs writes them', () => {
  expect(read('docs/command-line.md')).toContain(`\n${toCommandsTable()}\n`);
});
