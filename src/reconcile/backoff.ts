const FIRST_DELAY_MS = 1_000;
const DELAY_MAX_MS = 5 * 60_000;
const STUCK_DELAY_MS = 60 * 60_000;

/**
 * Delay before the next attempt, in milliseconds: the one that the service asked for, else 1 s doubling to five
 * minutes, with jitter between half and the whole so that replicas do not act in step.
 * @param attempts failures so far, 1 after the first. @param random uniform in [0, 1).
 */
export function backoffMs(
  attempts: number,
  retryAfterMs: number | undefined,
  random: number,
): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, STUCK_DELAY_MS);
  const whole = Math.min(FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 20), DELAY_MAX_MS);
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Delay before the next attempt of a change that failed by its own fault, in milliseconds; later it is stuck. */
export function failedDelayMs(attempts: number, attemptsMax: number, random: number): number {
  return attempts < attemptsMax ? backoffMs(attempts, undefined, random) : stuckDelayMs(random);
}

/** Delay before the next attempt at a change that was acknowledged and then refused: at least an hour. */
export function stuckDelayMs(random: number): number {
  return Math.round(STUCK_DELAY_MS * (1 + random / 4));
}
