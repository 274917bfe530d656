import { type Clock, readSteady } from '../../domain/clock.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import { createNews } from '../../domain/news.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { listProgress, type ProgressRow } from '../../store/resources/progress.ts';
import type { Store } from '../../store/store.ts';
import { listRefusedWaits } from '../../store/waits.ts';
import type { ReconcileEvents } from '../deps.ts';
import { GONE, parseProblem, toProgress } from '../recorded.ts';
import type { Waiters } from '../waiters.ts';
import { WORTH_WAITING_MS } from './runner.ts';

/** Interval of looking for the leader's work, where no ring tells, in milliseconds. */
const LOOK_MS = 250;
/** A leader that has not been heard of for so long, although it was asked, is not waited for; in milliseconds. */
const SILENT_MS = 600;

const PUT_OFF = 'the change is stored and will be tried again';
const NOBODY_LEADS = 'no process brings changes to the service now';

interface FollowerDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly events: Pick<ReconcileEvents, 'failed'>;
  /** True while this process leads: then its own runs tell the requests. */
  readonly isLeading: () => boolean;
  readonly waiters: Waiters;
}

/**
 * Creates what tells requests of this process what the leader has done for them, while another process leads. Where one
 * process has the store there is no leader to follow.
 */
export function createFollower({ store, clock, events, isLeading, waiters }: FollowerDeps) {
  const stopping = new AbortController();
  let isFollowing = false;
  const news = createNews(clock, stopping.signal);
  /** Time at which the leader was asked first since it was heard of; undefined: it has answered. */
  let askedAtMs: number | undefined;
  const hear = () => {
    askedAtMs = undefined;
  };
  const unlisten =
    store.engine === 'sqlite'
      ? []
      : [
          store.bell.listen('here', hear),
          store.bell.listen('settled', () => {
            hear();
            news.tell();
          }),
        ];

  /** Tells the leader that something is due; it says "here". */
  function ask(): void {
    askedAtMs ??= readSteady(clock);
    store.bell.ring('due');
  }

  /** True when the leader does not answer, so that no request should wait for it. */
  const isSilent = () => askedAtMs !== undefined && readSteady(clock) - askedAtMs >= SILENT_MS;

  function giveUpOnSilence(): void {
    if (!isSilent()) return;
    for (const key of waiters.keys()) waiters.answerNotYet(key, GONE.version, NOBODY_LEADS);
  }

  const isOver = () => stopping.signal.aborted || isLeading();

  /** Looks when the leader rings, and now and then. Ends by itself when no request waits. */
  async function tellUntilOver(): Promise<void> {
    isFollowing = true;
    while (waiters.size > 0 && !isOver()) {
      const isRung = await news.rest(LOOK_MS);
      if (isOver()) break;
      if (!isRung) ask();
      await tellProgress({ store, clock, waiters }).catch(noteFailure);
      giveUpOnSilence();
    }
    isFollowing = false;
  }

  /** Each request is answered when its wait is over: the write is stored. */
  function noteFailure(error: unknown): void {
    if (!(error instanceof StoreError)) events.failed({ type: 'store', id: 'follow', error });
  }

  return {
    ask,
    isSilent,
    /** Tells the requests that wait now what the leader does, until none waits. */
    follow() {
      if (store.engine === 'postgres' && !isFollowing && !isLeading()) void tellUntilOver();
    },
    stop() {
      stopping.abort();
      for (const end of unlisten) end();
    },
  };
}

/** Tells the requests what is stored of their writes. */
async function tellProgress({
  store,
  clock,
  waiters,
}: Pick<FollowerDeps, 'store' | 'clock' | 'waiters'>): Promise<void> {
  const keys = waiters.keys();
  const ids = waiters.list().flatMap(({ id }) => id ?? []);
  // In this order: what was refused before the first query is known to the second.
  const rows = await listProgress(store.read, keys);
  const refused = await listRefusedWaits(store.read, ids);
  const known = toKnown(clock, keys, rows);
  for (const { id, refusal } of refused) waiters.refuse(id, parseProblem(refusal ?? '{}'));
  for (const { key, progress, isPutOff } of known) {
    waiters.settle(key, progress, isPutOff ? PUT_OFF : undefined);
  }
}

function toKnown(clock: Clock, keys: readonly ResourceKey[], rows: readonly ProgressRow[]) {
  const rowById = new Map<string, ProgressRow>(rows.map((row) => [row.key.id, row]));
  return keys.map((key) => {
    const row = rowById.get(key.id);
    const progress = row === undefined ? GONE : toProgress(row, row.oldestLink);
    return { key, progress, isPutOff: row !== undefined && isResting(clock, row) };
  });
}

/** Nobody will do anything about it soon. */
function isResting(clock: Clock, { in_flight, due_at }: ProgressRow): boolean {
  return in_flight === 0 && (due_at === null || due_at - clock.now() >= WORTH_WAITING_MS);
}
