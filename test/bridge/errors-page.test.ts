import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSources, withoutTypes } from '../support/source.ts';

const root = join(import.meta.dirname, '../..');
const sources = readSources();

/** All that the first group of a pattern finds. */
function listMatches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, match]) => match ?? '');
}

/** Codes that a union called `…ErrorCode` declares, with the name of its errors. */
function listDeclared(): { code: string; error: string }[] {
  return sources.flatMap((file) =>
    [...file.code.matchAll(/type (\w+Error)Code =([^;]+);/g)].flatMap(
      ([, error = '', union = '']) =>
        listMatches(union, /'([a-z_-]+)'/g).map((code) => ({ code, error })),
    ),
  );
}

/** Codes that are given to the constructor of an error without such a union. */
function listGiven(): string[] {
  return sources.flatMap(({ code }) =>
    listMatches(code, /(?:new BridgeError|super)\(\s*'([a-z-]+)'/g),
  );
}

/** The codes in the source, but those of `/oauth/token`, whose words are another table. */
function listCodesInSource(): string[] {
  const declared = listDeclared().filter(({ error }) => error !== 'OAuthError');
  return [...new Set([...declared.map(({ code }) => code), ...listGiven()])].toSorted();
}

function listCodesOnPage(): string[] {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  return listMatches(page, /^\| `([a-z-]+)` \|/gm).toSorted();
}

/** Names that a file has which makes errors of this kind. */
const makers: Readonly<Record<string, RegExp>> = {
  UpstreamError: /UpstreamError|toNotSent|WritesRefused|writesRefused/,
  StoreError: /StoreError/,
  OAuthError: /OAuthError/,
};

/** True when an error may get this code. Comparisons, keys of tables and sets of codes only name it. */
function isGiven({ code, error }: { code: string; error: string }): boolean {
  const maker = makers[error] ?? new RegExp(error);
  const given = new RegExp(`(?<!(?:===|!==|case|\\[)\\s*)'${code}'(?!:)`);
  return sources
    .filter((file) => maker.test(file.code))
    .map((file) => withoutTypes(file.code).replaceAll(/new Set\(\[[^\]]*\]\)/g, ''))
    .some((text) => given.test(text));
}

test('docs/errors.md lists every error code once, and none that is gone', () => {
  expect(listCodesInSource()).toContain('settings-invalid');
  expect(listCodesOnPage()).toEqual(listCodesInSource());
});

test('docs/errors.md lists every error of /oauth/token once, and none that is gone', () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8');
  const [, answers = ''] = page.split('## Answers of `/oauth/token`');
  const declared = listDeclared().filter(({ error }) => error === 'OAuthError');
  const codes = declared.map(({ code }) => code).toSorted();

  expect(codes).toContain('invalid_client');
  expect(listMatches(answers, /^\| `([a-z_]+)` \|/gm).toSorted()).toEqual(codes);
});

test('every code that is documented is given to an error somewhere', () => {
  const declared = listDeclared();

  expect(new Set(declared.map(({ error }) => error))).toEqual(new Set(Object.keys(makers)));
  expect(declared.filter((one) => !isGiven(one))).toEqual([]);
});

test('every error with a code of its own is thrown somewhere', () => {
  const classes = sources.flatMap(({ code }) =>
    listMatches(code, /class (\w+) extends BridgeError\b/g),
  );
  const isMade = (name: string) => sources.some(({ code }) => code.includes(`new ${name}(`));

  expect(classes).toContain('SettingsError');
  expect(classes.filter((name) => !isMade(name))).toEqual([]);
});
