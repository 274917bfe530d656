import { describe, expect, test } from 'vitest';
import { expectScimError } from '../support/attack.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { sendRaw } from '../support/send-raw.ts';

const bridge = forSuite(async () => {
  // Each of them is tried at many addresses, which would otherwise be slowed.
  return startTestBridge({ settings: { ACCESS_FAILED_DELAY_MAX: '0' } });
});

describe('credentials', () => {
  const token = 'token-of-a-test-bridge';
  const wrong: { what: string; authorization: string | undefined }[] = [
    { what: 'missing', authorization: undefined },
    { what: 'empty', authorization: '' },
    { what: 'a scheme without a token', authorization: 'Bearer' },
    { what: 'a scheme and blanks', authorization: 'Bearer    ' },
    { what: 'another token', authorization: 'Bearer another-token-of-a-bridge' },
    { what: 'the beginning of the token', authorization: `Bearer ${token.slice(0, -1)}` },
    { what: 'the token and more', authorization: `Bearer ${token}x` },
    { what: 'the token twice', authorization: `Bearer ${token} ${token}` },
    { what: 'the token in capitals', authorization: `Bearer ${token.toUpperCase()}` },
    { what: 'another scheme', authorization: `Basic ${token}` },
    {
      what: 'the token as a name and password',
      authorization: `Basic ${btoa(`${token}:${token}`)}`,
    },
    { what: 'a quoted token', authorization: `Bearer "${token}"` },
    {
      what: 'letters beyond ASCII',
      authorization:
        'Bearer \u00fc\u00df\u00e9\u00fc\u00df\u00e9\u00fc\u00df\u00e9\u00fc\u00df\u00e9\u00fc\u00df\u00e9',
    },
    { what: '12,000 characters', authorization: `Bearer ${'x'.repeat(12_000)}` },
    { what: 'a thousand schemes', authorization: 'Bearer '.repeat(1_000) },
  ];
  for (const { what, authorization } of wrong) {
    test(`${what}: 401 with a challenge, for every route, also one that does not exist`, async () => {
      for (const path of ['/Users', '/Users/1', '/ServiceProviderConfig', '/Nope', '']) {
        const answer = await sendRaw(bridge, {
          method: 'GET',
          path: `${bridge.baseUrl}${path}`,
          headers: { authorization },
        });

        expectScimError(answer, 401);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
        expect(answer.text).not.toContain(token);
      }
    });
  }

  for (const authorization of [`Bearer ${token}`, token, `bearer   ${token}`, `BEARER ${token} `]) {
    test(`accepted: ${authorization}`, async () => {
      const { status } = await sendRaw(bridge, {
        method: 'GET',
        path: '/Users',
        headers: { authorization },
      });

      expect(status).toBe(200);
    });
  }

  test('credentials are judged before the body is read', async () => {
    const headers = { authorization: 'Bearer wrong' };

    const answer = await sendRaw(bridge, { method: 'POST', path: '/Users', headers, body: '{' });

    expectScimError(answer, 401);
  });
});
