import { expect, test } from 'vitest';
import { createFakeClock } from '../upstream/testing/fake-clock.ts';
import type { LogLine } from './events.ts';
import { createMetrics } from './metrics.ts';
import { createOutageAwareEvents } from './outages.ts';

function start() {
  const lines: LogLine[] = [];
  const clock = createFakeClock();
  const store = { isUsable: async () => false };
  const { events } = createOutageAwareEvents({
    logger: { log: (line) => void lines.push(line) },
    metrics: createMetrics(),
    clock,
    codes: new Set(['store-unavailable']),
    isUsable: () => store.isUsable(),
  });
  return { lines, clock, store, events };
}

function failure(code: string, cause?: unknown) {
  return { requestId: 'r', error: Object.assign(new Error('failed', { cause }), { code }) };
}

const GONE = { message: 'the store cannot be used', fields: { code: 'store-unavailable' } };

test('an outage is a line when it begins and one when it ends, whoever met it', async () => {
  const { lines, clock, store, events } = start();
  for (let n = 0; n < 31; n += 1) events.requestFailed(failure('store-unavailable'));
  const cause = Object.assign(new Error('gone'), { code: 'store-unavailable' });
  events.requestFailed(failure('other', cause));
  await clock.advance(4_000);
  expect(lines.slice(0, 1)).toMatchObject([GONE]);

  store.isUsable = async () => true;
  await clock.advance(1_000);
  events.requestFailed(failure('store-unavailable'));

  const about = lines.filter(({ message }) => message.startsWith('the store can'));
  expect(about).toMatchObject([
    GONE,
    { message: 'the store can be used again', fields: { afterMs: 5_000, failures: 32 } },
    GONE,
  ]);
});
