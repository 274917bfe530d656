import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toDefaultConfig, toSettingsPage } from '../../scripts/settings-page.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { settingRows } from '../../src/settings/rows.ts';

const root = join(import.meta.dirname, '../..');
const readFile = (path: string) => readFileSync(join(root, path), 'utf8');

test('docs/settings.md is what the schema says (npm run docs writes it)', () => {
  expect(readFile('docs/settings.md')).toBe(toSettingsPage(settingRows));
});

test('config/default.yaml is what the schema says (npm run docs writes it)', () => {
  expect(readFile('config/default.yaml')).toBe(toDefaultConfig(settingRows));
});

test('config/default.yaml changes nothing', () => {
  const show = (configFile?: string) => loadSettings({ env: {}, readFile, configFile }).shown;
  expect(show('config/default.yaml')).toEqual(show());
});

test('config/example.yaml allows a start, without a warning, once the secrets are given, and makes nobody an administrator', () => {
  const env = { UPSTREAM_TOKEN: 'x', SCIM_TOKENS: 'correct-horse-battery' };
  const { settings, warnings } = loadSettings({ env, readFile, configFile: 'config/example.yaml' });
  expect(settings.publicUrl).toBe('https://scim.example.com');
  expect(settings.rules).toEqual([]);
  expect(warnings).toEqual([]);
});

test('no two settings share a variable, and the variable is the path in upper snake case', () => {
  const variables = settingRows.map(({ variable }) => variable);
  expect(new Set(variables).size).toBe(variables.length);
  expect(variables).toEqual(
    expect.arrayContaining(['PORT', 'PUBLIC_URL', 'UPSTREAM_REQUESTS_PER_SECOND', 'DATABASE_URL']),
  );
});
