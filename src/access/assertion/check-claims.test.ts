import { expect, test } from 'vitest';
import { type Claims, checkClaims } from './check-claims.ts';

const NOW = 1_900_000_000;
const EXPECTED = {
  issuer: 'https://login.example.com/tenant',
  audiences: ['api://one', 'api://two'],
  subject: undefined,
  claims: [
    { name: 'appid', values: ['app'] },
    { name: 'azp', values: ['first', 'second'] },
  ],
  lifetimeMs: 300_000,
  once: 'jti',
};
const RIGHT: Claims = {
  ...{ iss: EXPECTED.issuer, aud: 'api://one', appid: 'app', azp: 'first', jti: 'a' },
  ...{ iat: NOW, nbf: NOW, exp: NOW + 300 },
};

function check(change: object, at = NOW) {
  const result = checkClaims({ ...RIGHT, ...change }, EXPECTED, at * 1_000);
  return result.kind === 'right' ? 'right' : result.reason;
}

const cases: readonly [why: string, change: object, at: number, want: string][] = [
  ['as it is', {}, NOW, 'right'],
  ['the other audience', { aud: 'api://two' }, NOW, 'right'],
  ['a list of one', { aud: ['api://two'] }, NOW, 'right'],
  ['both audiences', { aud: ['api://one', 'api://two'] }, NOW, 'audience'],
  ['the other value of a claim', { azp: 'second' }, NOW, 'right'],
  ['no value of a claim', { azp: 'third' }, NOW, 'claim'],
  ['the first moment of what clocks may differ by', {}, NOW - 30, 'right'],
  ['a second earlier', {}, NOW - 31, 'not-yet-valid'],
  ['the last second of what clocks may differ by', {}, NOW + 329, 'right'],
  ['its end', {}, NOW + 330, 'expired'],
  ['a second more than five minutes', { exp: NOW + 301 }, NOW, 'too-long-lived'],
  ['five minutes that began before they were made', { nbf: NOW - 60 }, NOW, 'right'],
  ['five minutes from nbf on', { iat: undefined }, NOW, 'right'],
  ['more than five minutes from nbf on', { iat: undefined, nbf: NOW - 1 }, NOW, 'too-long-lived'],
  [
    'what is left where nothing tells a beginning',
    { iat: undefined, nbf: undefined, exp: NOW + 330 },
    NOW,
    'right',
  ],
  ['more than that', { iat: undefined, nbf: undefined, exp: NOW + 331 }, NOW, 'too-long-lived'],
  ['fractions of a second', { iat: NOW - 0.5, exp: NOW + 299.5 }, NOW, 'right'],
  ['an end beyond all numbers', { exp: Number.POSITIVE_INFINITY }, NOW, 'no-expiry'],
  ['an id of 512 characters', { jti: 'x'.repeat(512) }, NOW, 'right'],
  ['an id of 513 characters', { jti: 'x'.repeat(513) }, NOW, 'no-id'],
];
test.each(cases)('claims of an assertion: %s', (_, change, at, want) => {
  expect(check(change, at)).toBe(want);
});

test('an assertion that may be taken again needs no id', () => {
  const { jti: _, ...claims } = RIGHT;
  const result = checkClaims(claims, { ...EXPECTED, once: null }, NOW * 1_000);

  expect(result).toEqual({ kind: 'right', id: undefined, endsAt: (NOW + 330) * 1_000 });
});

test('a claim that all objects have is no claim', () => {
  const expected = { ...EXPECTED, claims: [{ name: 'toString', values: ['x'] }] };
  const result = checkClaims(RIGHT, expected, NOW * 1_000);

  expect(result).toEqual({ kind: 'wrong', reason: 'claim' });
});
