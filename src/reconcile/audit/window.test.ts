import { expect, test } from 'vitest';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { estimateSkew, findWindowStart, isEnd, LATE_MS, type ReadPage } from './window.ts';

const now = 100_000_000;
const minute = 60_000;
const state = { newestAt: now - 1_000, newestSeenAt: now - 1_000, readAt: now - 1_000, skewMs: 0 };

const starts = [
  { why: 'what may still come late is read again', change: {}, want: now - 1_000 - LATE_MS },
  {
    why: 'an event that was seen long ago is read alone',
    change: { newestAt: now - 10 * minute, newestSeenAt: now - 10 * minute },
    want: now - 10 * minute,
  },
  {
    why: 'the overlap shrinks as the log stays quiet',
    change: { newestAt: now - 3 * minute, newestSeenAt: state.readAt - 3 * minute },
    want: now - 5 * minute,
  },
  {
    why: 'an outage of ours does not shrink it: what came meanwhile is not known',
    change: {
      newestAt: now - 9 * minute,
      newestSeenAt: now - 9 * minute,
      readAt: now - 9 * minute,
    },
    want: now - 14 * minute,
  },
  {
    why: 'an event from the future hides nothing',
    change: { newestAt: now + 60 * minute },
    want: now - LATE_MS,
  },
  {
    why: 'a clock that is known to be ahead is no future',
    change: { newestAt: now + 60 * minute, skewMs: 61 * minute },
    want: now + 55 * minute,
  },
];
for (const { why, change, want } of starts) {
  test(`findWindowStart: ${why}`, () =>
    expect(findWindowStart({ ...state, ...change }, now)).toBe(want));
}

const skews = [
  { why: 'an event of just now shows nothing', at: now - 500, want: 0 },
  { why: 'an event a little late shows nothing', at: now - minute, want: 0 },
  { why: 'an event from the future shows a clock ahead', at: now + 5_000, want: 5_000 },
  {
    why: 'an old event that is new shows a clock behind',
    at: now - 30 * minute,
    want: 1_000 - 30 * minute,
  },
  { why: 'what is known already is kept', at: now + 5_000, skewMs: 5_200, want: 5_200 },
  { why: 'a clock that was set right is right', at: now - 500, skewMs: -30 * minute, want: -500 },
];
for (const { why, at, skewMs = 0, want } of skews) {
  test(`estimateSkew: ${why}`, () =>
    expect(estimateSkew({ ...state, skewMs }, at, now)).toBe(want));
}

const newestFirst = [3, 2, 2, 1];
const ends: { why: string; seconds?: number[]; change?: Partial<ReadPage>; want: boolean }[] = [
  { why: 'a page without news, newest first', want: true },
  { why: 'one event alone', seconds: [1], want: true },
  { why: 'news', change: { freshCount: 1 }, want: false },
  { why: 'oldest first: the news are on the last page', seconds: [1, 2], want: false },
  {
    why: 'oldest first: the page is of one moment, and later than the pages before',
    seconds: [2, 2],
    change: { beganAt: Date.parse('2026-04-01T12:00:01Z') },
    want: false,
  },
  { why: 'no order that could be relied on', seconds: [3, 1, 2], want: false },
  { why: 'more is known: a late event may be among it', change: { storedCount: 5 }, want: false },
  { why: 'more was known and has been shown', change: { storedCount: 5, position: 8 }, want: true },
  { why: 'the read before was cut short', change: { isAgain: true }, want: false },
  { why: 'it is from before the window', change: { isAgain: true, events: [] }, want: true },
];
for (const { why, seconds = newestFirst, change, want } of ends) {
  test(`isEnd is ${want}: ${why}`, () => {
    const shown = seconds.map((second) =>
      parseAuditEvent({
        id: `e${second}`,
        category: 'auth',
        action: 'sign_in',
        created: `2026-04-01T12:00:0${second}Z`,
      }),
    );
    const page = {
      shown,
      events: shown,
      freshCount: 0,
      storedCount: 4,
      beganAt: shown[0]?.createdAt.getTime() ?? now,
      position: 4,
      isAgain: false,
    };
    expect(isEnd({ ...page, ...change })).toBe(want);
  });
}
