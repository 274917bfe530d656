import { newId } from '../domain/ids.ts';
import { createMatcher } from '../domain/matcher.ts';
import type { Condition, Notice, Receiver } from '../domain/notification.ts';
import { parseStored } from '../store/engine/columns.ts';
import type { Db } from '../store/store.ts';
import { deleteWhere, listWhere, putRow, type Row } from '../store/tables.ts';

/** State of a bridge as receivers get it. */
export interface Observed {
  readonly conditions: readonly Condition[];
  /** Finds what has happened since the last time and does not end, in the transaction that stores it. */
  readonly findNews: (tx: Db) => Promise<readonly Notice[]>;
}

/** A message for a receiver, where its condition stands, and what is sent at its end. */
interface Message extends Pick<Row<'notices'>, 'key' | 'phase'> {
  readonly notice: Notice;
  readonly ended?: Notice | undefined;
}

/**
 * Stores in one transaction what each receiver is to get now, by what holds and what it knows, whichever process led
 * before. A condition that ends before anything of it was sent is not sent at all. `at` is epoch milliseconds.
 */
export async function followConditions(
  tx: Db,
  receivers: readonly Receiver[],
  { conditions, findNews }: Observed,
  at: number,
): Promise<void> {
  const rows = Map.groupBy(await listWhere(tx, 'notices', {}), ({ receiver }) => receiver);
  const news = await findNews(tx);
  const holding = new Set(conditions.map(({ key }) => key));
  for (const receiver of receivers) {
    const isAsked = createMatcher(receiver.events);
    const wants = (notice: Notice | undefined) => notice !== undefined && isAsked([notice.type]);
    const known = rows.get(receiver.name) ?? [];
    const left = known.filter(({ key, phase }) => !holding.has(key) && !IS_OVER.has(phase));
    const active = new Set(known.filter(({ phase }) => phase !== 'ended').map(({ key }) => key));
    const begun = conditions.filter(
      ({ key, began, ended }) => !active.has(key) && (wants(began) || wants(ended)),
    );
    const messages: Message[] = [
      ...begun.map(({ key, began: notice, ended }) => {
        return { key, notice, phase: wants(notice) ? 'began' : 'active', ended } as const;
      }),
      ...news.filter(wants).map((notice) => ({ notice, key: notice.type, phase: 'once' }) as const),
    ];
    for (const { id, key, phase, attempts, ...row } of left) {
      const notice = row.ended === null ? undefined : parseStored<Notice>(row.ended);
      const isKnown = phase === 'active' || attempts > 0;
      if (notice && isKnown && wants(notice)) messages.push({ notice, key, phase: 'ended' });
      else await deleteWhere(tx, 'notices', { id });
    }
    for (const message of messages) await putNotice(tx, receiver, message, at);
  }
}

/** Phases in which nothing follows from the end of a condition. */
const IS_OVER: ReadonlySet<Row<'notices'>['phase']> = new Set(['ended', 'once']);

/** Stores a notice that tries a receiver, whatever it asked for, in the place of an earlier one; returns its id. */
export function putTest(tx: Db, receiver: Receiver, at: number): Promise<string> {
  const text = 'This is a test: the bridge reaches this receiver.';
  const notice = { type: 'test', text, data: {}, names: {} };
  return putNotice(tx, receiver, { notice, key: 'test', phase: 'once' }, at);
}

/** Counts what receivers do not have yet. */
export async function countWaitingNotices(db: Db): Promise<{ receiver: string; count: number }[]> {
  const waiting = await listWhere(db, 'notices', { phase: { '<>': 'active' } });
  const byReceiver = Map.groupBy(waiting, ({ receiver }) => receiver);
  return [...byReceiver].map(([receiver, some]) => ({ receiver, count: some.length }));
}

/** Stores a message for a receiver, in the place of the one before; returns its id. */
async function putNotice(
  tx: Db,
  receiver: Receiver,
  { notice, key, phase, ended }: Message,
  at: number,
): Promise<string> {
  const now = Math.round(at);
  const id = `msg_${newId()}`;
  await putRow(tx, 'notices', ['receiver', 'key'], {
    id,
    receiver: receiver.name,
    key,
    phase,
    ended: ended ? JSON.stringify(ended) : null,
    type: notice.type,
    body: toBody(notice, receiver, now),
    since: now,
    attempts: 0,
    due_at: now,
    error: null,
  });
  return id;
}

/** Characters of a text or value; a body is a few of them. */
const TEXT_MAX = 1_000;

/** Body of a notification of a time (epoch milliseconds), in the form of its receiver. */
export function toBody(notice: Notice, { format, names }: Receiver, at: number): string {
  const text = toText(notice, names);
  switch (format) {
    case 'slack':
      return JSON.stringify({ text: `*scim-bridge* ${toSlackText(text)}` });
    case 'teams':
      return JSON.stringify(toCard(text));
    default:
      return JSON.stringify({
        type: notice.type,
        timestamp: new Date(at).toISOString(),
        data: { text, ...toShort(notice.data), ...(names ? toShort(notice.names) : {}) },
      });
  }
}

function toText({ text, names }: Notice, hasNames: boolean): string {
  const shown = Object.values(names).join(', ');
  return toLimit(hasNames && shown !== '' ? `${text} (${shown})` : text);
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
  const head = { type: 'TextBlock', text: 'scim-bridge', weight: 'Bolder' };
  const block = { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] };
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [head, block],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

function toShort(data: Notice['data']): Notice['data'] {
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === 'string' ? toLimit(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function toLimit(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}
