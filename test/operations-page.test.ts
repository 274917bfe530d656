import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { events } from '../src/telemetry/events.ts';
import { toMetricsTable } from '../src/telemetry/metrics-table.ts';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function listMatches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, match]) => match ?? '').toSorted();
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

test('docs/operations.md lists every message of the log once, and none that is gone', () => {
  const messages = listMatches(read('src/telemetry/events.ts'), /line\(\s*[^,]+,\s*'([^']+)'/g);

  expect(messages).toContain('cannot go on');
  expect(listMatches(page, /^\| [a-z, ]+ \| `([^`]+)` \|/gm)).toEqual(messages);
});

test('every message that is documented is logged somewhere', () => {
  const names = Object.keys(events);
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => read(join('src', path)));
  const isUsed = (name: string) => sources.some((text) => text.includes(`events.${name}(`));

  expect(names.filter((name) => !isUsed(name))).toEqual([]);
});

test('docs/operations.md has the metrics as they are: npm run docs writes them', () => {
  expect(page).toContain(`\n${toMetricsTable()}\n`);
});
