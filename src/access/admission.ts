import type { Clock } from '../domain/clock.ts';
import { readSteady } from '../domain/clock.ts';

/** Limits of one client. */
export interface AdmissionLimits {
  /** Requests per second, and as many at once after a pause; 0: as many as it likes. */
  readonly perSecond: number;
  /** Requests that are under way at the same time. */
  readonly concurrentMax: number;
}

/** Reason for turning a request away. */
export type TurnedAway = 'rate' | 'concurrency';

/** Decides for each client, by its key, whether one more request may begin. */
export type Admission = ReturnType<typeof createAdmission>;

interface Use {
  underWay: number;
  /** Steady time at which all that was used of the rate has come back, milliseconds. */
  restoredAt: number;
}

/** From so many clients on, those that are quiet are forgotten. */
const CLIENTS_MIN = 1_000;

/** Creates a token bucket and a count of open requests for each client (generic cell rate algorithm). */
export function createAdmission(
  { perSecond, concurrentMax }: AdmissionLimits,
  clock: Pick<Clock, 'now' | 'steady'>,
) {
  const uses = new Map<string, Use>();
  let forgetAt = CLIENTS_MIN;

  function addUse(key: string, nowMs: number): Use {
    if (uses.size >= forgetAt) {
      for (const [quiet, use] of uses) if (isQuiet(use, nowMs)) uses.delete(quiet);
      forgetAt = Math.max(CLIENTS_MIN, uses.size * 2);
    }
    const use = { underWay: 0, restoredAt: nowMs };
    uses.set(key, use);
    return use;
  }

  return {
    /** undefined: it may, and `end` has to follow. @param rate requests per second of this client */
    begin(key: string, rate = perSecond): TurnedAway | undefined {
      const costMs = rate === 0 ? 0 : 1_000 / rate;
      const nowMs = readSteady(clock);
      const use = uses.get(key) ?? addUse(key, nowMs);
      use.restoredAt = Math.max(use.restoredAt, nowMs);
      // Half of one request more, so that sums of fractions do not decide.
      if (costMs > 0 && use.restoredAt - nowMs > 1_000 - costMs / 2) return 'rate';
      if (use.underWay >= concurrentMax) return 'concurrency';
      use.restoredAt += costMs;
      use.underWay += 1;
      return undefined;
    },
    end(key: string): void {
      const use = uses.get(key);
      if (use) use.underWay -= 1;
    },
  };
}

const isQuiet = ({ underWay, restoredAt }: Use, nowMs: number) =>
  underWay === 0 && restoredAt <= nowMs;
