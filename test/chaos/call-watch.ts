import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** How often what came is looked at, in milliseconds: long before the sandbox forgets it. */
const LOOK_MS = 10;
/** Later than this, in milliseconds, and this process is remembered to have been late. */
const LATE_MS = 3;
const SECOND_MS = 1_000;
/** How much closer calls may arrive than they left: on a busy machine each takes as long as it happens to. */
const TRAVEL_MS = 100;
/** What waited while this process was late is seen within a few looks after that, in milliseconds. */
const LOOKS_MS = 5 * LOOK_MS;

/** Watches whether the service is called more often than allowed, whoever calls. */
export interface CallWatch {
  /** Windows of a second with more calls than the rate. */
  listFindings(requestsPerSecond: number): string[];
  stop(): void;
}

interface Moment {
  readonly at: number;
  /** How long this process did not look before, in milliseconds beyond what was meant. */
  readonly lateMs: number;
}

/** Watches from now on. */
export function watchCalls({ calls }: Sandbox): CallWatch {
  const begun: number[] = [];
  const late: Moment[] = [];
  let lookedAt = Date.now();
  let seen = 0;

  function look(): void {
    const now = Date.now();
    const lateMs = now - lookedAt - LOOK_MS;
    if (lateMs > LATE_MS) late.push({ at: now, lateMs });
    lookedAt = now;
    const fresh = calls.count() + calls.open - seen;
    const moments = fresh > 0 ? calls.recent().slice(-fresh) : [];
    begun.push(...moments.map(({ at }) => at));
    seen += fresh;
  }

  const timer = setInterval(look, LOOK_MS);
  return {
    listFindings(rate) {
      look();
      return listCrowds(begun, { late, rate });
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Calls arrive closer together than they left when this process was late: so much shorter the window is in which there
 * may be no more than the rate.
 */
function listCrowds(
  begun: readonly number[],
  { late, rate }: { readonly late: readonly Moment[]; readonly rate: number },
): string[] {
  const crowds: string[] = [];
  let crowdedUntil = 0;
  for (let n = rate; n < begun.length; n += 1) {
    const [first = 0, last = 0] = [begun[n - rate], begun[n]];
    const slack = Math.ceil(findLateness(late, { first, last }));
    if (last - first >= SECOND_MS - TRAVEL_MS - slack || first < crowdedUntil) continue;
    crowdedUntil = last + SECOND_MS;
    crowds.push(
      `${rate + 1} calls within ${last - first} ms from ${first} on (this process was up to ${slack} ms late)`,
    );
  }
  return crowds;
}

function findLateness(
  late: readonly Moment[],
  { first, last }: { readonly first: number; readonly last: number },
): number {
  if (last - first >= SECOND_MS) return 0;
  return late
    .filter(({ at, lateMs }) => at >= first - LOOKS_MS && at - lateMs <= last)
    .reduce((most, { lateMs }) => Math.max(most, lateMs), 0);
}
