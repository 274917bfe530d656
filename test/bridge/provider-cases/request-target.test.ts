import { expect, test } from 'vitest';
import { toRequestTarget } from './request-target.ts';

const rows = [
  { path: '/Users?count=1&startIndex=1', want: '/Users?count=1&startIndex=1' },
  { path: '/Users?filter=userName eq "a@b.c"', want: '/Users?filter=userName%20eq%20%22a@b.c%22' },
  { path: '/Users?filter=userName+eq+"a%40b.c"', want: '/Users?filter=userName+eq+%22a%40b.c%22' },
  { path: '/Users?filter=x&', want: '/Users?filter=x&' },
  { path: '/Groups?', want: '/Groups?' },
  { path: '/Users?filter=emails[type eq 1]', want: '/Users?filter=emails[type%20eq%201]' },
  { path: '/Users/Zoë', want: '/Users/Zo%C3%AB' },
  { path: '/Users/😀', want: '/Users/%F0%9F%98%80' },
  { path: '/Users/100%', want: '/Users/100%25' },
  { path: '/Users/a#b', want: '/Users/a%23b' },
];

test.each(rows)('$path is sent as $want', ({ path, want }) => {
  expect(toRequestTarget(path)).toBe(want);
});
