import { describe, expect, test } from 'vitest';
import { findWords, readAnswerBody } from './answer-body.ts';

const bodies = [
  {
    why: 'an object with a message',
    text: '{"message":"no such user"}',
    kind: 'json',
    words: 'no such user',
  },
  { why: 'a text in JSON', text: '"Invalid token"', kind: 'json', words: 'Invalid token' },
  { why: 'a text that is not', text: 'Invalid token\n', kind: 'text', words: 'Invalid token' },
  {
    why: 'a SCIM error',
    text: '{"status":"400","detail":"bad value"}',
    kind: 'json',
    words: 'bad value',
  },
  {
    why: 'a list of errors',
    text: '{"errors":[{"message":"first"},{"message":"second"}]}',
    kind: 'json',
    words: 'first; second',
  },
  {
    why: 'an error inside an error',
    text: '{"error":{"message":"deep"}}',
    kind: 'json',
    words: 'deep',
  },
  { why: 'nothing', text: ' ', kind: 'empty', words: undefined },
  {
    why: 'errors by field',
    text: '{"errors":{"email":["is taken","is short"],"title":"is empty","code":3}}',
    kind: 'json',
    words: 'email: is taken; is short; title: is empty',
  },
  {
    why: 'a problem (RFC 9457)',
    text: '{"type":"about:blank","title":"Forbidden","status":403}',
    kind: 'json',
    words: 'Forbidden',
  },
  {
    why: 'a page with a title',
    text: '<html><head><title>\n Bad &amp; worse </title></head><h1>502</h1></html>',
    kind: 'html',
    words: 'Bad & worse',
  },
  {
    why: 'a page whose title has what is no escape',
    text: '<html><title>Bad &constructor; worse</title></html>',
    kind: 'html',
    words: 'Bad &constructor; worse',
  },
  { why: 'a page with a heading', text: '<!doctype html><h1>502</h1>', kind: 'html', words: '502' },
  { why: 'a page without either', text: '<html><body>502', kind: 'html', words: undefined },
  { why: 'JSON without words', text: '{"code":3,"message":null}', kind: 'json', words: undefined },
  { why: 'JSON null', text: 'null', kind: 'json', words: undefined },
  { why: 'half of a JSON text', text: '{"message":"cut', kind: 'text', words: '{"message":"cut' },
  {
    why: 'line breaks and control characters',
    text: '"a\\r\\nb\\u0000c\\u202ed"',
    kind: 'json',
    words: 'a b c d',
  },
];
describe('an error body is read in the form it has', () => {
  test.each(bodies)('$why', ({ text, kind, words }) => {
    const body = readAnswerBody(text);
    expect(body.kind).toBe(kind);
    expect(findWords(body)).toBe(words);
  });
});

test('words are at most 300 characters, whole ones', () => {
  const words = findWords(readAnswerBody(JSON.stringify(`${'x'.repeat(298)}😀${'y'.repeat(999)}`)));
  expect(words?.length).toBeLessThanOrEqual(300);
  expect(words?.isWellFormed()).toBe(true);
});

test('a body nested without end is no JSON, and brackets in a text are no levels', () => {
  const nest = (levels: number) => `${'{"error":'.repeat(levels)}1${'}'.repeat(levels)}`;
  expect(readAnswerBody(nest(50_000)).kind).toBe('text');
  expect(findWords(readAnswerBody(nest(100)))).toBeUndefined();
  const title = `\\"${'['.repeat(1_000)}`;
  expect(readAnswerBody(JSON.stringify({ title }))).toEqual({ kind: 'json', value: { title } });
});
