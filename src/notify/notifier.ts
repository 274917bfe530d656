import type { Clock } from '../domain/clock.ts';
import { createLoop } from '../domain/loop.ts';
import type { Receiver } from '../domain/notification.ts';
import type { OutboundPolicy } from '../outbound/outbound.ts';
import type { Db, Store } from '../store/store.ts';
import { deleteWhere, listWhere, type Row, updateWhere } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';
import { followConditions, type Observed } from './conditions.ts';
import { createPoster, type Poster } from './post.ts';

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
  const deliveries = policy.receivers.map((receiver) => {
    const { run, endPause } = createDelivery(deps, receiver, poster);
    return { loop: createLoop(timing, run), endPause };
  });
  const look = createLoop(timing, async () => {
    const observed = await observe();
    const at = clock.now();
    await store.write((tx) => followConditions(tx, policy.receivers, observed, at));
    for (const { loop } of deliveries) loop.tell();
    return LOOK_MS;
  });
  const loops = [look, ...deliveries.map(({ loop }) => loop)];
  let cleaning: Promise<unknown> = Promise.resolve();
  let unlisten: () => void = () => undefined;

  return {
    start(): void {
      cleaning = store.write((tx) => forgetOthers(tx, names)).catch(onFailure);
      if (names.length === 0) return;
      unlisten = store.bell.listen('decided', () => {
        for (const { endPause } of deliveries) endPause();
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
 * Creates the deliveries to one receiver. A receiver that is down is asked with one message at a time; one that refuses a
 * message gets the others.
 */
function createDelivery(
  { store, clock, random, events }: NotifierDeps,
  receiver: Receiver,
  poster: Poster,
) {
  const { name } = receiver;
  let failures = 0;
  let downAt = 0;
  let resumeAt = 0;

  function noteDown(error: string, retryAfterMs: number): void {
    failures += 1;
    if (failures === 1) {
      downAt = clock.now();
      events.receiverDown({ receiver: name, reason: error });
    }
    resumeAt = clock.now() + Math.max(toWaitMs(failures, random()), retryAfterMs);
  }

  function noteUp(): void {
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
    const isTaken = result.kind === 'delivered';
    events.notified({ receiver: name, result: isTaken ? 'delivered' : 'failed' });
    if (isTaken) {
      await store.write((tx) => endNotice(tx, row));
    } else {
      const waitMs = result.kind === 'down' ? 0 : toWaitMs(attempts, random());
      await save({ due_at: Math.round(clock.now() + waitMs), error: result.error });
    }
    if (result.kind === 'down') noteDown(result.error, result.retryAfterMs);
    else noteUp();
    return result.kind !== 'down';
  }

  return {
    /** Ends a pause of the receiver: an operator tries it. */
    endPause() {
      resumeAt = 0;
    },
    /** Sends what is due; resolves with how long to wait before the next time, in milliseconds. */
    async run(signal: AbortSignal): Promise<number> {
      if (resumeAt > clock.now()) return resumeAt - clock.now();
      for (const row of await listDue(store.read, name, clock.now())) {
        if (signal.aborted || !(await send(row))) break;
      }
      return LOOK_MS;
    },
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
