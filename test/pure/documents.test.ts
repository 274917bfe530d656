import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { toCommandsTable } from '../../scripts/command-page.ts';
import { toMetricsTable } from '../../scripts/metrics-table.ts';
import { listMetrics } from '../../src/app/state-metrics.ts';
import { MANAGED_KINDS } from '../../src/domain/change.ts';
import { REASON_CODES } from '../../src/ops/state/reasons.ts';
import { settingRows } from '../../src/settings/rows.ts';
import { TABLES } from '../../src/store/schema.ts';
import { EVENTS } from '../../src/telemetry/event-rows.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...globSync('docs/*.md', { cwd: root }).toSorted(),
];

test('every link of a page leads somewhere, and every file that it names exists', () => {
  const wrong = pages.flatMap((page) => {
    const links = findAll(read(page), /\]\(([^)\s]+)\)/g).filter((link) => !/^https?:/.test(link));
    const files = findAll(read(page), /`((?:test|src|docs|config|scripts)\/[\w./-]+)`/g);
    return [
      ...links.filter((link) => !isThere(page, link)),
      ...files.filter((file) => !existsSync(join(root, file))),
    ].map((name) => `${page}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

test('every section of a page that code or configuration names is there', () => {
  const files = globSync(['config/**/*.{yaml,service,conf}', 'src/**/*.ts', '*.yml'], {
    cwd: root,
  });
  const named = files.flatMap((file) => findAll(read(file), /\b(docs\/[\w-]+\.md#[\w-]+)/g));
  expect(named).not.toEqual([]);
  expect(named.filter((place) => !isThere('README.md', place))).toEqual([]);
});

test('README.md leads to every page', () => {
  const linked = findAll(read('README.md'), /\]\(([^)#\s]+)\)/g);
  expect(pages.filter((page) => page.startsWith('docs/') && !linked.includes(page))).toEqual([]);
});

test('the tables of metrics and commands are as the code has them: npm run docs writes them', () => {
  expect(read('docs/runbook.md')).toContain(`\n${toMetricsTable()}\n`);
  expect(read('docs/command-line.md')).toContain(`\n${toCommandsTable()}\n`);
});

test('docs/runbook.md has every line of the log that warns once, and none that is gone', () => {
  const rows = Object.values(EVENTS);
  const warning = rows.filter(({ level = 'info' }) => /warn|error|fatal/.test(level));
  const listed = findAll(
    read('docs/runbook.md'),
    /^\| (?:warn|error|fatal) \| `([^`]+)` \| .+ \|$/gm,
  );
  expect(listed.toSorted()).toEqual(warning.map(({ message }) => message).toSorted());
});

test('docs/runbook.md has every reason of /readyz once, and none that is gone', () => {
  const told = findAll(read('docs/runbook.md'), /^### `([a-z-]+)`$/gm);
  expect(told.toSorted()).toEqual(REASON_CODES.toSorted());
});

test('docs/drift.md has every kind of drift of what is managed once, and none that is gone', () => {
  const kinds = findAll(read('docs/drift.md'), /^\| `([a-z]+\.[a-z]+)` \| .+ \| .+ \| .+ \|$/gm);
  expect(kinds.toSorted()).toEqual(MANAGED_KINDS.toSorted());
});

test('docs/security.md names every table of the store', () => {
  const text = read('docs/security.md');
  expect(Object.keys(TABLES).filter((table) => !text.includes(`\`${table}\``))).toEqual([]);
});

test('every metric and every setting that a page names exists', () => {
  const metrics = new Set(listMetrics().map(({ name }) => name));
  const variables = new Set(settingRows.flatMap(({ variable }) => [variable, `${variable}_FILE`]));
  const sections = new Set(settingRows.map(({ variable }) => variable.split('_')[0]));
  const text = pages.map(read).join('\n');
  const namedMetrics = findAll(text, /\b(scim_bridge_[a-z_]+[a-z])\b/g);
  const namedVariables = findAll(text, /\b([A-Z]+(?:_[A-Z]+)+)\b/g).filter((name) =>
    sections.has(name.split('_')[0]),
  );
  expect(
    namedMetrics.filter((name) => !metrics.has(name.replace(/_(bucket|count|sum)$/, ''))),
  ).toEqual([]);
  expect(namedVariables.filter((name) => !variables.has(name))).toEqual([]);
});

test('the pages of providers: every case that they name exists, and what is ticked names what shows it', () => {
  const cases = new Set(
    findAll(read('test/bridge/provider-cases/cases.json'), /"id": "([a-z]+-\d+)"/g),
  );
  const providers = [...new Set([...cases].map((id) => id.replace(/-\d+$/, '')))];
  const text = ['docs/providers.md', 'docs/okta.md', 'docs/entra.md'].map(read).join('\n');
  const named = findAll(text, new RegExp(`\`((?:${providers.join('|')})-\\d+)\``, 'g'));
  expect(named.filter((id) => !cases.has(id))).toEqual([]);
  expect(new Set(named.map((id) => id.replace(/-\d+$/, '')))).toEqual(new Set(providers));
  const ticked = findAll(text, /^- \[x\] (.+)$/gm);
  expect(ticked.length).toBeGreaterThan(30);
  expect(ticked.filter((line) => !/`(?:test|src|config)\/|`[a-z]+-\d+`/.test(line))).toEqual([]);
});

function findAll(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, group = '']) => group);
}

function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined) return true;
  return findAll(read(target), /^#+ (.+)$/gm).some((heading) => toAnchor(heading) === anchor);
}

function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
