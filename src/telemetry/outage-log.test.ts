import { expect, test } from 'vitest';
import { createFakeClock } from '../upstream/testing/fake-clock.ts';
import { events, type LogLine } from './events.ts';
import { createOutageLog, type Logger } from './logger.ts';

function start() {
  const lines: LogLine[] = [];
  const logger: Logger = { log: (line) => void lines.push(line), with: () => logger };
  const clock = createFakeClock();
  const store = { isUsable: async () => false };
  const log = createOutageLog({
    logger,
    clock,
    codes: new Set(['store-unavailable']),
    isUsable: () => store.isUsable(),
  });
  return { lines, clock, store, log };
}

function failure(code: string, cause?: unknown): LogLine {
  const error = Object.assign(new Error('failed', { cause }), { code });
  return events.requestFailed({ requestId: 'r', error });
}

const GONE = { message: 'the store cannot be used', fields: { code: 'store-unavailable' } };

test('an outage is a line when it begins and one when it ends, whoever met it', async () => {
  const { lines, clock, store, log } = start();
  for (let n = 0; n < 31; n += 1) log.log(failure('store-unavailable'));
  const cause = Object.assign(new Error('gone'), { code: 'store-unavailable' });
  log.with({ part: 'x' }).log(failure('other', cause));
  await clock.advance(4_000);
  expect(lines.slice(0, 1)).toMatchObject([GONE]);

  store.isUsable = async () => true;
  await clock.advance(1_000);
  log.log(failure('store-unavailable'));

  const about = lines.filter(({ message }) => message.startsWith('the store can'));
  expect(about).toMatchObject([
    GONE,
    { message: 'the store can be used again', fields: { afterMs: 5_000, failures: 32 } },
    GONE,
  ]);
});
