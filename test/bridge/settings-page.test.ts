import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HARM_KINDS } from '../../src/domain/harm.ts';
import { settingRows } from '../../src/settings/rows.ts';
import { readSources } from '../support/source.ts';

const root = join(import.meta.dirname, '../..');
/** Code that works with settings. Texts are left out, because messages name settings too. */
const code = readSources()
  .filter(({ path }) => !path.startsWith('src/settings/') || path.endsWith('/store-url.ts'))
  .map((file) => file.code.replaceAll(/'(?![a-z]\w*'\])(?:\\.|[^'\\\n])*'/g, "''"));

function isInCode(pattern: RegExp): boolean {
  return code.some((text) => pattern.test(text));
}

/** Types of objects that are no section of `Settings`. */
const wholes: Readonly<Record<string, string>> = {
  settings: 'Settings\\b(?!\\[)',
  options: 'SandboxOptions\\b',
};

/** True when a setting is read out of its section, or out of all settings when it has none. */
function isRead(section: string, key: string): boolean {
  const fields = `\\{[^{}]*(?<!: )\\b${key}\\b[^{}]*\\}`;
  const whole = wholes[section] ?? `Settings\\['${section}'\\]`;
  return [
    `\\b${section}\\.${key}\\b`, // upstream.url
    `\\b${section}: ${fields}`, // { upstream: { url } }
    `${fields} = [^;]*\\b${section}\\b`, // const { url } = settings.upstream
    `${fields}: [^=;]*${whole}`, // ({ url }: Settings['upstream'])
  ].some((pattern) => isInCode(new RegExp(pattern)));
}

/** The limits of repairs are read by their kind. */
function isLimitOfHarm([section, kind, key]: readonly string[]): boolean {
  if (section !== 'limits' || key === undefined) return false;
  return HARM_KINDS.some((harm) => harm === kind) && isInCode(new RegExp(`limit\\.${key}\\b`));
}

test('every setting that is documented is read somewhere', () => {
  const unread = settingRows.filter(({ path }) => {
    const [key = '', section = 'settings'] = path.toReversed();
    if (path.length > 2) return !isLimitOfHarm(path);
    // The section of the sandbox is handed to it as its options.
    return !isRead(section === 'sandbox' ? 'options' : section, key);
  });

  expect(unread.map(({ name }) => name)).toEqual([]);
});

test('no variable of the environment is read beside those of the settings, but CONFIG and documented ones of OpenTelemetry', () => {
  const read = code.flatMap((text) => [...text.matchAll(/\benv\.(\w+)/g)].map(([, name]) => name));
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const isOfOtel = (name = '') => name.startsWith('OTEL_') && page.includes(`\`${name}`);

  expect([...new Set(read)].filter((name) => !isOfOtel(name))).toEqual(['CONFIG']);
});

test('every variable that a document names is one of a setting', () => {
  const own = new Set(settingRows.flatMap(({ variable }) => [variable, `${variable}_FILE`]));
  const sections = new Set(settingRows.map(({ variable }) => variable.split('_')[0]));
  const pages = ['README.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })];
  const named = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...text.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => ({ page, name }));
  });
  const isOfASection = (name: string) => sections.has(name.split('_')[0]);

  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => isOfASection(name) && !own.has(name))).toEqual([]);
});
