import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { describeFailure } from './describe-failure.ts';
import type { CaseStep, ProviderCase } from './provider-case.ts';
import { type CaseTarget, runCase } from './run-case.ts';

interface Received {
  target: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server that gives the same answer to everything and keeps what it was asked. */
async function serve(
  answer: (response: ServerResponse) => void,
): Promise<{ target: CaseTarget; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      received.push({ target: url, headers, body: Buffer.concat(chunks).toString() });
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const target = { baseUrl: `http://127.0.0.1:${address.port}/scim/v2`, token: 'secret-token' };
  return { target, received };
}

function answerJson(status: number, document: unknown) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/scim+json' });
    response.end(JSON.stringify(document));
  };
}

function caseOf(...steps: CaseStep[]): ProviderCase {
  return {
    id: 'test-01',
    idp: 'test',
    name: 'a case',
    source: 'made up',
    provenance: 'derived',
    needs: [],
    steps,
  };
}

const lookUp: CaseStep = { method: 'GET', path: '/Users/1', expect: { status: [200] } };

test('the default headers are sent, and a null removes one', async () => {
  const { target, received } = await serve(answerJson(200, {}));

  const withAll = { ...lookUp, method: 'POST' as const, body: { a: '{{rand}}' } };
  const without = { ...lookUp, headers: { Authorization: null, Accept: 'text/plain' } };
  const failure = await runCase(caseOf(withAll, without), target);

  expect(failure).toBeUndefined();
  expect(received[0]?.headers).toMatchObject({
    authorization: 'Bearer secret-token',
    accept: 'application/scim+json',
    'content-type': 'application/scim+json',
  });
  expect(received[0]?.body).toMatch(/^\{"a":"[0-9a-f]{8}"\}$/);
  expect(received[1]?.headers.authorization).toBeUndefined();
  expect(received[1]?.headers.accept).toBe('text/plain');
});

test('what a step captures is in the requests and expectations after it', async () => {
  const { target, received } = await serve(answerJson(200, { id: '7', name: { x: 'y' } }));

  const first: CaseStep = { ...lookUp, capture: { userId: '$.id' } };
  const then: CaseStep = {
    method: 'GET',
    path: '/Users/{{userId}}?a="b"+c&',
    expect: { status: [200], json: { '$.id': '{{userId}}' } },
  };
  const failure = await runCase(caseOf(first, then), target);

  expect(failure).toBeUndefined();
  expect(received[1]?.target).toBe('/scim/v2/Users/7?a=%22b%22+c&');
});

const answer = { id: '7', active: 'true', emails: [{ type: 'home', value: 'h' }] };
const wrong: { why: string; step: Partial<CaseStep>; problem: string }[] = [
  {
    why: 'the status',
    step: { expect: { status: [201, 204] } },
    problem: 'status: wanted 201 or 204, got 200',
  },
  {
    why: 'a type',
    step: { expect: { status: [200], json: { '$.active': true } } },
    problem: '$.active: wanted true, got "true"',
  },
  {
    why: 'an element',
    step: { expect: { status: [200], json: { "$.emails[?(@.type=='work')].value": 'h' } } },
    problem: '$.emails[?(@.type==\'work\')].value: wanted "h", got nothing',
  },
  {
    why: 'a value too many',
    step: { expect: { status: [200], json: { '$.id': { $exists: false } } } },
    problem: '$.id: wanted nothing, got "7"',
  },
  {
    why: 'a header',
    step: { expect: { status: [200], headers: { 'Content-Type': { $matches: '^text/html' } } } },
    problem:
      'header Content-Type: wanted text that matches /^text/html/, got "application/scim+json"',
  },
  {
    why: 'a capture',
    step: { capture: { other: '$.other' } },
    problem: 'capture other: there is no text at $.other',
  },
];

test.each(wrong)('a wrong answer is reported: $why', async ({ step, problem }) => {
  const { target } = await serve(answerJson(200, answer));

  const failure = await runCase(caseOf(lookUp, { ...lookUp, ...step }), target);

  expect(failure).toMatchObject({ stepIndex: 1, problems: [problem] });
});

test('content is not asked of a 204, but it is of an answer that is no JSON', async () => {
  const step: CaseStep = { ...lookUp, expect: { status: [200, 204], json: { '$.id': '7' } } };
  const empty = await serve((response) => response.writeHead(204).end());
  const html = await serve((response) => response.writeHead(200).end('<html>'));

  const failureOfEmpty = await runCase(caseOf(step), empty.target);
  const failureOfHtml = await runCase(caseOf(step), html.target);

  expect(failureOfEmpty).toBeUndefined();
  expect(failureOfHtml?.problems).toEqual(['$.id: wanted "7", got nothing']);
});

test('a report names case, step, request, answer and expectation, and not the token', async () => {
  const { target } = await serve(answerJson(200, answer));
  const step: CaseStep = { ...lookUp, method: 'PUT', body: { a: 1 }, expect: { status: [204] } };

  const failure = await runCase(caseOf(lookUp, step), target);
  const report = failure === undefined ? '' : describeFailure(failure);

  for (const part of [
    'test-01 (a case), step 2 of 2',
    'status: wanted 204, got 200',
    'PUT /scim/v2/Users/1',
    '{"a":1}',
    '"id":"7"',
  ]) {
    expect(report).toContain(part);
  }
  expect(report).not.toContain('secret-token');
});
