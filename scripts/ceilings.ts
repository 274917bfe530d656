// Counts the project against ceilings.json. `npm run check` fails above a ceiling; `--lower` sets each ceiling to what is counted now, where that is less.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { settingRows } from '../src/settings/rows.ts';
import { TABLES } from '../src/store/schema.ts';

/** Lines of source are counted per group of folders. */
const GROUPS = {
  core: /^src\/(reconcile|store|plan|domain|rules|notify)\//,
  scim: /^src\/scim\//,
  'ops, cli, console': /^src\/(ops|cli|console)\//,
  'access, outbound, app, settings, telemetry': /^src\/(access|outbound|app|settings|telemetry)\//,
  'upstream, client': /^src\/(upstream|client)\/|^src\/client(-mock)?\.ts$/,
  sandbox: /^src\/sandbox\//,
  'ui, scripts': /^(ui|scripts)\//,
  'all source': /^(src|ui|scripts)\//,
};
const CODE = /\.(ts|tsx|mjs|css|html)$/;
const TEST = /\.test\.tsx?$|^test\/|-test-support\.ts$|\/testing\//;
const GENERATED = /^docs\/settings\.md$/;
/** The history of changes and the notes beside tests are not pages of the documentation. */
const NO_PAGE = /^CHANGELOG\.md$|^test\//;

const root = join(import.meta.dirname, '..');
const file = join(import.meta.dirname, 'ceilings.json');
const counts = count();
const ceilings = z.record(z.string(), z.int()).parse(JSON.parse(readFileSync(file, 'utf8')));

if (process.argv.includes('--lower')) {
  const lowered = Object.entries(counts).map(([name, counted]) => [
    name,
    Math.min(counted, ceilings[name] ?? counted),
  ]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
} else {
  const rows = Object.entries(counts).map(([name, counted]) => ({
    name,
    counted,
    ceiling: ceilings[name] ?? 0,
  }));
  console.table(rows);
  for (const { name, counted, ceiling } of rows.filter((row) => row.counted > row.ceiling)) {
    console.error(`${name}: ${counted} is above ${ceiling}. A ceiling is never raised.`);
    process.exitCode = 1;
  }
}

/** Each number of the table, as the checkout is now. Comments and blank lines count. */
function count(): Record<string, number> {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !GENERATED.test(path));
  const code = tracked.filter((path) => CODE.test(path));
  const sources = code.filter((path) => !TEST.test(path));
  const pages = tracked.filter((path) => path.endsWith('.md') && !NO_PAGE.test(path));
  const groups = Object.entries(GROUPS).map(([name, pattern]) => {
    return [name, countLines(sources.filter((path) => pattern.test(path)))];
  });
  return {
    ...Object.fromEntries(groups),
    'files of src': sources.filter((path) => path.startsWith('src/')).length,
    'lines of tests': countLines(code.filter((path) => TEST.test(path))),
    'bytes of documents': countMatches(pages, /[\s\S]/g),
    documents: pages.length,
    settings: settingRows.length,
    tables: Object.keys(TABLES).length,
  };
}

function countLines(paths: readonly string[]): number {
  return countMatches(paths, /\n/g);
}

function countMatches(paths: readonly string[], pattern: RegExp): number {
  return paths.reduce((total, path) => {
    const text = readFileSync(join(root, path), 'latin1');
    return total + (text.match(pattern)?.length ?? 0);
  }, 0);
}
