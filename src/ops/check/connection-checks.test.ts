import { expect, test } from 'vitest';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { connectionProbes } from './connection-checks.ts';
import type { Evidence } from './evidence.ts';
import { answered, toEvidence, unanswered } from './evidence-for-test.ts';
import { skipped } from './look.ts';

const owner = { kind: 'seen', value: parseCompanyUser({ id: 7, role: 1 }) } as const;
const noOne = {
  raw: [],
  items: [],
  total: 0,
  asked: 10,
  after: skipped('short'),
};
const users = { kind: 'seen', value: noOne } as const;

function probe(evidence: Evidence, id: string) {
  const results = connectionProbes.flatMap((each) => each(evidence) ?? []);
  return results.find((result) => result.id === id);
}

const encryption = [
  { url: 'https://company.example', status: 'ok' },
  { url: 'http://company.example', status: 'warning' },
  { url: 'http://127.0.0.1:9', status: 'ok' },
  { url: 'http://localhost', status: 'ok' },
  { url: 'http://[::1]:9', status: 'ok' },
  { url: 'http://localhost.example', status: 'warning' },
];

for (const { url, status } of encryption) {
  test(`the way to ${url} is judged ${status}`, () => {
    const evidence = toEvidence({ settings: { url }, survey: { account: owner } });

    expect(probe(evidence, 'tls')).toMatchObject({ status });
  });
}

test('a certificate that is not trusted fails, and nothing is said of the token', () => {
  const account = unanswered('connection', 'CERT_HAS_EXPIRED');
  const evidence = toEvidence({ survey: { account }, traffic: { answers: 0 } });

  expect(probe(evidence, 'tls')).toMatchObject({ status: 'failed' });
  expect(probe(evidence, 'token')).toBeUndefined();
  expect(probe(evidence, 'rate')).toBeUndefined();
});

test('REST under the other version only: the remedy is the setting', () => {
  const account = answered(404);
  const evidence = toEvidence({ survey: { account, otherVersion: owner, users } });

  expect(probe(evidence, 'address')).toMatchObject({ status: 'ok' });
  expect(probe(evidence, 'version')).toMatchObject({
    status: 'failed',
    remedy: 'Set `upstream.apiVersion` to v1.',
  });
});

test('REST under neither version: the address is wrong for REST', () => {
  const account = answered(404);
  const evidence = toEvidence({ survey: { account, otherVersion: account, users } });

  expect(probe(evidence, 'version')?.remedy).toContain('upstream.url');
});

test('the account is described by id, names and role', () => {
  const value = parseCompanyUser({ id: 7, role: 2, email: 'ada@example.com', username: 'ada' });
  const evidence = toEvidence({ survey: { account: { kind: 'seen', value } } });

  expect(probe(evidence, 'account')?.detail).toBe('user 7 (ada@example.com, ada), user');
});
