import { expect, test } from 'vitest';
import { events, type LogLine } from './events.ts';
import { createLogger } from './logger.ts';

function record(write: (logger: ReturnType<typeof createLogger>) => void, level = 'info' as const) {
  const lines: string[] = [];
  write(createLogger({ level, destination: { write: (text) => lines.push(text) } }));
  return lines.map((text): unknown => JSON.parse(text));
}

const finished = { requestId: 'r1', method: 'POST', route: '/Users', status: 201, durationMs: 3 };

test('a line is one JSON object with time, level, a static message and its fields', () => {
  const [line] = record((logger) => logger.log(events.requestFinished(finished)));
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
    expect(events.requestFinished({ ...finished, method, status }).level).toBe(want);
  });
}

const worker = { resourceType: 'user', resourceId: 'u1' } as const;

test('fields that are given once stand in every line', () => {
  const [line] = record((logger) => logger.with({ requestId: 'r7' }).log(events.stopped()));
  expect(line).toMatchObject({ requestId: 'r7', msg: 'stopped' });
});

test('a line below the level is not written', () => {
  const call = { operation: 'getUser', status: 200, durationMs: 1, attempt: 1 };
  expect(record((logger) => logger.log(events.upstreamCalled(call)))).toEqual([]);
});

test('an error keeps its code and its causes, and nothing of the bodies that it carries', () => {
  const cause = Object.assign(new Error('refused'), {
    code: 'bad-request',
    status: 400,
    body: 's3cret',
  });
  const error = new Error('could not converge', { cause });
  const lines = record((logger) => logger.log(events.requestFailed({ requestId: 'r1', error })));
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
  const lines = record((logger) => {
    for (const cause of errors) {
      logger.log(events.workerFailed({ ...worker, error: new Error('cannot read', { cause }) }));
    }
  });
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

test('errors whose causes run in a circle are cut', () => {
  const error = new Error('round');
  error.cause = error;
  expect(record((logger) => logger.log(events.workerFailed({ ...worker, error })))).toHaveLength(1);
});

test('what is thrown but is no Error is not written out', () => {
  const lines = record((logger) => logger.log(events.workerFailed({ ...worker, error: 's3cret' })));
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

const hidden = ['authorization', 'token', 'body', 'password', 'emails', 'userName'];
for (const name of hidden) {
  test(`${name} is hidden, should it slip into an event or one level below`, () => {
    const line = (fields: LogLine['fields']): LogLine => ({ level: 'info', message: 'x', fields });
    const nested = { error: { name: 'Error', message: 'm', stack: '', [name]: 's3cret' } };
    const lines = record((logger) => {
      logger.log(line({ [name]: 's3cret' }));
      logger.log(line(nested));
      logger.with({ [name]: 's3cret' }).log(line({}));
    });
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines)).not.toContain('s3cret');
  });
}
