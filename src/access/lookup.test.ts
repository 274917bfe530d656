import { expect, test } from 'vitest';
import type { Credential } from '../domain/credential.ts';
import { createLookup, type Kept } from './lookup.ts';
import { findPresented, isSame, newSecret } from './secret-text.ts';

const okta: Credential = {
  id: 'token-1',
  name: 'okta',
  purpose: 'scim',
  profile: 'lenient',
  provider: 'default',
};
const LATER = 1_000_000;

function setUp(load: () => Promise<Kept | undefined>) {
  const state = { now: 0, asked: 0, used: 0 };
  const lookup = createLookup({
    findGiven: () => undefined,
    load: () => {
      state.asked += 1;
      return load();
    },
    clock: { now: () => state.now },
    used: () => {
      state.used += 1;
    },
  });
  return { state, lookup };
}

test('a valid token is asked for once, then believed for five seconds, however the clock is set back', async () => {
  const { state, lookup } = setUp(async () => ({ credential: okta, expiresAt: LATER }));
  const { text } = newSecret('token');

  const together = await Promise.all([lookup.find(text), lookup.find(text), lookup.find(text)]);
  state.now = 4_999;
  await lookup.find(text);
  expect([together, state.asked, state.used]).toEqual([[okta, okta, okta], 1, 4]);

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
  expect([state.asked, state.used]).toEqual([2, 0]);
});

test('what is believed ends when it expires', async () => {
  const { state, lookup } = setUp(async () => ({ credential: okta, expiresAt: 1_000 }));
  const { text } = newSecret('token');

  state.now = 999;
  expect(await lookup.find(text)).toBe(okta);
  state.now = 1_000;
  expect(await lookup.find(text)).toBeUndefined();
});

test('an answer that was on its way when something was revoked is not believed', async () => {
  const answers: ((kept: Kept | undefined) => void)[] = [];
  const { lookup } = setUp(() => new Promise((resolve) => void answers.push(resolve)));
  const { text } = newSecret('token');
  const before = lookup.find(text);
  lookup.forget();
  const after = lookup.find(text);
  answers[0]?.({ credential: okta, expiresAt: null });
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
    return { credential: okta, expiresAt: null };
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
  const { state, lookup } = setUp(async () => ({ credential: okta, expiresAt: null }));

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
