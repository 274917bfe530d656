import type { Clock } from '../domain/clock.ts';
import { createNews, type News } from '../domain/news.ts';
import type { Receiver } from '../domain/notification.ts';
import {
  deleteOtherNotices,
  endNotice,
  listDueNotices,
  type NoticeRow,
  saveAttempt,
} from '../store/notices.ts';
import type { Store } from '../store/store.ts';
import { followConditions, type Observed } from './conditions.ts';
import { createPoster, type Poster, type PosterPolicy } from './post.ts';

/** Dependencies of the notifier. */
export interface NotifierDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly policy: PosterPolicy & { readonly receivers: readonly Receiver[] };
  /** Reads what receivers may be told. */
  readonly observe: () => Promise<Observed>;
  readonly told: {
    attempted(fields: { receiver: string; result: 'delivered' | 'failed' }): void;
    /** A receiver takes nothing from now on. */
    receiverDown(fields: { receiver: string; reason: string }): void;
    /** It takes everything again, after so many milliseconds and failures. */
    receiverUp(fields: { receiver: string; afterMs: number; failures: number }): void;
    failed(error: unknown): void;
  };
}

/** Tells receivers what happens, at the leader. */
export interface Notifier {
  start(): void;
  /** Resolves when nothing is sent any more. */
  stop(): Promise<void>;
}

/** How often the state is compared with what receivers know, and deliveries are looked for, in milliseconds. */
const LOOK_MS = 5_000;
/** First wait after a failure, doubled with each further one, and the longest; in milliseconds. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/** Creates the notifier of one lead. */
export function createNotifier(deps: NotifierDeps): Notifier {
  const { store, clock, policy, observe, told } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ofState = createNews(clock, signal);
  let running: Promise<unknown> = Promise.resolve();
  let unlisten: () => void = () => undefined;
  const poster = createPoster(clock, policy);
  const deliveries = policy.receivers.map((receiver) =>
    createDelivery(deps, { receiver, poster, signal }),
  );

  async function look(): Promise<number> {
    const observed = await observe();
    const at = clock.now();
    await store.write((tx) => followConditions(tx, policy.receivers, observed, at));
    for (const { news } of deliveries) news.tell();
    return LOOK_MS;
  }

  const fail = (error: unknown) => {
    if (!signal.aborted) told.failed(error);
  };

  /** Another lead goes on with what this one has not stored. */
  async function repeat(work: () => Promise<number>, news: News): Promise<void> {
    while (!signal.aborted) {
      const ms = await work().catch((error: unknown) => {
        fail(error);
        return LOOK_MS;
      });
      await news.rest(ms);
    }
  }

  return {
    start() {
      const names = policy.receivers.map(({ name }) => name);
      running = store.write((tx) => deleteOtherNotices(tx, names)).catch(fail);
      if (names.length === 0) return;
      unlisten = store.bell.listen('decided', () => {
        ofState.tell();
        for (const { wake } of deliveries) wake();
      });
      const loops = deliveries.map(({ run, news }) => repeat(run, news));
      running = Promise.all([running, repeat(look, ofState), ...loops]);
    },
    async stop() {
      unlisten();
      stopping.abort('stopped');
      await poster.close();
      await running;
    },
  };
}

/**
 * Creates the deliveries to one receiver. A receiver that is down is asked with one message at a time; one that refuses a
 * message gets the others.
 */
function createDelivery(
  { store, clock, random, told }: NotifierDeps,
  { receiver, poster, signal }: { receiver: Receiver; poster: Poster; signal: AbortSignal },
) {
  const { name } = receiver;
  const news = createNews(clock, signal);
  let failures = 0;
  let downAt = 0;
  let resumeAt = 0;

  function noteDown(error: string, retryAfterMs: number): void {
    failures += 1;
    if (failures === 1) {
      downAt = clock.now();
      told.receiverDown({ receiver: name, reason: error });
    }
    resumeAt = clock.now() + Math.max(toWaitMs(failures, random()), retryAfterMs);
  }

  function noteUp(): void {
    const afterMs = clock.now() - downAt;
    if (failures > 0) told.receiverUp({ receiver: name, afterMs, failures });
    failures = 0;
  }

  /** Sends one message; false: the receiver is down. The attempt is stored before, so that it is known after a crash. */
  async function send(row: NoticeRow): Promise<boolean> {
    const attempts = row.attempts + 1;
    const isWanted = await store.write((tx) => saveAttempt(tx, row.id, { attempts }));
    if (!isWanted) return true;
    const result = await poster.post(receiver, row);
    const isTaken = result.kind === 'delivered';
    told.attempted({ receiver: name, result: isTaken ? 'delivered' : 'failed' });
    if (isTaken) {
      await store.write((tx) => endNotice(tx, row));
    } else {
      const waitMs = result.kind === 'down' ? 0 : toWaitMs(attempts, random());
      const failure = { due_at: Math.round(clock.now() + waitMs), error: result.error };
      await store.write((tx) => saveAttempt(tx, row.id, failure));
    }
    if (result.kind === 'down') noteDown(result.error, result.retryAfterMs);
    else noteUp();
    return result.kind !== 'down';
  }

  return {
    news,
    /** Ends a pause of the receiver: an operator tries it. */
    wake() {
      resumeAt = 0;
      news.tell();
    },
    /** Sends what is due; resolves with how long to wait before the next time, in milliseconds. */
    async run(): Promise<number> {
      if (resumeAt > clock.now()) return resumeAt - clock.now();
      for (const row of await listDueNotices(store.read, name, clock.now())) {
        if (signal.aborted || !(await send(row))) break;
      }
      return LOOK_MS;
    },
  };
}

/** Time before the next attempt, with jitter, in milliseconds. */
function toWaitMs(failures: number, random: number): number {
  const longestMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return longestMs * (0.75 + random / 4);
}
