import type { Clock } from '../domain/clock.ts';
import { createLoop } from '../domain/loop.ts';
import type { Receiver } from '../domain/notification.ts';
import type { OutboundPolicy } from '../outbound/outbound.ts';
import type { Db, Store } from '../store/store.ts';
import { deleteWhere, listWhere, type Row, updateWhere } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';
import { followConditions, type Observed } from './conditions.ts';
import { createPoster, type Poster, type PostResult } from './post.ts';

/** Dependencies of the notifier. */
export interface NotifierDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly policy: OutboundPolicy & { readonly receivers: readonly Receiver[] };
  /** Reads what receivers may learn. */
  readonly observe: () => Promise<Observed>;
  readonly events: Pick<Events, 'notified' | 'receiverDown' | 'receiverUp' | 'failed'>;
}

/** How often the state is compared with what receivers know, and deliveries are looked for, in milliseconds. */
const LOOK_MS = 5_000;
/** First wait after a failure, doubled with each further one, and the longest; in milliseconds. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/** Creates the notifier of one lead, which sends receivers what happens. */
export function createNotifier(deps: NotifierDeps) {
  const { store, clock, policy, observe, events } = deps;
  const names = policy.receivers.map(({ name }) => name);
  const poster = createPoster(clock, policy);
  // Another lead goes on with what this one has not stored.
  const onFailure = (error: unknown) =>
    events.failed({ type: 'notifications', id: 'store', error });
  const timing = { clock, onFailure, failedRestMs: LOOK_MS };
  const deliveries = policy.receivers.map((receiver) =>
    createLoop(timing, createDelivery(deps, receiver, poster)),
  );
  const look = createLoop(timing, async () => {
    const observed = await observe();
    const at = clock.now();
    await store.write((tx) => followConditions(tx, policy.receivers, observed, at));
    for (const loop of deliveries) loop.tell();
    return LOOK_MS;
  });
  const loops = [look, ...deliveries];
  let cleaning: Promise<unknown> = Promise.resolve();
  let unlisten: () => void = () => undefined;

  return {
    start(): void {
      cleaning = store.write((tx) => forgetOthers(tx, names)).catch(onFailure);
      if (names.length === 0) return;
      unlisten = store.bell.listen('decided', () => {
        for (const loop of loops) loop.tell();
      });
      for (const loop of loops) loop.start();
    },
    /** Resolves when nothing is sent any more. */
    async stop(): Promise<void> {
      unlisten();
      const ends = loops.map((loop) => loop.stop());
      await poster.close();
      await Promise.all([cleaning, ...ends]);
    },
  };
}

/**
 * Creates what sends one receiver what is due, and returns how long to wait before the next time, in milliseconds. A receiver
 * that is down is asked with one message a turn; one that refuses a message gets the others.
 */
function createDelivery(
  { store, clock, random, events }: NotifierDeps,
  receiver: Receiver,
  poster: Poster,
) {
  const { name } = receiver;
  let failures = 0;
  let downAt = 0;

  function note(result: PostResult): void {
    events.notified({
      receiver: name,
      result: result.kind === 'delivered' ? 'delivered' : 'failed',
    });
    if (result.kind === 'down') {
      if (failures === 0) {
        downAt = clock.now();
        events.receiverDown({ receiver: name, reason: result.error });
      }
      failures += 1;
      return;
    }
    const afterMs = clock.now() - downAt;
    if (failures > 0) events.receiverUp({ receiver: name, afterMs, failures });
    failures = 0;
  }

  /** Sends one message; false: the receiver is down. The attempt is stored before, so that it is known after a crash. */
  async function send(row: Row<'notices'>): Promise<boolean> {
    const attempts = row.attempts + 1;
    const save = (attempt: Partial<Row<'notices'>>) =>
      store.write((tx) => updateWhere(tx, 'notices', { id: row.id }, attempt));
    // It is not to be sent any more.
    if ((await save({ attempts })).length === 0) return true;
    const result = await poster.post(receiver, row);
    note(result);
    if (result.kind === 'delivered') await store.write((tx) => endNotice(tx, row));
    else {
      const askedMs = result.kind === 'down' ? result.retryAfterMs : 0;
      const waitMs = Math.max(toWaitMs(attempts, random()), askedMs);
      await save({ due_at: Math.round(clock.now() + waitMs), error: result.error });
    }
    return result.kind !== 'down';
  }

  return async (signal: AbortSignal): Promise<number> => {
    for (const row of await listDue(store.read, name, clock.now())) {
      if (signal.aborted || !(await send(row))) break;
    }
    return LOOK_MS;
  };
}

/** Forgets what is for other receivers than these. */
function forgetOthers(tx: Db, names: readonly string[]) {
  return deleteWhere(tx, 'notices', { receiver: { 'not in': names } });
}

/** Lists what is to be sent to one receiver now: what an operator tries first, then the oldest. */
async function listDue(db: Db, receiver: string, now: number): Promise<Row<'notices'>[]> {
  const due = { receiver, phase: { '<>': 'active' }, due_at: { '<=': now } } as const;
  const rows = await listWhere(db, 'notices', due, { order: ['since', 'key'] });
  return rows.toSorted((a, b) => Number(b.type === 'test') - Number(a.type === 'test'));
}

/** Stores that the receiver has a message: it knows that the condition holds, or nothing is left to send. */
async function endNotice(tx: Db, { id, phase }: Row<'notices'>): Promise<void> {
  if (phase === 'began') {
    await updateWhere(tx, 'notices', { id }, { phase: 'active', error: null });
  } else await deleteWhere(tx, 'notices', { id });
}

/** Time before the next attempt, with jitter, in milliseconds. */
function toWaitMs(failures: number, random: number): number {
  const longestMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return longestMs * (0.75 + random / 4);
}
