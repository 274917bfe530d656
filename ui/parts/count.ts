import { toCount } from '../../src/ops/lists/words.ts';

/** Length of a time in words: `34 minutes`. */
export function toLength(ms: number): string {
  if (ms < 1_000) return 'less than a second';
  if (ms < 90_000) return toCount(Math.round(ms / 1_000), 'second');
  if (ms < 5_400_000) return toCount(Math.round(ms / 60_000), 'minute');
  if (ms < 172_800_000) return `${(ms / 3_600_000).toFixed(1).replace('.0', '')} hours`;
  return `${Math.round(ms / 86_400_000)} days`;
}
