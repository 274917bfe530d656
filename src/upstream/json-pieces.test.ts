import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hold } from '../../test/pure/properties/hold.ts';
import { readAnswerBody } from './answer-body.ts';
import { readBodyInPieces } from './json-pieces.ts';

/** Lets a body of a few characters have many pieces. */
const PIECE = 12;

/** V8 13.6 takes a name that is one escaped character for the one that it parsed before in its place. */
const ESCAPED_NAME = /"\\."\s*:/;

const pieces = fc.integer({ min: PIECE, max: 5 * PIECE });

test('a body comes out of its pieces as it would at once', async () => {
  const bodies = fc.asyncProperty(fc.json(), fc.nat(4), pieces, async (json, indent, piece) => {
    const text = ` ${JSON.stringify(JSON.parse(json), null, indent)}\r\n`;
    fc.pre(!ESCAPED_NAME.test(text));
    expect(await readBodyInPieces(text, piece)).toStrictEqual(readAnswerBody(text));
  });
  await hold(bodies, 1_000);
});

test('a body that is no JSON is none in pieces either', async () => {
  const marks = fc.constantFrom('', ',', ']', '}', '[', '{', '"', '\\', ':', 'x', '\u00a0');
  const broken = fc.asyncProperty(
    fc.json(),
    fc.nat(),
    marks,
    pieces,
    async (json, n, mark, piece) => {
      const at = n % json.length;
      const text = json.slice(0, at) + mark + json.slice(at + 1);
      fc.pre(!ESCAPED_NAME.test(text));
      expect(await readBodyInPieces(text, piece)).toStrictEqual(readAnswerBody(text));
    },
  );
  await hold(broken, 2_000);
});

describe('in pieces as at once', () => {
  test.each([
    {
      why: 'a number that is too long to be exact',
      text: '{"ids":[12345678901234567890, 1, 2, 3]}',
    },
    {
      why: 'a name that means something to JavaScript',
      text: '{"__proto__":{"a":[1,2,3,4,5,6,7]}}',
    },
    { why: 'a name that comes twice', text: '{"a":[1,2,3,4,5,6,7],"b":1,"a":[7,6,5,4,3,2,1]}' },
    { why: 'quotes and brackets in texts', text: '["\\"]}","[{\\\\",{"}\\"":["\\\\\\"]"]}]' },
    { why: 'a text that is longer than a piece', text: '["a text that is longer than a piece"]' },
    { why: 'levels without end', text: `${'['.repeat(40)}1${']'.repeat(40)}` },
    { why: 'a comma at the beginning', text: '[,1,2,3,4,5,6,7]' },
    { why: 'a comma at the end', text: '[1,2,3,4,5,6,7,8,9,]' },
    { why: 'a comma at the end behind a long member', text: '{"a":[1,2,3,4,5,6,7],}' },
    { why: 'the wrong bracket', text: '{"a":[1,2,3,4,5,6,7},"b":1}' },
    { why: 'something behind the end', text: '{"a":[1,2,3,4,5,6,7]} x' },
    { why: 'no end', text: '{"a":[1,2,3,4,5,6,7]' },
    { why: 'no colon', text: '{"a",[1,2,3,4,5,6,7,8]}' },
    { why: 'a page', text: '<html><title>Bad gateway</title></html>' },
  ])('$why', async ({ text }) => {
    expect(await readBodyInPieces(text, PIECE)).toStrictEqual(readAnswerBody(text));
  });
});

test('others are served between the pieces of a long body, also of one long entry', async () => {
  const members = Array.from({ length: 20_000 }, (_, id) => ({ value: `${id}`, display: 'Ada' }));
  const text = JSON.stringify({ totalResults: 1, Resources: [{ id: '1', members }] });
  let turns = 0;
  const count = () => {
    turns += 1;
    waiting = setImmediate(count);
  };
  let waiting = setImmediate(count);

  const body = await readBodyInPieces(text, text.length / 10);

  clearImmediate(waiting);
  expect(body).toStrictEqual(readAnswerBody(text));
  expect(turns).toBeGreaterThanOrEqual(10);
});
