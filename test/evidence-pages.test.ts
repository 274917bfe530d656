import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const cases = z
  .array(z.object({ id: z.string() }))
  .parse(JSON.parse(read('test/provider-cases/cases.json')));
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
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

function leads(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = join(dirname(join(root, from)), path);
  if (!existsSync(file)) return false;
  if (anchor === undefined) return true;
  const headings = findAll(readFileSync(file, 'utf8'), /^#+ (.+)$/gm);
  return headings.some(([heading = '']) => toAnchor(heading) === anchor);
}

const pages = [
  { page: 'docs/security.md', files: 40, titles: 25 },
  { page: 'docs/providers.md', files: 20, titles: 8 },
];
for (const { page, files, titles } of pages) {
  const text = read(page);

  test(`${page}: every file that it names exists`, () => {
    const named = findAll(text, /`((?:test|src|docs|config)\/[^`\s]+)`/g).flat();
    expect(named.length).toBeGreaterThan(files);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test(`${page}: every title that it names is in its file`, () => {
    const named = findAll(text, /`((?:test|src)\/[^`]+\.test\.ts)`: \*([^*]+)\*/g);
    expect(named.length).toBeGreaterThanOrEqual(titles);
    expect(named.filter(([file = '', title = '']) => !read(file).includes(title))).toEqual([]);
  });

  test(`${page}: every link leads somewhere`, () => {
    const links = findAll(text, /\]\(([^)\s]+)\)/g).flat();
    expect(links.filter((link) => !leads(page, link))).toEqual([]);
  });
}

test('docs/providers.md: every case that it names exists, and every provider is there with one', () => {
  const named = findAll(read('docs/providers.md'), new RegExp(`\`((?:${providers})-\\d+)\``, 'g'));
  const ids = named.flat();
  expect(ids.filter((id) => !caseIds.has(id))).toEqual([]);
  expect(new Set(ids.map((id) => id.replace(/-\d+$/, '')))).toEqual(new Set(providers.split('|')));
});

test('docs/providers.md: what is ticked names what shows it', () => {
  const ticked = findAll(read('docs/providers.md'), /^- \[x\] (.+)$/gm)
    .flat()
    .slice(1);
  expect(ticked.length).toBeGreaterThan(30);
  expect(ticked.filter((line) => !/`(?:test|src|config)\/|`[a-z]+-\d+`/.test(line))).toEqual([]);
});

test('docs/security.md: every table of the store is among those that it says what is kept in', () => {
  const schema = read('src/store/schema.ts');
  const tables = findAll(
    schema.slice(schema.indexOf('export interface Schema {')),
    /^ {2}(\w+): \w+;$/gm,
  );
  const text = read('docs/security.md');
  expect(tables.length).toBeGreaterThan(20);
  expect(tables.flat().filter((table) => !text.includes(`\`${table}\``))).toEqual([]);
});

test('SECURITY.md leads to docs/security.md and back', () => {
  expect(leads('SECURITY.md', 'docs/security.md')).toBe(true);
  expect(read('SECURITY.md')).toContain('(docs/security.md)');
  expect(read('docs/security.md')).toContain('(../SECURITY.md)');
});
