import { expect, test } from 'vitest';
import { createLookup } from './lookup.ts';
import { findPresented, isSame, newSecret } from './secret-text.ts';

const LATER = 1_000_000;
const okta = { name: 'okta', expires_at: LATER };
type Row = typeof okta;

function setUp(load: () => Promise<Row | undefined>) {
  const state = { now: 0, asked: 0 };
  const lookup = createLookup({ now: () => state.now }, () => {
    state.asked += 1;
    return load();
  });
  return { state, lookup };
}

test('a valid token is asked for once, then believed for five seconds, however the clock is set back', async () => {
  const { state, lookup } = setUp(async () => okta);
  const { text } = newSecret('token');

  const together = await Promise.all([lookup.find(text), lookup.find(text), lookup.find(text)]);
  state.now = 4_999;
  await lookup.find(text);
  expect([together, state.asked]).toEqual([[okta, okta, okta], 1]);

  state.now = 5_000;
  await lookup.find(text);
  expect(state.asked).toBe(2);
  state.now = 0;
  await lookup.find(text);
  expect(state.asked).toBe(3);
});

test('what is not valid is asked for each time, and nothing is remembered of it', async () => {
  const { state, lookup } = setUp(async () => undefined);
  const { text } = newSecret('token');

  expect([await lookup.find(text), await lookup.find(text)]).toEqual([undefined, undefined]);
  expect(state.asked).toBe(2);
});

test('what is believed ends when it expires', async () => {
  const { state, lookup } = setUp(async () => ({ ...okta, expires_at: 1_000 }));
  const { text } = newSecret('token');

  state.now = 999;
  expect(await lookup.find(text)).toBeDefined();
  state.now = 1_000;
  expect(await lookup.find(text)).toBeUndefined();
});

test('an answer that was on its way when something was revoked is not believed', async () => {
  const answers: ((row: Row | undefined) => void)[] = [];
  const { lookup } = setUp(() => new Promise((resolve) => void answers.push(resolve)));
  const { text } = newSecret('token');
  const before = lookup.find(text);
  lookup.forget();
  const after = lookup.find(text);
  answers[0]?.(okta);
  answers[1]?.(undefined);

  expect([await before, await after]).toEqual([okta, undefined]);
  const again = lookup.find(text);
  answers[2]?.(undefined);
  expect(await again).toBeUndefined();
  expect(answers).toHaveLength(3);
});

test('a store that cannot be asked is an error, and is asked again', async () => {
  let isDown = true;
  const { lookup } = setUp(async () => {
    if (isDown) throw new Error('down');
    return okta;
  });
  const { text } = newSecret('token');

  await expect(lookup.find(text)).rejects.toThrow('down');
  isDown = false;
  expect(await lookup.find(text)).toBe(okta);
});

test.each([
  '',
  'x',
  'scimbridge_token_',
  `scimbridge_token_${'0'.repeat(16)}_${'x'.repeat(42)}`,
  `scimbridge_token_${'0'.repeat(16)}_${'x'.repeat(44)}`,
  `scimbridge_cookie_${'0'.repeat(16)}_${'x'.repeat(43)}`,
  `scimbridge_token_${'G'.repeat(16)}_${'x'.repeat(43)}`,
  ` ${newSecret('token').text}`,
])('no text of ours is asked for: "%s"', async (text) => {
  const { state, lookup } = setUp(async () => okta);

  expect(await lookup.find(text)).toBeUndefined();
  expect(state.asked).toBe(0);
});

test('a secret is the same as itself, as no other and as nothing', () => {
  const { id, digest, text } = newSecret('secret');
  const presented = findPresented(text);

  expect(presented).toEqual({ kind: 'secret', id, digest });
  expect(text).not.toContain(digest);
  expect(isSame(digest, digest)).toBe(true);
  expect(isSame(digest, newSecret('secret').digest)).toBe(false);
  expect(isSame(digest, undefined)).toBe(false);
  expect(isSame('00'.repeat(32), undefined)).toBe(false);
});
