import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const src = join(import.meta.dirname, '../../src');
const importPattern =
  /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Everything that the client is made of: our own files, and the packages that they import when it runs. */
function walk(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    for (const [, isType, from = '', later = ''] of readFileSync(file, 'utf8').matchAll(
      importPattern,
    )) {
      const target = from || later;
      if (target.startsWith('.')) open.push(join(dirname(file), target));
      else if (!isType) packages.add(target);
    }
  }
  return { files: new Set([...files].map((file) => relative(src, file))), packages };
}

test('the client needs nothing of the bridge, and no package but undici', () => {
  const { files, packages } = walk(join(src, 'client.ts'));
  const outside = [...files].filter((file) => !/^(client\.ts|client\/|upstream\/)/.test(file));
  // The clock asks nothing of the rest but its own type.
  expect(outside.toSorted()).toEqual(['domain/clock.ts', 'telemetry/system-clock.ts']);
  const ofNode = (name: string) => name.startsWith('node:');
  expect([...packages].filter((name) => !ofNode(name))).toEqual(['undici']);
  expect([...files]).toContain('upstream/operations/card-parts.ts');
  expect(files.size).toBeGreaterThan(50);
});
