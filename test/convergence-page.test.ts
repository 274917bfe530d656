import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The tests that the page names: a file, and a title or its fixed part. */
function listNamedTests(): { file: string; title: string }[] {
  const page = readFileSync(join(root, 'docs/convergence.md'), 'utf8');
  const rows = page.matchAll(/^\| .+ \| `([^`]+)`: (.+) \|$/gm);
  return [...rows].map(([, file = '', title = '']) => ({ file, title }));
}

function holds({ file, title }: { file: string; title: string }): boolean {
  const path = join(root, file);
  return existsSync(path) && readFileSync(path, 'utf8').includes(title);
}

test('every promise of docs/convergence.md names a test that exists', () => {
  const named = listNamedTests();

  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((one) => !holds(one))).toEqual([]);
});

test('every row of its tables names a test', () => {
  const page = readFileSync(join(root, 'docs/convergence.md'), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => /^\| /.test(line) && line !== '| promise | test |');

  expect(rows.length).toBe(listNamedTests().length);
});
