import { expect, test } from 'vitest';
import type { ListSample } from './list-sample.ts';
import { skipped } from './look.ts';
import { toPageLimit } from './page-limit.ts';

const [one, two, three] = [{ id: 1 }, { id: 2 }, { id: '3' }];

function toSample(raw: readonly unknown[], rest: Partial<ListSample<unknown>> = {}) {
  return { raw, items: raw, total: undefined, asked: 10, after: skipped('not asked'), ...rest };
}

function seen(...entries: unknown[]) {
  return { kind: 'seen', value: entries } as const;
}

const limits: { why: string; sample: ListSample<unknown>; want: object }[] = [
  {
    why: 'a short page and a larger total',
    sample: toSample([one, two], { total: 3 }),
    want: { kind: 'limit', entries: 2 },
  },
  {
    why: 'a short page that is the total',
    sample: toSample([one, two], { total: 2 }),
    want: { kind: 'complete' },
  },
  {
    why: 'an empty page of a list that is not empty',
    sample: toSample([], { total: 2 }),
    want: { kind: 'unknown' },
  },
  {
    why: 'as many as were asked for',
    sample: toSample([one, two], { asked: 2 }),
    want: { kind: 'none-seen', asked: 2 },
  },
  {
    why: 'another entry follows',
    sample: toSample([one, two], { after: seen(three) }),
    want: { kind: 'limit', entries: 2 },
  },
  {
    why: 'nothing follows',
    sample: toSample([one, two], { after: seen() }),
    want: { kind: 'complete' },
  },
  {
    why: 'the list begins again and proves nothing',
    sample: toSample([one, two], { after: seen(one) }),
    want: { kind: 'unknown' },
  },
  {
    why: 'what follows could not be asked',
    sample: toSample([one, two]),
    want: { kind: 'unknown' },
  },
  { why: 'an empty list', sample: toSample([]), want: { kind: 'complete' } },
];

for (const { why, sample, want } of limits) {
  test(`toPageLimit: ${why}`, () => expect(toPageLimit(sample)).toEqual(want));
}
