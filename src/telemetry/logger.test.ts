import { expect, test } from 'vitest';
import type { Events, LogLine } from './events.ts';
import { createEvents } from './events.ts';
import type { Logger } from './logger.ts';
import { createLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';

function record(write: (events: Events, logger: Logger) => void, level: LogLine['level'] = 'info') {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (text) => lines.push(text) } });
  write(createEvents(logger, createMetrics()), logger);
  return lines.map((text): unknown => JSON.parse(text));
}

const finished = { requestId: 'r1', method: 'POST', route: '/Users', status: 201, durationMs: 3 };

test('a line is one JSON object with time, level, a static message and its fields', () => {
  const [line] = record((events) => events.requestFinished(finished));
  expect(line).toEqual({
    ...finished,
    time: expect.stringMatching(/Z$/),
    level: 'info',
    msg: 'request',
  });
});

const levels = [
  { why: 'a successful read', method: 'GET', status: 200, want: 'debug' },
  { why: 'a read of what is not there', method: 'GET', status: 404, want: 'info' },
  { why: 'a write', method: 'PATCH', status: 200, want: 'info' },
  { why: 'not ready', method: 'GET', status: 503, want: 'info' },
  { why: 'what is not offered', method: 'GET', status: 501, want: 'info' },
  { why: 'a fault of ours', method: 'GET', status: 500, want: 'error' },
];
for (const { why, method, status, want } of levels) {
  test(`requests: ${why} is logged at ${want}`, () => {
    const write = (events: Events) => events.requestFinished({ ...finished, method, status });
    expect(record(write, 'debug')).toMatchObject([{ level: want }]);
  });
}

const worker = { type: 'user', id: 'u1' } as const;

test('a line below the level is not written', () => {
  const call = { operation: 'getUser', status: 200, durationMs: 1, attempt: 1 };
  expect(record((events) => events.upstreamCalled(call))).toEqual([]);
});

test('an error keeps its code and its causes, and nothing of the bodies that it carries', () => {
  const cause = Object.assign(new Error('refused'), {
    code: 'bad-request',
    status: 400,
    body: 's3cret',
  });
  const error = new Error('could not converge', { cause });
  const lines = record((events) => events.requestFailed({ requestId: 'r1', error }));
  expect(lines).toMatchObject([
    { error: { message: 'could not converge', cause: { code: 'bad-request', status: 400 } } },
  ]);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

test('a message that quotes data is hidden: what JSON.parse refuses, what PostgreSQL refuses', () => {
  const errors = [
    new SyntaxError('Unexpected token in "s3cret"'),
    Object.assign(new Error('invalid input: s3cret'), { severity: 'ERROR' }),
  ];
  const lines = record((events) => {
    for (const cause of errors)
      events.workerFailed({ ...worker, error: new Error('cannot read', { cause }) });
  });
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

test('errors whose causes run in a circle are cut', () => {
  const error = new Error('round');
  error.cause = error;
  expect(record((events) => events.workerFailed({ ...worker, error }))).toHaveLength(1);
});

test('what is thrown but is no Error is not written out', () => {
  const lines = record((events) => events.workerFailed({ ...worker, error: 's3cret' }));
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

const hidden = ['authorization', 'token', 'body', 'password', 'emails', 'userName'];
for (const name of hidden) {
  test(`${name} is hidden, should it slip into an event or one level below`, () => {
    const line = (fields: LogLine['fields']): LogLine => ({ level: 'info', message: 'x', fields });
    const nested = { error: { name: 'Error', message: 'm', stack: '', [name]: 's3cret' } };
    const lines = record((_events, logger) => {
      logger.log(line({ [name]: 's3cret' }));
      logger.log(line(nested));
    });
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  });
}
