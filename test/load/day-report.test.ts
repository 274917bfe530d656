import { expect, test } from 'vitest';
import { toDayPicture, toDaySection } from './day-report.ts';
import type { DayOptions, DayRun } from './day-run.ts';

const run: DayRun = {
  samples: Array.from({ length: 1_440 }, (_, minute) => ({
    minute,
    requests: minute === 480 ? 12 : 0,
    calls: minute === 480 ? 200 : 1,
    due: minute === 480 ? 30 : 0,
  })),
  leavers: [
    { minute: 1_080.2, tookMs: 700 },
    { minute: 1_120, tookMs: 1_900 },
  ],
  failed: 0,
  stuck: 1,
  drifts: 2,
  playedMs: 180_000,
};
const options: DayOptions = {
  company: { users: 20_000, groups: 500, groupSizes: [10_000], membersPerGroup: 40 },
  day: { joiners: 160, leavers: 80, movers: 400, renamed: 100 },
  seed: 1,
  say: () => undefined,
};
const machine = { date: '2026-11-27', commit: 'abc', node: 'v24', description: '2 cores', load: 1 };

test('a day is told as its sums and its hours', () => {
  const section = toDaySection(run, options, { machine, picture: 'day.svg' });

  expect(section).toContain('| requests of the provider, of which failed | 12, 0 |');
  expect(section).toContain('| calls to the service | 1,639 |');
  expect(section).toContain('| most calls in a minute, of 300 | 200 |');
  expect(section).toContain('| most that waited at the end of a minute | 30 |');
  expect(section).toContain('| way out of 2 leavers, s: p50, p95, the slowest | 0.7, 1.9, 1.9 |');
  expect(section).toContain('| refused for good, differences at the end | 1, 2 |');
  expect(section).toContain('| 08:00 | 12 | 259 | 30 |  |  |');
  expect(section).toContain('| 18:00 | 0 | 60 | 0 | 2 | 1.9 |');
  expect(section).toContain('](day.svg)');
});

test('its picture has a point for each minute and each leaver, within its frame', () => {
  const picture = toDayPicture(run);

  expect(picture.match(/<polyline/g)).toHaveLength(2);
  expect(picture.match(/points="([^"]*)"/)?.[1]?.split(' ')).toHaveLength(1_440);
  expect(picture.match(/<circle/g)).toHaveLength(2);
  for (const [, x, y] of picture.matchAll(/([\d.-]+),([\d.-]+)(?=[ "])/g)) {
    expect(Number(x)).toBeGreaterThanOrEqual(0);
    expect(Number(x)).toBeLessThanOrEqual(960);
    expect(Number(y)).toBeGreaterThanOrEqual(0);
    expect(Number(y)).toBeLessThanOrEqual(480);
  }
});
