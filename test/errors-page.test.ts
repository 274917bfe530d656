import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The codes in the source: unions that are called `…ErrorCode`, and what is given to an error's constructor. */
function listCodesInSource(): string[] {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  const codes = files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const unions = [...source.matchAll(/type \w+ErrorCode =([^;]+);/g)].map(
      ([, union]) => union ?? '',
    );
    const quoted = unions.flatMap((union) => [...union.matchAll(/'([a-z-]+)'/g)]);
    const given = [...source.matchAll(/(?:new BridgeError|super)\(\s*'([a-z-]+)'/g)];
    return [...quoted, ...given].map(([, code]) => code ?? '');
  });
  return [...new Set(codes)].toSorted();
}

function listCodesOnPage(): string[] {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  return [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code ?? '').toSorted();
}

test('docs/errors.md lists every error code once, and none that is gone', () => {
  expect(listCodesInSource()).toContain('settings-invalid');
  expect(listCodesOnPage()).toEqual(listCodesInSource());
});
