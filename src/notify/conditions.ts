import { newId } from '../domain/ids.ts';
import { createMatcher } from '../domain/matcher.ts';
import type { Condition, Notice, Receiver } from '../domain/notification.ts';
import { parseStored } from '../store/engine/columns.ts';
import type { Db } from '../store/store.ts';
import { deleteWhere, listWhere, putRow, type Row } from '../store/tables.ts';
import { toBody } from './render.ts';

/** State of a bridge as receivers get it. */
export interface Observed {
  readonly conditions: readonly Condition[];
  /** Finds what has happened since the last time and does not end, in the transaction that stores it. */
  readonly findNews: (tx: Db) => Promise<readonly Notice[]>;
}

/**
 * Stores in one transaction what each receiver is to get now, by what holds and what it knows, whichever process led
 * before. A condition that ends before anything of it was sent is not sent at all.
 */
export async function followConditions(
  tx: Db,
  receivers: readonly Receiver[],
  { conditions, findNews }: Observed,
  at: number,
): Promise<void> {
  const rows = await listWhere(tx, 'notices', {});
  const news = await findNews(tx);
  for (const receiver of receivers) {
    const isAsked = createMatcher(receiver.events);
    const target = { receiver, at, wants: ({ type }: Notice) => isAsked([type]) };
    const known = new Map(
      rows.flatMap((row) => (row.receiver === receiver.name ? [[row.key, row]] : [])),
    );
    await begin(tx, target, conditions, known);
    for (const { key } of conditions) known.delete(key);
    for (const row of known.values()) await end(tx, target, row);
    for (const notice of news.filter(target.wants)) {
      await putNotice(tx, target, notice, { key: notice.type, phase: 'once' });
    }
  }
}

interface Target {
  readonly receiver: Receiver;
  /** Epoch milliseconds. */
  readonly at: number;
  /** True for a notice that the receiver asked for. */
  readonly wants: (notice: Notice) => boolean;
}

/** Stores what begins, where the receiver asked for its beginning or its end. */
async function begin(
  tx: Db,
  target: Target,
  conditions: readonly Condition[],
  known: ReadonlyMap<string, Row<'notices'>>,
): Promise<void> {
  for (const { key, began, ended } of conditions) {
    const row = known.get(key);
    if (row !== undefined && row.phase !== 'ended') continue;
    const isWanted = target.wants(began);
    if (!isWanted && (ended === undefined || !target.wants(ended))) continue;
    const stored = ended === undefined ? null : JSON.stringify(ended);
    const phase = isWanted ? 'began' : 'active';
    await putNotice(tx, target, began, { key, phase, ended: stored });
  }
}

/** Stores that a condition has ended, where the receiver knows of it. */
async function end(tx: Db, target: Target, row: Row<'notices'>): Promise<void> {
  const { id, key, phase, attempts, ended } = row;
  if (phase === 'ended' || phase === 'once') return;
  const notice = ended === null ? undefined : parseStored<Notice>(ended);
  const isKnown = phase === 'active' || attempts > 0;
  if (isKnown && notice !== undefined && target.wants(notice))
    await putNotice(tx, target, notice, { key, phase: 'ended', ended });
  else await deleteWhere(tx, 'notices', { id });
}

/** Stores a notice that tries a receiver, whatever it asked for, in the place of an earlier one; returns its id. */
export function putTest(tx: Db, receiver: Receiver, at: number): Promise<string> {
  const text = 'This is a test: the bridge reaches this receiver.';
  const notice = { type: 'test', text, data: {}, names: {} };
  return putNotice(tx, { receiver, at }, notice, { key: 'test', phase: 'once' });
}

/** Counts what receivers do not have yet. */
export async function countWaitingNotices(db: Db): Promise<{ receiver: string; count: number }[]> {
  const waiting = await listWhere(db, 'notices', { phase: { '<>': 'active' } });
  const byReceiver = Map.groupBy(waiting, ({ receiver }) => receiver);
  return [...byReceiver].map(([receiver, some]) => ({ receiver, count: some.length }));
}

/** Stores the message of a condition for a receiver, in the place of the one before; returns its id. */
async function putNotice(
  tx: Db,
  { receiver, at }: Pick<Target, 'receiver' | 'at'>,
  notice: Notice,
  standing: Pick<Row<'notices'>, 'key' | 'phase'> & Partial<Pick<Row<'notices'>, 'ended'>>,
): Promise<string> {
  const now = Math.round(at);
  const id = `msg_${newId()}`;
  await putRow(tx, 'notices', ['receiver', 'key'], {
    ended: null,
    ...standing,
    id,
    receiver: receiver.name,
    type: notice.type,
    body: toBody(notice, receiver, now),
    since: now,
    attempts: 0,
    due_at: now,
    error: null,
  });
  return id;
}
