import type { Clock } from '../domain/clock.ts';
import { type AttemptsView, createFailureCounts } from './failure-counts.ts';

/** The endpoint that was asked. */
export type Place = 'scim' | 'oauth' | 'ops';

/** Attempts of one source that are answered without a delay: a person who mistypes makes as many. */
const FREE = 3;
/** The first delay, in milliseconds; it doubles with each attempt. */
const DELAY_MS = 100;
/** Answers that are delayed at once; further attempts are refused immediately. */
const DELAYED_MAX = 100;

/** A request without a valid credential. */
export interface FailedAttempt {
  readonly place: Place;
  /** `nothing` is no guess: it is counted and never delayed. */
  readonly presented: 'nothing' | 'something';
  readonly remoteAddress: string;
  readonly requestId: string;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
}

/** Decision about the answer, now. */
export type AttemptAnswer =
  | { readonly kind: 'refused' }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number };

/** Counts, slows and reports requests without a valid credential. Requests with a valid one never come here. */
export interface Attempts {
  /** Resolves when the answer may be sent. */
  failed(attempt: FailedAttempt): Promise<AttemptAnswer>;
  view(): AttemptsView;
}

/** Dependencies of `createAttempts`. */
export interface AttemptsDeps {
  readonly clock: Clock;
  /** The longest delay, in milliseconds; 0: no delay, and no refusal. */
  readonly delayMaxMs: number;
  readonly told: {
    /** Called for each attempt. */
    counted(place: Place, status: 401 | 429): void;
    /** Called rarely, with the `attempts` of this source since the last call. */
    noticed(fields: {
      place: Place;
      requestId: string;
      remoteAddress: string;
      attempts: number;
    }): void;
  };
}

/** Creates the memory of failed attempts of one process: bounded, and forgotten after ten minutes. */
export function createAttempts({ clock, delayMaxMs, told }: AttemptsDeps): Attempts {
  const counts = createFailureCounts();
  const rarely = createRarely();
  let delayed = 0;

  function notice({ place, requestId, remoteAddress }: FailedAttempt, source: string): void {
    const attempts = rarely.take(source, clock.now());
    if (attempts > 0) told.noticed({ place, requestId, remoteAddress, attempts });
  }

  async function delay(ms: number, signal: AbortSignal): Promise<void> {
    delayed += 1;
    try {
      await clock.sleep(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      delayed -= 1;
    }
  }

  return {
    async failed(attempt) {
      const { place, presented, remoteAddress, signal } = attempt;
      const source = toSource(remoteAddress);
      notice(attempt, source);
      const nth = presented === 'nothing' ? 0 : counts.add(source, clock.now());
      const delayMs = toDelayMs(nth, delayMaxMs);
      const isTooMany = delayMs > 0 && delayed >= DELAYED_MAX;
      told.counted(place, isTooMany ? 429 : 401);
      if (isTooMany) return { kind: 'too-many', retryAfterSeconds: Math.ceil(delayMaxMs / 1_000) };
      if (delayMs > 0) await delay(delayMs, signal);
      return { kind: 'refused' };
    },
    view: () => counts.view(clock.now()),
  };
}

/** No delay for the first few, then doubling. */
function toDelayMs(nth: number, maxMs: number): number {
  if (nth <= FREE) return 0;
  return Math.min(DELAY_MS * 2 ** (nth - FREE - 1), maxMs);
}

/** Limits of reports. */
interface RareLimits {
  /** Interval of reports about one key, in milliseconds. */
  readonly eachMs: number;
  /** Reports about all keys together within that interval. */
  readonly allMax: number;
}

const EACH_MINUTE: RareLimits = { eachMs: 60_000, allMax: 10 };
/** Keys that are remembered; the key that was reported first is forgotten first. */
const KEYS_MAX = 1_000;

/** Limits repeated reports and counts the suppressed ones. */
interface Rarely {
  /** Occurrences since the last report, when a report is due; otherwise 0. `now` in milliseconds. */
  take(key: string, now: number): number;
}

/** Creates a limit of reports: one a minute for each key, and ten for all, unless said otherwise. */
export function createRarely({ eachMs, allMax } = EACH_MINUTE): Rarely {
  const byKey = new Map<string, { toldAt: number; untold: number }>();
  let interval = { from: 0, told: 0 };

  return {
    take(key, now) {
      const known = byKey.get(key) ?? { toldAt: Number.NEGATIVE_INFINITY, untold: 0 };
      const count = known.untold + 1;
      byKey.delete(key);
      if (now - interval.from >= eachMs) interval = { from: now, told: 0 };
      const isTold = now - known.toldAt >= eachMs && interval.told < allMax;
      byKey.set(key, isTold ? { toldAt: now, untold: 0 } : { ...known, untold: count });
      const [oldest] = byKey.keys();
      if (byKey.size > KEYS_MAX && oldest !== undefined) byKey.delete(oldest);
      if (!isTold) return 0;
      interval.told += 1;
      return count;
    },
  };
}

/** Groups of an IPv6 address, and how many of them name the network. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The source behind an address: one IPv4 address, or one IPv6 network, whose user may have any address in it.
 * @see RFC 4291 §2.2 (text forms), RFC 6177 §2 (a site has at least a /64)
 */
export function toSource(remoteAddress: string): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!address.includes(':')) return address;
  const [begin = [], end = []] = address.split('::').map(toGroups);
  const zeros = Array.from({ length: Math.max(GROUPS - begin.length - end.length, 0) }, () => '0');
  return `${[...begin, ...zeros, ...end].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

function toGroups(text: string): string[] {
  return text.split(':').filter((group) => group !== '');
}
