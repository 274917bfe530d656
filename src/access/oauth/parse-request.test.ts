import { expect, test } from 'vitest';
import { Refusal } from '../refusal.ts';
import { assertGranted, parseTokenRequest } from './parse-request.ts';

const GRANT = 'grant_type=client_credentials';
const basic = (pair: string) => `Basic ${btoa(pair)}`;
const ab = basic('a:b');

test.each<[why: string, clientId: string, secret: string, form: string, header?: string]>([
  ['name and secret in the form', 'a', 'b+ c', `${GRANT}&client_id=a&client_secret=b%2B%20c`],
  ['name and secret in the header', 'a', 'b', GRANT, ab],
  ['both are form-encoded before they are joined', 'a:b c', 'd%:e', GRANT, basic('a%3Ab+c:d%25:e')],
  [
    'the scheme in any case, and the name repeated in the form',
    'a',
    'b',
    `${GRANT}&client_id=a`,
    `bAsIc  ${btoa('a:b')} `,
  ],
  [
    'parameters without a value are as good as left out',
    'a',
    'b',
    `${GRANT}&scope=&client_secret=`,
    ab,
  ],
])('a request for an access token: %s', (_, clientId, secret, form, header) => {
  const { proof, grantType, scope } = parseTokenRequest(header, form);

  expect(proof).toEqual({ kind: 'secret', clientId, secret });
  expect([grantType, scope]).toEqual(['client_credentials', undefined]);
});

test.each<[why: string, code: string, form: string | undefined, header?: string]>([
  ['no form', 'invalid_request', undefined, ab],
  ['no grant', 'invalid_request', 'x=y', ab],
  ['a parameter twice', 'invalid_request', `${GRANT}&${GRANT}`, ab],
  ['both ways at once', 'invalid_request', `${GRANT}&client_id=a&client_secret=b`, ab],
  ['another name in the form', 'invalid_request', `${GRANT}&client_id=c`, ab],
  ['nobody', 'invalid_client', GRANT],
  ['no secret', 'invalid_client', `${GRANT}&client_id=a`],
  ['another scheme', 'invalid_client', GRANT, 'Bearer x'],
  ['no base64', 'invalid_client', GRANT, 'Basic \u00e4'],
  ['no colon', 'invalid_client', GRANT, basic('ab')],
  ['no name', 'invalid_client', GRANT, basic(':b')],
  ['what cannot be decoded', 'invalid_client', GRANT, basic('a:%zz')],
])('a request for an access token is refused: %s', (_, code, form, header) => {
  const parse = () => parseTokenRequest(header, form);
  expect(parse).toThrow(Refusal);
  expect(parse).toThrow(expect.objectContaining({ code }));
});

test('one grant and one scope are known', () => {
  expect(() => assertGranted('client_credentials', undefined)).not.toThrow();
  expect(() => assertGranted('client_credentials', 'scim')).not.toThrow();
  const scope = () => assertGranted('client_credentials', 'scim admin');
  expect(scope).toThrow(expect.objectContaining({ code: 'invalid_scope' }));
  const grant = () => assertGranted('password', undefined);
  expect(grant).toThrow(expect.objectContaining({ code: 'unsupported_grant_type' }));
});
