import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ResponseTooLarge } from './answer-body.ts';
import { parseAnswer } from './attempt.ts';
import { toAnswerError, toExchangeError } from './failures.ts';

const nowMs = Date.UTC(2026, 5, 1, 12);
const asked = { token: 't0ken', nowMs, pauseMs: undefined };

function answer(status: number, text = '', headers: IncomingHttpHeaders = {}) {
  return { status, headers, text };
}

describe('what the caller is told about an answer other than 2xx', () => {
  test('what the status means, and the words of the service without the token', () => {
    const text = JSON.stringify({ message: 't0ken may not do this with t0ken' });

    expect(toAnswerError('x.y', answer(403, text), asked)).toMatchObject({
      code: 'not-permitted',
      message: 'x.y: not-permitted (status 403): the service answered 403',
      retry: 'never',
      outcome: 'answered',
      status: 403,
      words: '[token] may not do this with [token]',
      body: { kind: 'json', value: { message: '[token] may not do this with [token]' } },
    });
  });

  test('the pause of everybody goes before what the headers say', () => {
    const said = answer(429, '', { 'retry-after': '7' });

    expect(toAnswerError('x.y', said, asked).retryAfterMs).toBe(7_000);
    expect(toAnswerError('x.y', said, { ...asked, pauseMs: 9 }).retryAfterMs).toBe(9);
    expect(toAnswerError('x.y', answer(503), asked).retryAfterMs).toBeUndefined();
  });

  test.each([
    { headers: {}, want: undefined },
    { headers: { 'x-request-id': 'a', 'request-id': 'b', 'x-correlation-id': 'c' }, want: 'a' },
    { headers: { 'request-id': 'b', 'x-correlation-id': 'c' }, want: 'b' },
    { headers: { 'x-correlation-id': 'c' }, want: 'c' },
    { headers: { 'x-request-id': ['first', 'second'] }, want: 'first' },
    { headers: { 'x-request-id': 'x'.repeat(201) }, want: 'x'.repeat(200) },
  ])('the request id of the service: $want', ({ headers, want }) => {
    expect(toAnswerError('x.y', answer(500, '', headers), asked).requestId).toBe(want);
    const head = { requestId: want };
    expect(parseAnswer('x.y', answer(200, '{}', headers))).toMatchObject({ head });
  });
});

describe('what a 2xx answer holds', () => {
  const headers = { 'x-request-id': 'r' };

  test.each([
    { why: 'nothing', text: ' ', value: undefined },
    { why: 'JSON', text: '{"a":1}', value: { a: 1 } },
    { why: 'JSON that is null', text: 'null', value: null },
  ])('$why', ({ text, value }) => {
    expect(parseAnswer('x.y', answer(200, text, headers))).toStrictEqual({
      value,
      head: { status: 200, headers, requestId: 'r' },
    });
  });

  test.each([
    { kind: 'html', text: '<html>' },
    { kind: 'text', text: 'hello' },
  ])('$kind is unreadable, and the work may be done', ({ kind, text }) => {
    expect(parseAnswer('x.y', answer(200, text, headers))).toMatchObject({
      code: 'unreadable',
      message: `x.y: unreadable (status 200): the answer is no JSON but ${kind}`,
      retry: 'later',
      outcome: 'unknown',
      status: 200,
      body: { kind },
      requestId: 'r',
    });
  });
});

function coded(code: unknown): Error {
  return Object.assign(new TypeError('failed'), { code });
}

describe('what the caller is told when no answer could be read', () => {
  const reset = coded('ECONNRESET');

  test.each([
    {
      why: 'too large',
      cause: new ResponseTooLarge(200, 10),
      ended: undefined,
      want: {
        code: 'response-too-large',
        status: 200,
        detail: 'the response is larger than 10 bytes',
      },
    },
    {
      why: 'given up',
      cause: reset,
      ended: 'caller',
      want: { code: 'aborted', detail: 'given up by the caller' },
    },
    {
      why: 'late',
      cause: reset,
      ended: 'deadline',
      want: { code: 'timeout', detail: "the call's time is over" },
    },
    {
      why: 'a lost connection',
      cause: reset,
      ended: undefined,
      want: { code: 'connection', detail: 'no complete answer (ECONNRESET)' },
    },
    {
      why: 'no head in time',
      cause: coded('UND_ERR_HEADERS_TIMEOUT'),
      ended: undefined,
      want: { code: 'timeout', detail: 'no complete answer (UND_ERR_HEADERS_TIMEOUT)' },
    },
    {
      why: 'an error without a code',
      cause: new TypeError('failed'),
      ended: undefined,
      want: { code: 'connection', detail: 'no complete answer (TypeError)' },
    },
  ] as const)('$why', ({ cause, ended, want }) => {
    const { detail, ...rest } = want;

    const error = toExchangeError('x.y', cause, { ended, isSent: true });

    expect(error).toMatchObject({
      ...rest,
      retry: 'later',
      outcome: 'unknown',
      message: expect.stringMatching(`^x\\.y: ${want.code}.*: `),
      cause,
    });
    expect(error.message.endsWith(`: ${detail}`)).toBe(true);
    const unsent = toExchangeError('x.y', cause, { ended, isSent: false });
    expect(unsent).toMatchObject({ outcome: 'not-sent', cause });
  });

  test('without a connection no time for an answer has begun', () => {
    const cause = coded('UND_ERR_HEADERS_TIMEOUT');

    const error = toExchangeError('x.y', cause, { ended: undefined, isSent: false });

    expect(error).toMatchObject({ code: 'connection', outcome: 'not-sent' });
    expect(error.message).toContain('no connection (UND_ERR_HEADERS_TIMEOUT)');
  });
});
