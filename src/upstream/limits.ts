/** The longest time that a timer of Node can measure; a longer one fires at once. */
const MS_MAX = 2 ** 31 - 1;

/** @throws TypeError unless this is a time in milliseconds above 0 that a timer can measure. */
export function assertMs(name: string, ms: number): void {
  if (ms > 0 && ms <= MS_MAX) return;
  throw new TypeError(`${name} must be milliseconds above 0 and up to ${MS_MAX}, got ${ms}`);
}

/** @throws TypeError unless this is a whole number from `min` on. */
export function assertCount(name: string, count: number, min: number): void {
  if (Number.isSafeInteger(count) && count >= min) return;
  throw new TypeError(`${name} must be a whole number from ${min} on, got ${count}`);
}
