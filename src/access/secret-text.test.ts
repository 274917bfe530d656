import { expect, test } from 'vitest';
import { findPresented, isSame, newSecret } from './secret-text.ts';

test.each([
  '',
  'x',
  'scimbridge_token_',
  `scimbridge_token_${'0'.repeat(16)}_${'x'.repeat(42)}`,
  `scimbridge_token_${'0'.repeat(16)}_${'x'.repeat(44)}`,
  `scimbridge_cookie_${'0'.repeat(16)}_${'x'.repeat(43)}`,
  `scimbridge_token_${'G'.repeat(16)}_${'x'.repeat(43)}`,
  ` ${newSecret('token').text}`,
])('no text of ours: "%s"', (text) => {
  expect(findPresented(text)).toBeUndefined();
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
