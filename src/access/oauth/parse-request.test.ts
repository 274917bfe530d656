import { expect, test } from 'vitest';
import { Refusal } from '../refusal.ts';
import { assertGranted, parseTokenRequest } from './parse-request.ts';

const GRANT = 'grant_type=client_credentials';
const basic = (pair: string) => `Basic ${btoa(pair)}`;

type TokenRequest = { authorization: string | undefined; form: string | undefined };

const understood: { why: string; request: TokenRequest; want: [string, string] }[] = [
  {
    why: 'name and secret in the form',
    request: { authorization: undefined, form: `${GRANT}&client_id=a&client_secret=b%2B%20c` },
    want: ['a', 'b+ c'],
  },
  {
    why: 'name and secret in the header',
    request: { authorization: basic('a:b'), form: GRANT },
    want: ['a', 'b'],
  },
  {
    why: 'both are form-encoded before they are joined',
    request: { authorization: basic('a%3Ab+c:d%25:e'), form: GRANT },
    want: ['a:b c', 'd%:e'],
  },
  {
    why: 'the scheme in any case, and the name repeated in the form',
    request: { authorization: `bAsIc  ${btoa('a:b')} `, form: `${GRANT}&client_id=a` },
    want: ['a', 'b'],
  },
  {
    why: 'parameters without a value are as good as left out',
    request: { authorization: basic('a:b'), form: `${GRANT}&client_secret=&scope=` },
    want: ['a', 'b'],
  },
];
for (const { why, request, want } of understood) {
  test(`a request for an access token: ${why}`, () => {
    const { proof, grantType, scope } = parseTokenRequest(request.authorization, request.form);

    expect(proof).toEqual({ kind: 'secret', clientId: want[0], secret: want[1] });
    expect([grantType, scope]).toEqual(['client_credentials', undefined]);
  });
}

const refused: { why: string; request: TokenRequest; code: string }[] = [
  {
    why: 'no form',
    request: { authorization: basic('a:b'), form: undefined },
    code: 'invalid_request',
  },
  {
    why: 'no grant',
    request: { authorization: basic('a:b'), form: 'x=y' },
    code: 'invalid_request',
  },
  {
    why: 'a parameter twice',
    request: { authorization: basic('a:b'), form: `${GRANT}&${GRANT}` },
    code: 'invalid_request',
  },
  {
    why: 'both ways at once',
    request: { authorization: basic('a:b'), form: `${GRANT}&client_id=a&client_secret=b` },
    code: 'invalid_request',
  },
  {
    why: 'another name in the form',
    request: { authorization: basic('a:b'), form: `${GRANT}&client_id=c` },
    code: 'invalid_request',
  },
  { why: 'nobody', request: { authorization: undefined, form: GRANT }, code: 'invalid_client' },
  {
    why: 'no secret',
    request: { authorization: undefined, form: `${GRANT}&client_id=a` },
    code: 'invalid_client',
  },
  {
    why: 'another scheme',
    request: { authorization: 'Bearer x', form: GRANT },
    code: 'invalid_client',
  },
  {
    why: 'no base64',
    request: { authorization: 'Basic \u00e4', form: GRANT },
    code: 'invalid_client',
  },
  { why: 'no colon', request: { authorization: basic('ab'), form: GRANT }, code: 'invalid_client' },
  { why: 'no name', request: { authorization: basic(':b'), form: GRANT }, code: 'invalid_client' },
  {
    why: 'what cannot be decoded',
    request: { authorization: basic('a:%zz'), form: GRANT },
    code: 'invalid_client',
  },
];
for (const { why, request, code } of refused) {
  test(`a request for an access token is refused: ${why}`, () => {
    expect(() => parseTokenRequest(request.authorization, request.form)).toThrow(Refusal);
    expect(() => parseTokenRequest(request.authorization, request.form)).toThrow(
      expect.objectContaining({ code }),
    );
  });
}

test('one grant and one scope are known', () => {
  expect(() => assertGranted('client_credentials', undefined)).not.toThrow();
  expect(() => assertGranted('client_credentials', 'scim')).not.toThrow();
  const scope = () => assertGranted('client_credentials', 'scim admin');
  expect(scope).toThrow(expect.objectContaining({ code: 'invalid_scope' }));
  const grant = () => assertGranted('password', undefined);
  expect(grant).toThrow(expect.objectContaining({ code: 'unsupported_grant_type' }));
});
