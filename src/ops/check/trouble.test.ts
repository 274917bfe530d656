import { expect, test } from 'vitest';
import { UpstreamError } from '../../upstream/errors.ts';
import { answered, unanswered } from './evidence-for-test.ts';
import { isTlsFailure, toTrouble } from './trouble.ts';

const rows = [
  { why: 'a refused token', look: answered(401), remedy: 'upstream.token', tls: false },
  { why: 'a wrong path', look: answered(404), remedy: 'upstream.apiVersion', tls: false },
  { why: 'a redirect to a login page', look: answered(302), remedy: 'upstream.url', tls: false },
  { why: 'too many requests', look: answered(429), remedy: 'requestsPerSecond', tls: false },
  { why: 'a fault of the service', look: answered(503), remedy: 'try again later', tls: false },
  { why: 'an odd refusal', look: answered(400), remedy: 'report it', tls: false },
  {
    why: 'an unknown host',
    look: unanswered('connection', 'ENOTFOUND'),
    remedy: 'host name',
    tls: false,
  },
  {
    why: 'a host that only a proxy knows',
    look: unanswered('connection', 'EAI_AGAIN'),
    remedy: 'upstream.proxy',
    tls: false,
  },
  {
    why: 'a closed port',
    look: unanswered('connection', 'ECONNREFUSED'),
    remedy: 'Nothing listens',
    tls: false,
  },
  {
    why: 'a cut connection',
    look: unanswered('connection', 'UND_ERR_SOCKET'),
    remedy: 'firewalls',
    tls: false,
  },
  {
    why: 'silence',
    look: unanswered('timeout', 'UND_ERR_HEADERS_TIMEOUT'),
    remedy: 'upstream.timeout',
    tls: false,
  },
  {
    why: 'an expired certificate',
    look: unanswered('connection', 'CERT_HAS_EXPIRED'),
    remedy: 'NODE_EXTRA_CA_CERTS',
    tls: true,
  },
  {
    why: 'a certificate of a private authority',
    look: unanswered('connection', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    remedy: 'NODE_EXTRA_CA_CERTS',
    tls: true,
  },
  {
    why: 'a certificate for another name',
    look: unanswered('connection', 'ERR_TLS_CERT_ALTNAME_INVALID'),
    remedy: 'host name',
    tls: true,
  },
];

for (const { why, look, remedy, tls } of rows) {
  test(`toTrouble: ${why} has a remedy of its own`, () => {
    if (look.kind !== 'failed') throw new Error('the row is no failure');

    const trouble = toTrouble(look.error);

    expect(trouble.remedy).toContain(remedy);
    expect(trouble.detail).not.toBe('');
    expect(isTlsFailure(look.error)).toBe(tls);
  });
}

test.each([
  { location: 'https://login.example/in?state=secret#top', detail: 'https://login.example/in' },
  { location: '/login?state=secret', detail: '/login' },
])('toTrouble: a redirect says where to, without its query: $location', ({ location, detail }) => {
  const error = new UpstreamError('redirected', {
    operation: 'test',
    detail: '',
    retry: 'later',
    outcome: 'unknown',
    status: 302,
    headers: { location },
  });

  expect(toTrouble(error).detail).toBe(`answered 302 and sends to ${detail}`);
});
