import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const cases = z
  .array(z.object({ id: z.string() }))
  .parse(JSON.parse(read('test/bridge/provider-cases/cases.json')));
const caseIds = new Set(cases.map(({ id }) => id));
const providers = [...new Set([...caseIds].map((id) => id.replace(/-\d+$/, '')))].join('|');

/** All that a pattern finds in a text, by its groups. */
function findAll(text: string, pattern: RegExp): string[][] {
  return [...text.matchAll(pattern)].map(([, ...groups]) => groups.map((group) => group ?? ''));
}

/** The anchor that a heading of a page gets. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function leads(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? join(root, from) : join(dirname(join(root, from)), path);
  if (!existsSync(file)) return false;
  if (anchor === undefined) return true;
  const headings = findAll(readFileSync(file, 'utf8'), /^#+ (.+)$/gm);
  return headings.some(([heading = '']) => toAnchor(heading) === anchor);
}

/** Every page that people write, and those that are generated. */
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...globSync(['docs/*.md', 'docs/decisions/*.md'], { cwd: root }).toSorted(),
];

for (const page of pages) {
  const text = read(page);

  test(`${page}: every file that it names exists`, () => {
    const named = findAll(text, /`((?:test|src|docs|config|scripts)\/[\w./-]+)`/g).flat();
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test(`${page}: every link leads somewhere`, () => {
    const links = findAll(text, /\]\(([^)\s]+)\)/g).flat();
    const local = links.filter((link) => !/^https?:/.test(link));
    expect(local.filter((link) => !leads(page, link))).toEqual([]);
  });
}

test('every section of a page that code or configuration names is there', () => {
  const files = globSync(
    ['config/**/*.{yaml,service,conf}', 'config/Caddyfile*', 'src/**/*.ts', 'Dockerfile', '*.yml'],
    { cwd: root },
  );
  const named = files.flatMap((file) =>
    findAll(read(file), /\b(docs\/[\w-]+\.md#[\w-]+)/g).map(([place = '']) => `${file}: ${place}`),
  );
  expect(named).not.toEqual([]);
  expect(named.filter((each) => !leads('README.md', each.replace(/^.*: /, '')))).toEqual([]);
});

test('no page has a conflict of a merge in it', () => {
  const torn = [...pages, 'CHANGELOG.md'].filter((page) => /^(?:<{7}|>{7}) /m.test(read(page)));
  expect(torn).toEqual([]);
});

test('docs/README.md leads to every page', () => {
  const linked = findAll(read('docs/README.md'), /\]\(([^)#\s]+)\)/g).flat();
  const missing = pages
    .filter((page) => /^docs\/[^/]+$/.test(page) && page !== 'docs/README.md')
    .filter((page) => !linked.includes(page.replace('docs/', '')));
  expect(missing).toEqual([]);
});

test('README.md has at most 250 lines, and docs/ARCHITECTURE.md at most 20 KB', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(250);
  expect(Buffer.byteLength(read('docs/ARCHITECTURE.md'))).toBeLessThan(20_000);
});

test('every command is named in a document', () => {
  const sources = globSync('src/cli/*.ts', { cwd: root }).map(read).join('\n');
  const commands = [
    ...new Set(findAll(sources, /\bprogram\s*\.command\('([a-z-]+)'/g).flat()),
  ].toSorted();
  const text = pages.map(read).join('\n');
  expect(commands).toContain('explain');
  expect(
    commands.filter((name) => !new RegExp(`(?:scim-bridge|main\\.js) ${name}`).test(text)),
  ).toEqual([]);
});

const providerPages = ['docs/providers.md', 'docs/okta.md', 'docs/entra.md'];
const providerText = providerPages.map(read).join('\n');

test('the pages of providers: every title that they name is in its file', () => {
  const named = findAll(providerText, /`((?:test|src)\/[^`]+\.test\.ts)`: \*([^*]+)\*/g);
  expect(named.length).toBeGreaterThanOrEqual(8);
  expect(named.filter(([file = '', title = '']) => !read(file).includes(title))).toEqual([]);
});

test('the pages of providers: every case that they name exists, and every provider is there with one', () => {
  const named = findAll(providerText, new RegExp(`\`((?:${providers})-\\d+)\``, 'g'));
  const ids = named.flat();
  expect(ids.filter((id) => !caseIds.has(id))).toEqual([]);
  expect(new Set(ids.map((id) => id.replace(/-\d+$/, '')))).toEqual(new Set(providers.split('|')));
});

test('the pages of providers: what is ticked names what shows it', () => {
  const ticked = findAll(providerText, /^- \[x\] (.+)$/gm).flat();
  expect(ticked.length).toBeGreaterThan(30);
  expect(ticked.filter((line) => !/`(?:test|src|config)\/|`[a-z]+-\d+`/.test(line))).toEqual([]);
});

test('docs/privacy.md: every table of the store is among those that it says what is kept in', () => {
  const schema = read('src/store/schema.ts');
  const tables = findAll(
    schema.slice(schema.indexOf('export interface Schema {')),
    /^ {2}(\w+): \w+;$/gm,
  );
  const text = read('docs/privacy.md');
  expect(tables.length).toBeGreaterThan(20);
  expect(tables.flat().filter((table) => !text.includes(`\`${table}\``))).toEqual([]);
});

test('docs/security.md: every threat and every risk leads to the promises that answer it', () => {
  const text = read('docs/security.md');
  const rows = findAll(text, /^\| (?!somebody|risk|who|secret|---)(.+)$/gm).flat();
  const shown = rows.filter((row) => /\(promises\.md#[\w-]+\) \|$/.test(row));
  const threats = text.slice(text.indexOf('## Threats'), text.indexOf('## Secrets'));
  expect(shown.length).toBeGreaterThan(25);
  expect(shown.length).toBe(findAll(threats, /^\| (?!somebody|risk)(.+)$/gm).length);
});

test('SECURITY.md leads to docs/security.md and back', () => {
  expect(leads('SECURITY.md', 'docs/security.md')).toBe(true);
  expect(read('SECURITY.md')).toContain('(docs/security.md)');
  expect(read('docs/security.md')).toContain('(../SECURITY.md)');
});
