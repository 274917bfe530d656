import { expect, test } from 'vitest';
import { PrivateAddress } from './address-guard.ts';
import { toFailureWords } from './outbound.ts';

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const timeUp = new DOMException('The operation was aborted due to timeout', 'TimeoutError');

test.each([
  ['a code', refused, 'no answer (ECONNREFUSED)'],
  ['a code of a cause', new Error('fetch', { cause: refused }), 'no answer (ECONNREFUSED)'],
  ['a time limit, which has a number', timeUp, 'no answer (TimeoutError)'],
  ['no error', 'x', 'no answer (unknown)'],
  ['an address', new Error('x', { cause: new PrivateAddress() }), new PrivateAddress().message],
])('a host that gives no answer is told by %s', (_, error, words) => {
  expect(toFailureWords(error)).toBe(words);
});
