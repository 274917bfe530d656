// Fails on an import that the layout does not allow, on a cycle, and on a test of a bridge that looks inside of it.
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';

const ANY = 'src/**';
const CORE = ['rules', 'plan', 'upstream', 'store', 'domain', 'telemetry'].map(all);
const SHARED = 'src/reconcile/*.ts';

/** What a folder of the source imports beside itself (docs/ARCHITECTURE.md, layout). The last row that fits counts. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'src/domain/**': [],
  'src/settings/**': [all('domain')],
  'src/telemetry/**': [all('domain')],
  'src/upstream/**': [],
  'src/client/**': [all('upstream'), 'src/telemetry/system-clock.ts'],
  'src/sandbox/**': [all('upstream')],
  'src/store/**': [all('domain')],
  'src/plan/**': [all('domain')],
  'src/rules/**': ['store', 'domain'].map(all),
  'src/outbound/**': [all('domain')],
  'src/notify/**': ['outbound', 'store', 'domain', 'telemetry'].map(all),
  'src/access/**': ['outbound', 'store', 'domain', 'telemetry'].map(all),
  'src/reconcile/**': [...CORE, all('reconcile')],
  // Files directly in reconcile/ are what its rooms share.
  'src/reconcile/*.ts': [...CORE, SHARED],
  'src/reconcile/{user,group,audit,erasure}/**': [...CORE, SHARED],
  'src/reconcile/converge/**': [...CORE, SHARED, 'src/reconcile/{converge,user,group}/**'],
  'src/reconcile/read/**': [...CORE, SHARED, 'src/reconcile/{user,group}/**'],
  'src/reconcile/compare/**': [...CORE, SHARED, 'src/reconcile/{read,user,group}/**'],
  'src/reconcile/repair/**': [
    ...[...CORE, SHARED],
    'src/reconcile/{compare,read,audit,user,group}/**',
  ],
  'src/console/**': ['access', 'store', 'domain', 'telemetry'].map(all),
  'src/scim/**': [
    ...['access', 'rules', 'store', 'domain', 'telemetry'].map(all),
    'src/reconcile/{waiters,outcome,loop/reconciler}.ts',
  ],
  'src/ops/**': [...CORE, ...['access', 'reconcile', 'settings'].map(all)],
  'src/app/**': ['src/!(cli)/**'],
  'src/cli/**': [ANY, 'scripts/check-node.mjs'],
  'src/{client,client-mock}.ts': ['src/client/**', 'src/upstream/**', 'src/client.ts'],
  'src/{main,index}.ts': [ANY],
  'src/ops/lists/**': ['domain', 'ops/schemas']
    .map(all)
    .concat([...['src/ops/http/list-query.ts', 'src/settings/shown.ts']]),
  'ui/**': [all('ops/lists'), 'src/domain/values.ts'],
  'ui/api/types.ts': [ANY],
};

const OUTSIDE = ['test/bridge/**', 'test/ci/**'];
const INSIDE = 'src/{reconcile,store,plan}/**';
/** Those that still look inside: the list only shrinks. */
const STILL_INSIDE = 'test/layers/tests-inside.txt';

const root = join(import.meta.dirname, '../..');
const files = globSync('{src,test,scripts,ui}/**/*.{ts,tsx}', { cwd: root });
const imports = new Map(files.map((file) => [file, listImports(file)]));
const problems = [...listArrows(), ...listCycles(), ...listInside()];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function all(folder: string): string {
  return `src/${folder}/**`;
}

function listImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  const named = text.matchAll(/(?:\bfrom |^import |\bimport\()\s*'(\.{1,2}\/[^']+)'/gm);
  return [...new Set([...named].map(([, path = '']) => join(file, '..', path)))];
}

function listArrows(): string[] {
  return files.flatMap((file) => {
    const row = Object.keys(ARROWS).findLast((folder) => matchesGlob(file, folder));
    if (row === undefined || /[.-]test(-support)?\.ts$/.test(file)) return [];
    const parts = row.split('/');
    const own = [...file.split('/').slice(0, parts.length - 1), ...parts.slice(-1)].join('/');
    const allowed = [own, ...(ARROWS[row] ?? [])];
    const wrong = importsOf(file).filter((path) => !allowed.some((one) => matchesGlob(path, one)));
    return wrong.map((path) => `${file} may not import ${path}`);
  });
}

function listCycles(): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    const from = path.indexOf(file);
    if (from >= 0) cycles.push(`a cycle: ${[...path.slice(from), file].join(' → ')}`);
    if (from >= 0 || done.has(file)) return;
    for (const next of importsOf(file)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return cycles.slice(0, 1);
}

function listInside(): string[] {
  const reached = new Set(files.filter((file) => OUTSIDE.some((one) => matchesGlob(file, one))));
  for (const file of reached) {
    for (const path of importsOf(file)) if (path.startsWith('test/')) reached.add(path);
  }
  const looksInside = (file: string) => importsOf(file).some((path) => matchesGlob(path, INSIDE));
  const found = [...reached].filter(looksInside);
  const known = readFileSync(join(root, STILL_INSIDE), 'utf8').split('\n').filter(Boolean);
  return [
    ...found.filter((file) => !known.includes(file)).map((file) => `${file} looks inside`),
    ...known
      .filter((file) => !found.includes(file))
      .map((file) => `${file} does not look inside any more: take it off ${STILL_INSIDE}`),
  ];
}

function importsOf(file: string): readonly string[] {
  return imports.get(file) ?? [];
}
