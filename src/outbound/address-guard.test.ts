import { expect, test } from 'vitest';
import { createAddressGuard, PrivateAddress } from './address-guard.ts';

const { assertHost } = createAddressGuard();

test.each([
  ...['127.0.0.1', '10.1.2.3', '169.254.169.254', '[::1]', '[::ffff:10.0.0.1]', '[::10.0.0.1]'],
  ...['[2002:a00:1::]', '[64:ff9b::a00:1]', '[64:ff9b:1::a00:1]', '[::ffff:0:10.0.0.1]'],
  ...['[2001::1]', '[fec0::1]', '[fe80::1]', '[fd00::1]', '[ff02::1]', '[100::1]', '[5f00::1]'],
  ...['[2001:db8::1]', '[3fff::1]'],
])('%s is not the internet', (host) => {
  expect(() => assertHost(host)).toThrow(PrivateAddress);
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
