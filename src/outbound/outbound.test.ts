import { expect, test } from 'vitest';
import { createAddressGuard, OutboundError, toFailureWords } from './outbound.ts';

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const timeUp = new DOMException('The operation was aborted due to timeout', 'TimeoutError');

test.each([
  ['a code', refused, 'no answer (ECONNREFUSED)'],
  ['a code of a cause', new Error('fetch', { cause: refused }), 'no answer (ECONNREFUSED)'],
  ['a time limit, which has a number', timeUp, 'no answer (TimeoutError)'],
  ['no error', 'x', 'no answer (unknown)'],
  ['an address', new Error('x', { cause: new OutboundError('private') }), 'private'],
])('a host that gives no answer is told by %s', (_, error, words) => {
  expect(toFailureWords(error)).toBe(words);
});

const { assertHost } = createAddressGuard();

test.each([
  ...['127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', '[::ffff:10.0.0.1]', '[::10.0.0.1]'],
  ...['[2002:a00:1::]', '[64:ff9b::a00:1]', '[64:ff9b:1::a00:1]', '[::ffff:0:10.0.0.1]'],
  ...['[2001::1]', '[fec0::1]', '[fe80::1]', '[fd00::1]', '[ff02::1]', '[100::1]', '[5f00::1]'],
  ...['[2001:db8::1]', '[3fff::1]'],
])('%s is not the internet', (host) => {
  expect(() => assertHost(host)).toThrow(OutboundError);
});

test.each([
  '8.8.8.8',
  '[2606:4700::1111]',
  '[2a00:1450:4001::1]',
  '[2001:4860:4860::8888]',
  'a.example',
])('%s may be called', (host) => {
  expect(() => assertHost(host)).not.toThrow();
});
