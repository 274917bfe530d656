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

interface Target {
  readonly receiver: Receiver;
  readonly at: number;
  /** True for a notice that the receiver asked for. */
  readonly wants: (notice: Notice | undefined) => notice is Notice;
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
    const wants = (notice: Notice | undefined): notice is Notice =>
      notice !== undefined && isAsked([notice.type]);
    const target: Target = { receiver, at, wants };
    const known = rows.filter((row) => row.receiver === receiver.name);
    await followFor(tx, target, known, conditions);
    for (const notice of news) {
      if (wants(notice)) await putNotice(tx, toRow(target, notice, { key: notice.type }));
    }
  }
}

async function followFor(
  tx: Db,
  target: Target,
  rows: readonly Row<'notices'>[],
  conditions: readonly Condition[],
): Promise<void> {
  const current = new Set(conditions.map(({ key }) => key));
  const known = new Map(rows.map((row) => [row.key, row]));
  for (const condition of conditions) {
    const isPartSent = condition.partOf !== undefined && current.has(condition.partOf);
    const row = known.get(condition.key);
    if (row !== undefined || !isPartSent) await begin(tx, target, condition, row);
  }
  for (const row of rows) if (!current.has(row.key)) await end(tx, target, row);
}

/** Stores a notice that tries a receiver, whatever it asked for, in the place of an earlier one; returns its id. */
export async function putTest(tx: Db, receiver: Receiver, at: number): Promise<string> {
  const text = 'This is a test: the bridge reaches this receiver.';
  const notice = { type: 'test', text, data: {}, names: {} };
  const row = toRow({ receiver, at }, notice, { key: 'test' });
  await putNotice(tx, row);
  return row.id;
}

async function begin(
  tx: Db,
  target: Target,
  { key, began, ended }: Condition,
  row: Row<'notices'> | undefined,
): Promise<void> {
  if (row !== undefined && row.phase !== 'ended') return;
  if (!target.wants(began) && !target.wants(ended)) return;
  const stored = ended === undefined ? null : JSON.stringify(ended);
  const phase = target.wants(began) ? 'began' : 'active';
  await putNotice(tx, toRow(target, began, { key, phase, ended: stored }));
}

async function end(tx: Db, target: Target, row: Row<'notices'>): Promise<void> {
  if (row.phase === 'ended' || row.phase === 'once') return;
  const ended = row.ended === null ? undefined : parseStored<Notice>(row.ended);
  const isNews = row.phase === 'began' && row.attempts === 0;
  if (isNews || !target.wants(ended)) {
    await deleteWhere(tx, 'notices', { id: row.id });
    return;
  }
  await putNotice(tx, toRow(target, ended, { key: row.key, phase: 'ended', ended: row.ended }));
}

/** Stores the message of a condition for a receiver, in the place of the one before. */
function putNotice(tx: Db, row: Row<'notices'>): Promise<void> {
  return putRow(tx, 'notices', ['receiver', 'key'], row);
}

/** Counts what receivers do not have yet. */
export async function countWaitingNotices(db: Db): Promise<{ receiver: string; count: number }[]> {
  const waiting = await listWhere(db, 'notices', { phase: { '<>': 'active' } });
  const byReceiver = Map.groupBy(waiting, ({ receiver }) => receiver);
  return [...byReceiver].map(([receiver, some]) => ({ receiver, count: some.length }));
}

function toRow(
  { receiver, at }: Pick<Target, 'receiver' | 'at'>,
  notice: Notice,
  standing: Pick<Row<'notices'>, 'key'> & Partial<Pick<Row<'notices'>, 'phase' | 'ended'>>,
): Row<'notices'> {
  const now = Math.round(at);
  return {
    receiver: receiver.name,
    phase: 'once',
    ended: null,
    ...standing,
    id: `msg_${newId()}`,
    type: notice.type,
    body: toBody(notice, receiver, now),
    since: now,
    attempts: 0,
    due_at: now,
    error: null,
  };
}
