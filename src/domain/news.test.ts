import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createNews } from './news.ts';

/** Longer than a test may take. */
const LONG_MS = 600_000;

const clock = { sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { signal }) };

test('news end a rest, and those of a turn end the rest after it', async () => {
  const news = createNews(clock);
  const resting = news.rest(LONG_MS);
  news.tell();
  const wasTold = await resting;
  news.tell();
  news.tell();

  expect(wasTold).toBe(true);
  expect(await news.rest(LONG_MS)).toBe(true);
  expect(await news.rest(1)).toBe(false);
});

test('work that is to stop rests no more', async () => {
  const stopping = new AbortController();
  const news = createNews(clock, stopping.signal);
  const resting = news.rest(LONG_MS);
  stopping.abort();

  expect(await resting).toBe(false);
  expect(await news.rest(LONG_MS)).toBe(false);
});
