import type { Response } from 'express';
import type { Clock } from '../domain/clock.ts';
import type { Events } from '../telemetry/events.ts';
import { getRequestContext, whenClosed } from '../telemetry/request-context.ts';
import { BoundedMap } from './bounded-map.ts';

/** The endpoint that was asked. */
export type Place = 'scim' | 'oauth' | 'ops';

/** Attempts of one source that are answered without a delay: a person who mistypes makes as many. */
const FREE = 3;
/** The first delay, in milliseconds; it doubles with each attempt. */
const DELAY_MS = 100;
/** Answers that are delayed at once; further attempts are refused immediately. */
const DELAYED_MAX = 100;
/** Failures older than this are forgotten, in milliseconds. */
const WINDOW_MS = 10 * 60_000;
/** Length of the parts by which they are counted together. */
const PART_MS = 60_000;
/** Sources that are remembered, and those that are shown. */
const SOURCES_MAX = 1_000;
const SHOWN_MAX = 20;

/** The answer to a request without a valid credential. */
type Refused = Pick<Response, 'locals'> & Parameters<typeof whenClosed>[0];

/** Counts, slows and reports requests without a valid credential. Requests with a valid one never come here. */
export type Attempts = ReturnType<typeof createAttempts>;

export interface AttemptsDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** The longest delay, in milliseconds; 0: no delay, and no refusal. */
  readonly delayMaxMs: number;
  /** Called for each attempt. */
  readonly counted: (place: Place, status: 401 | 429) => void;
  /** Called rarely, with the `attempts` of this source and credential since the last call. */
  readonly noticed: Events['credentialsWrong'];
}

/** Creates the memory of failed attempts of one process: bounded, and forgotten after ten minutes. */
export function createAttempts({ clock, delayMaxMs, counted, noticed }: AttemptsDeps) {
  const counts = createFailureCounts();
  const rarely = createRarely();
  let delayed = 0;

  async function delay(ms: number, res: Refused): Promise<void> {
    const gone = new AbortController();
    whenClosed(res, () => gone.abort());
    delayed += 1;
    try {
      await clock.sleep(ms, gone.signal);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    } finally {
      delayed -= 1;
    }
  }

  return {
    /**
     * Resolves when the answer may be sent; with the seconds to wait where too many are refused. @param presented
     * `nothing` counts
     */
    async failed(
      res: Refused,
      place: Place,
      presented: 'nothing' | 'something',
    ): Promise<number | undefined> {
      const { remoteAddress, requestId, outside } = getRequestContext(res);
      const source = toSource(remoteAddress);
      const attempts = rarely.take(`${source} ${outside ?? ''}`, clock.now());
      if (attempts > 0) noticed({ place, requestId, remoteAddress, outside, attempts });
      const nth = presented === 'nothing' ? 0 : counts.add(source, clock.now());
      const delayMs = nth <= FREE ? 0 : Math.min(DELAY_MS * 2 ** (nth - FREE - 1), delayMaxMs);
      const isTooMany = delayMs > 0 && delayed >= DELAYED_MAX;
      counted(place, isTooMany ? 429 : 401);
      if (isTooMany) return Math.ceil(delayMaxMs / 1_000);
      if (delayMs > 0) await delay(delayMs, res);
      return undefined;
    },
    /** Failed attempts that this process saw in the last ten minutes. */
    view: () => counts.view(clock.now()),
  };
}

/** Creates counts of failures by source, and of all sources together. */
export function createFailureCounts() {
  const bySource = new BoundedMap<string, { attempts: number; lastAt: number }>(SOURCES_MAX);
  const byPart = new BoundedMap<number, number>(WINDOW_MS / PART_MS);
  return {
    /** Returns the number of this attempt of its source, counted since the source was last quiet for ten minutes. */
    add(source: string, now: number): number {
      const known = bySource.get(source);
      const before = known === undefined || now - known.lastAt >= WINDOW_MS ? 0 : known.attempts;
      bySource.set(source, { attempts: before + 1, lastAt: now });
      const part = Math.floor(now / PART_MS);
      byPart.set(part, (byPart.get(part) ?? 0) + 1);
      return before + 1;
    },
    /** The sources with the most attempts; a source is an address, or the network of an IPv6 one. Times are epoch milliseconds. */
    view(now: number) {
      const sources = [...bySource]
        .map(([address, one]) => ({ address, ...one }))
        .filter(({ lastAt }) => now - lastAt < WINDOW_MS)
        .toSorted((a, b) => b.attempts - a.attempts)
        .slice(0, SHOWN_MAX);
      const recent = [...byPart].filter(([part]) => now - part * PART_MS < WINDOW_MS);
      return { failed: recent.reduce((sum, [, count]) => sum + count, 0), sources };
    },
  };
}

/** Interval of reports about one key, in milliseconds, and reports about all keys together within it. */
const REPORT_MS = 60_000;
const REPORTS_MAX = 10;
/** Keys that are remembered. */
const KEYS_MAX = 1_000;

/** Creates a limit of repeated reports: one in an interval for each key, and some for all. */
export function createRarely({ eachMs = REPORT_MS, allMax = REPORTS_MAX } = {}) {
  const byKey = new BoundedMap<string, { reportedAt: number; left: number }>(KEYS_MAX);
  let interval = { from: 0, reports: 0 };
  return {
    /** Returns the occurrences since the last report if a report is due, otherwise 0. `now` in milliseconds. */
    take(key: string, now: number): number {
      const { reportedAt = Number.NEGATIVE_INFINITY, left = 0 } = byKey.get(key) ?? {};
      if (now - interval.from >= eachMs) interval = { from: now, reports: 0 };
      const isDue = now - reportedAt >= eachMs && interval.reports < allMax;
      byKey.set(key, isDue ? { reportedAt: now, left: 0 } : { reportedAt, left: left + 1 });
      if (!isDue) return 0;
      interval.reports += 1;
      return left + 1;
    },
  };
}

/** The source behind an address: an IPv4 address, or an IPv6 network. @see RFC 4291 §2.2, RFC 6177 §2 */
export function toSource(remoteAddress: string): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!address.includes(':')) return address;
  const toGroups = (text: string) => text.split(':').filter((group) => group !== '');
  const [begin = [], end = []] = address.split('::').map(toGroups);
  const zeros = Array.from({ length: Math.max(8 - begin.length - end.length, 0) }, () => '0');
  return `${[...begin, ...zeros, ...end].slice(0, 4).join(':')}::/64`;
}
