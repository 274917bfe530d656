import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/promises.md'), 'utf8');

/** The rows of its tables, without their heads. */
const rows = page.split('\n').filter((line) => /^\| /.test(line) && line !== '| promise | test |');

interface NamedTest {
  readonly file: string;
  /** The title of the test, or a fixed part of it; empty when the file as a whole is meant. */
  readonly title: string;
}

function listNamedTests(row: string): NamedTest[] {
  const [, evidence = ''] = /^\| .+ \| (.+) \|$/.exec(row) ?? [];
  const named = evidence.matchAll(/`((?:src|test)\/[^`]+\.ts)`(?:: \*([^*]+)\*)?/g);
  return [...named].map(([, file = '', title = '']) => ({ file, title }));
}

function holds({ file, title }: NamedTest): boolean {
  const path = join(root, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(title);
}

test('every promise of docs/promises.md names a test that exists', () => {
  const named = rows.flatMap(listNamedTests);

  expect(named.length).toBeGreaterThan(220);
  expect(named.filter(({ title }) => title !== '').length).toBeGreaterThan(220);
  expect(named.filter((one) => !holds(one))).toEqual([]);
});

test('every row of its tables names a test', () => {
  expect(rows.filter((row) => listNamedTests(row).length === 0)).toEqual([]);
});

test('no promise stands there twice, nor on another page', () => {
  const promises = rows.map((row) => row.split(' | ')[0] ?? '');
  const others = ['docs/ARCHITECTURE.md', 'docs/convergence.md', 'docs/security.md'];

  expect(promises.filter((each, index) => promises.indexOf(each) !== index)).toEqual([]);
  const elsewhere = others.flatMap((other) =>
    readFileSync(join(root, other), 'utf8')
      .split('\n')
      .filter((line) => /^\|.*\.test\.ts`/.test(line)),
  );
  expect(elsewhere).toEqual([]);
});
