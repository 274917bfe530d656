import { readFile } from 'node:fs/promises';
import { Webhook } from 'standardwebhooks';
import type { Clock, Loop } from '../domain/clock.ts';
import { createLoop, followOutage } from '../domain/clock.ts';
import { createMatcher } from '../domain/name.ts';
import { BridgeError, newId } from '../domain/values.ts';
import type { OutboundPolicy } from '../outbound/outbound.ts';
import { createOutbound, toFailureWords } from '../outbound/outbound.ts';
import { parseStored } from '../store/engine/columns.ts';
import type { Db, Store } from '../store/store.ts';
import type { Row } from '../store/tables.ts';
import { deleteWhere, listWhere, putAll, updateWhere } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';

/** Program or channel that gets messages. */
interface Receiver {
  readonly name: string;
  readonly url: string;
  /** File of the secret with which it proves that the bridge has sent it; absent: nothing is signed. */
  readonly secretFile?: string | undefined;
  /** Patterns of the types that it gets, in which `*` stands for any text. */
  readonly events: readonly string[];
  /** Body that it understands: Standard Webhooks, or a message of a chat. */
  readonly format: 'standard' | 'slack' | 'teams';
  /** True: names of people and credentials are sent as well, and not their ids alone. */
  readonly names: boolean;
}

/** Something that happened, before it is written for a receiver. */
export interface Notice {
  /** Such as `reason.began`, `drift.found.user.activated`, `leaver.late`. */
  readonly type: string;
  readonly text: string;
  /** Ids, codes, counts, times. */
  readonly data: Readonly<Record<string, string | number | null>>;
  /** Names beside them, for receivers that get names. */
  readonly names: Readonly<Record<string, string>>;
}

/** State with a message when it begins and, if `ended` is set, when it ends. */
export interface Condition {
  /** Tells it from all others. */
  readonly key: string;
  readonly began: Notice;
  readonly ended?: Notice;
}

/** State of a bridge as receivers get it. */
export interface Observed {
  readonly conditions: readonly Condition[];
  /** Finds what has happened since the last time and does not end, in the transaction that stores it. */
  readonly findNews: (tx: Db) => Promise<readonly Notice[]>;
}

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
/** The same without a receiver. */
const IDLE_MS = 3_600_000;
/** First wait after a failure, doubled with each further one, and the longest; in milliseconds. */
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;
/** Longest time of one attempt, in milliseconds. */
const POST_MS = 15_000;
/** Bytes of an answer that are read before its connection is closed. */
const ANSWER_MAX = 16 * 1_024;

const NO_SECRET =
  'the file of the secret cannot be read, or holds no secret: whsec_ and base64 are wanted';

/** Creates the notifier of one lead, which sends receivers what happens. */
export function createNotifier(deps: NotifierDeps): Loop {
  const { store, clock, policy, observe, events } = deps;
  const { receivers } = policy;
  const outbound = createOutbound(policy, POST_MS);
  const onFailure = (error: unknown) => {
    // Another lead goes on with what this one has not stored.
    const isOver = error instanceof BridgeError && error.code === 'not-leading';
    if (!isOver) events.failed({ type: 'notifications', id: 'store', error });
  };
  const listen = (tell: () => void) => store.bell.listen('decided', tell);
  const deliveries = receivers.map((receiver) => createDelivery(deps, receiver, outbound));
  const others = { receiver: { 'not in': receivers.map(({ name }) => name) } };
  const restMs = receivers.length === 0 ? IDLE_MS : LOOK_MS;
  const loop = createLoop({ clock, onFailure, restMs, listen }, async (signal) => {
    const observed = receivers.length === 0 ? undefined : await observe();
    const at = Math.round(clock.now());
    await store.write(async (tx) => {
      // What is for other receivers than these is forgotten.
      await deleteWhere(tx, 'notices', others);
      if (observed) await followConditions(tx, receivers, observed, at);
    });
    await Promise.all(deliveries.map((deliver) => deliver(signal)));
    return undefined;
  });

  return {
    ...loop,
    async stop(): Promise<void> {
      const end = loop.stop();
      await outbound.close();
      await end;
    },
  };
}

/** A message that fails waits, and ends the turn: the next turn sends others. */
function createDelivery(
  { store, clock, random, events }: NotifierDeps,
  receiver: Receiver,
  outbound: ReturnType<typeof createOutbound>,
) {
  const { name } = receiver;
  const follow = followOutage(
    clock,
    (reason: string) => events.receiverDown({ receiver: name, reason }),
    (outage) => events.receiverUp({ receiver: name, ...outage }),
  );

  /** Returns the failure in words; undefined: the receiver has it. Never throws. */
  async function post(message: Row<'notices'>): Promise<string | undefined> {
    // Nothing of the error is logged: it may quote the secret.
    const headers = await toHeaders(receiver, message, clock.now()).catch(() => undefined);
    if (headers === undefined) return NO_SECRET;
    try {
      const request = { method: 'POST', headers, body: message.body } as const;
      const { body, statusCode } = await outbound.send(receiver.url, request);
      await body.dump({ limit: ANSWER_MAX });
      const isTaken = statusCode >= 200 && statusCode < 300;
      return isTaken ? undefined : `answered with ${statusCode}`;
    } catch (error) {
      return toFailureWords(error);
    }
  }

  /** False: the receiver did not take it. */
  async function send(row: Row<'notices'>): Promise<boolean> {
    const { id } = row;
    const attempts = row.attempts + 1;
    const save = (change: Partial<Row<'notices'>>) =>
      store.write((tx) => updateWhere(tx, 'notices', { id }, { attempts, ...change }));
    const error = await post(row);
    events.notified({ receiver: name, result: error ? 'failed' : 'delivered' });
    follow(error);
    if (error !== undefined) {
      const longestMs = Math.min(FIRST_WAIT_MS * 2 ** (attempts - 1), LONGEST_WAIT_MS);
      const dueAt = clock.now() + longestMs * (0.75 + random() / 4);
      await save({ due_at: Math.round(dueAt), error });
    } else if (row.phase === 'began') {
      // The receiver knows that the condition holds.
      await save({ phase: 'active', error: null });
    } else {
      await store.write((tx) => deleteWhere(tx, 'notices', { id }));
    }
    return error === undefined;
  }

  return async (signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const due = { receiver: name, phase: { '<>': 'active' }, due_at: { '<=': now } } as const;
    const rows = await listWhere(store.read, 'notices', due, { order: ['since', 'key'] });
    // What an operator tries comes first, then the oldest.
    rows.sort((a, b) => Number(b.type === 'test') - Number(a.type === 'test'));
    for (const row of rows) if (signal.aborted || !(await send(row))) break;
  };
}

/** @see https://www.standardwebhooks.com (read 2026-11-22) */
async function toHeaders({ secretFile }: Receiver, { id, body }: Row<'notices'>, now: number) {
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

interface Message extends Pick<Row<'notices'>, 'key' | 'phase'> {
  readonly notice: Notice;
  readonly ended?: Notice | undefined;
}

/** Stores the messages about what began, ended or happened. `at` is epoch milliseconds. */
async function followConditions(
  tx: Db,
  receivers: readonly Receiver[],
  { conditions, findNews }: Observed,
  at: number,
): Promise<void> {
  // Only a clock that was set back since leaves a longer wait.
  const late = { due_at: { '>': at + LONGEST_WAIT_MS } };
  await updateWhere(tx, 'notices', late, { due_at: at });
  const lasting = { phase: { '<>': 'once' } } as const;
  const rows = Map.groupBy(await listWhere(tx, 'notices', lasting), ({ receiver }) => receiver);
  const news = await findNews(tx);
  const holding = new Set(conditions.map(({ key }) => key));
  for (const receiver of receivers) {
    const isAsked = createMatcher(receiver.events);
    const wants = (notice: Notice | undefined) => notice !== undefined && isAsked([notice.type]);
    const known = rows.get(receiver.name) ?? [];
    const keys = new Set(known.map(({ key }) => key));
    const begun = conditions.filter(
      ({ key, began, ended }) => !keys.has(key) && (wants(began) || wants(ended)),
    );
    const messages: Message[] = [
      ...begun.map(({ key, began: notice, ended }) => {
        return { key, notice, phase: wants(notice) ? 'began' : 'active', ended } as const;
      }),
      ...news.filter(wants).map((notice) => ({ notice, key: notice.type, phase: 'once' }) as const),
    ];
    for (const { id, key, ended } of known.filter((one) => !holding.has(one.key))) {
      const notice = ended === null ? undefined : parseStored<Notice>(ended);
      if (notice && wants(notice)) messages.push({ notice, key, phase: 'once' });
      else await deleteWhere(tx, 'notices', { id });
    }
    for (const message of messages) await putNotice(tx, receiver, message, at);
  }
}

/** Stores a notice that tries a receiver, whatever it asked for, in the place of an earlier one; returns its id. */
export function putTest(tx: Db, receiver: Receiver, at: number): Promise<string> {
  const text = 'This is a test: the bridge reaches this receiver.';
  const notice = { type: 'test', text, data: {}, names: {} };
  return putNotice(tx, receiver, { notice, key: 'test', phase: 'once' }, Math.round(at));
}

/** Counts what receivers do not have yet. */
export async function countWaitingNotices(db: Db): Promise<{ receiver: string; count: number }[]> {
  const waiting = await listWhere(db, 'notices', { phase: { '<>': 'active' } });
  const byReceiver = Map.groupBy(waiting, ({ receiver }) => receiver);
  return [...byReceiver].map(([receiver, some]) => ({ receiver, count: some.length }));
}

async function putNotice(
  tx: Db,
  receiver: Receiver,
  { notice, key, phase, ended }: Message,
  at: number,
): Promise<string> {
  const id = `msg_${newId()}`;
  const row = {
    id,
    receiver: receiver.name,
    key,
    phase,
    ended: ended ? JSON.stringify(ended) : null,
    type: notice.type,
    body: toBody(notice, receiver, at),
    since: at,
    attempts: 0,
    due_at: at,
    error: null,
  };
  await putAll(tx, 'notices', ['receiver', 'key'], [row]);
  return id;
}

/** Characters of a text or value; a body is a few of them. */
const TEXT_MAX = 1_000;

/** Body of a notification of a time (epoch milliseconds), in the form of its receiver. */
export function toBody(notice: Notice, { format, names }: Receiver, at: number): string {
  const shown = names ? Object.values(notice.names).join(', ') : '';
  const text = toLimit(shown === '' ? notice.text : `${notice.text} (${shown})`);
  if (format === 'slack') return JSON.stringify({ text: `*scim-bridge* ${toSlackText(text)}` });
  if (format === 'teams') return JSON.stringify(toCard(text));
  const data = Object.entries({ ...notice.data, ...(names && notice.names) }).map(
    ([name, value]) => [name, typeof value === 'string' ? toLimit(value) : value] as const,
  );
  return JSON.stringify({
    type: notice.type,
    timestamp: new Date(at).toISOString(),
    data: { text, ...Object.fromEntries(data) },
  });
}

/** @see https://api.slack.com/reference/surfaces/formatting#escaping (read 2026-11-22) */
function toSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * A message with one adaptive card. The text is a run, because a block reads Markdown: words of the service could make
 * links of it.
 * @see https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook (read 2026-11-22)
 * @see https://adaptivecards.io/explorer/RichTextBlock.html (1.2; Teams shows cards up to 1.5)
 */
function toCard(text: string) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', text: 'scim-bridge', weight: 'Bolder' },
      { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] },
    ],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

function toLimit(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}
