import { readFile } from 'node:fs/promises';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../domain/clock.ts';
import { createLoop } from '../domain/loop.ts';
import type { Receiver } from '../domain/notification.ts';
import { createOutbound, type OutboundPolicy, toFailureWords } from '../outbound/outbound.ts';
import type { Store } from '../store/store.ts';
import { deleteWhere, listWhere, type Row, updateWhere } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';
import { followConditions, type Observed } from './notices.ts';

interface NotifierDeps {
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
/** Longest time of one attempt, in milliseconds. */
const POST_MS = 15_000;
/** Bytes of an answer that are read before its connection is closed. */
const ANSWER_MAX = 16 * 1_024;
/** Longest pause that a receiver may ask for, in milliseconds. */
const RETRY_AFTER_MAX_MS = 3_600_000;

const NO_SECRET =
  'the file of the secret cannot be read, or holds no secret: whsec_ and base64 are wanted';

/** Creates the notifier of one lead, which sends receivers what happens. */
export function createNotifier(deps: NotifierDeps) {
  const { store, clock, policy, observe, events } = deps;
  const { receivers } = policy;
  const outbound = createOutbound(policy, POST_MS);
  // Another lead goes on with what this one has not stored.
  const onFailure = (error: unknown) =>
    events.failed({ type: 'notifications', id: 'store', error });
  const listen = (tell: () => void) => store.bell.listen('decided', tell);
  const timing = { clock, onFailure, restMs: LOOK_MS, listen };
  const deliveries = receivers.map((receiver) =>
    createLoop(timing, createDelivery(deps, receiver, outbound)),
  );
  const look = createLoop(timing, async () => {
    const observed = await observe();
    const at = clock.now();
    await store.write((tx) => followConditions(tx, receivers, observed, at));
    for (const loop of deliveries) loop.tell();
    return undefined;
  });
  const loops = [look, ...deliveries];
  let cleaning: Promise<unknown> = Promise.resolve();

  return {
    start(): void {
      // What is for other receivers than these is forgotten.
      const others = { receiver: { 'not in': receivers.map(({ name }) => name) } };
      cleaning = store.write((tx) => deleteWhere(tx, 'notices', others)).catch(onFailure);
      if (receivers.length > 0) for (const loop of loops) loop.start();
    },
    /** Resolves when nothing is sent any more. */
    async stop(): Promise<void> {
      const ends = loops.map((loop) => loop.stop());
      await outbound.close();
      await Promise.all([cleaning, ...ends]);
    },
  };
}

type Outbound = ReturnType<typeof createOutbound>;

/**
 * Creates the turns that send one receiver what is due. A receiver that is down is asked with one message a turn; one that refuses a message gets the others.
 */
function createDelivery(
  { store, clock, random, events }: NotifierDeps,
  receiver: Receiver,
  outbound: Outbound,
) {
  const { name } = receiver;
  let failures = 0;
  let downAt = 0;

  function note({ kind, error = '' }: PostResult): void {
    events.notified({ receiver: name, result: kind === 'delivered' ? kind : 'failed' });
    if (kind === 'down') {
      if (failures === 0) {
        downAt = clock.now();
        events.receiverDown({ receiver: name, reason: error });
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
    const { id, phase } = row;
    const attempts = row.attempts + 1;
    const save = (change: Partial<Row<'notices'>>) =>
      store.write((tx) => updateWhere(tx, 'notices', { id }, change));
    // It is not to be sent any more.
    if ((await save({ attempts })).length === 0) return true;
    const { kind, error = null, retryAfterMs = 0 } = await post(outbound, receiver, row, clock);
    note({ kind, error: error ?? '' });
    if (kind !== 'delivered') {
      const longestMs = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
      const waitMs = Math.max(longestMs * (0.75 + random() / 4), retryAfterMs);
      await save({ due_at: Math.round(clock.now() + waitMs), error });
    } else if (phase === 'began') {
      // The receiver knows that the condition holds.
      await save({ phase: 'active', error: null });
    } else {
      await store.write((tx) => deleteWhere(tx, 'notices', { id }));
    }
    return kind !== 'down';
  }

  return async (signal: AbortSignal): Promise<undefined> => {
    const now = clock.now();
    const due = { receiver: name, phase: { '<>': 'active' }, due_at: { '<=': now } } as const;
    const rows = await listWhere(store.read, 'notices', due, { order: ['since', 'key'] });
    // What an operator tries comes first, then the oldest.
    rows.sort((a, b) => Number(b.type === 'test') - Number(a.type === 'test'));
    for (const row of rows) {
      if (signal.aborted || !(await send(row))) break;
    }
  };
}

/** Result of one attempt; `down`: it says nothing of this notification. */
interface PostResult {
  readonly kind: 'delivered' | 'refused' | 'down';
  readonly error?: string;
  readonly retryAfterMs?: number;
}

/** Sends a message once. Never throws. */
async function post(
  outbound: Outbound,
  receiver: Receiver,
  message: Pick<Row<'notices'>, 'id' | 'body'>,
  clock: Clock,
): Promise<PostResult> {
  // Nothing of the error is logged: it may quote the secret.
  const headers = await toHeaders(receiver, message, clock.now()).catch(() => undefined);
  if (headers === undefined) return { kind: 'down', error: NO_SECRET };
  try {
    const request = { method: 'POST', headers, body: message.body } as const;
    const { body, statusCode, headers: said } = await outbound.send(receiver.url, request);
    await body.dump({ limit: ANSWER_MAX });
    if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered' };
    const error = `answered with ${statusCode}`;
    const isDown = statusCode >= 500 || statusCode === 429 || statusCode === 408;
    if (!isDown) return { kind: 'refused', error };
    return {
      kind: 'down',
      error,
      retryAfterMs: parseRetryAfter(`${said['retry-after']}`, clock.now()),
    };
  } catch (error) {
    return { kind: 'down', error: toFailureWords(error) };
  }
}

/** @see https://www.standardwebhooks.com (read 2026-11-22) */
async function toHeaders(
  { secretFile }: Receiver,
  { id, body }: Pick<Row<'notices'>, 'id' | 'body'>,
  now: number,
) {
  const headers = { 'content-type': 'application/json' };
  if (secretFile === undefined) return headers;
  // Read each time, so that a new secret needs no restart.
  const secret = (await readFile(secretFile, 'utf8')).trim();
  return {
    ...headers,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(now), body),
  };
}

/** Seconds or a date (RFC 9110 §10.2.3), in milliseconds; 0 for anything else. */
function parseRetryAfter(text: string, now: number): number {
  const askedMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Math.min(Math.max(askedMs || 0, 0), RETRY_AFTER_MAX_MS);
}
