import { listWaiting } from '../domain/cell.ts';
import { findProblem } from '../domain/failure.ts';
import { parseCells, toCellColumns, toDueClass } from '../store/engine/columns.ts';
import {
  markExhausted,
  NOTHING_WAITING,
  readWaiting,
  type WaitingSummary,
} from '../store/links/waiting.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import { toRestingRow } from './lost-calls.ts';
import { type Recorded, toProgress } from './recorded.ts';
import type { KindTypes, Recording, ResourceKind } from './resource-kind.ts';
import { NOTHING_FAILS, toFailureColumns, toLeftCells } from './retry-columns.ts';

/** Plans again from the new state: clears pending parts that hold, and finishes the run unless there is a next step. */
export async function finishStep<T extends KindTypes>(
  tx: Db,
  kind: ResourceKind<T>,
  row: T['row'],
  step: Recording<T>,
  { undone = [], notified = [] }: Partial<Pick<Recorded<T['state']>, 'undone' | 'notified'>> = {},
): Promise<Recorded<T['state']>> {
  const { now, attemptsMax } = step;
  const all = await kind.toState(tx, row, now);
  // A deferred change may hold by now, and then nothing else waits for it.
  const left = toLeftCells(parseCells<T['field']>(row), kind.plan(all).done, step);
  const cells = kind.withoutOver(left.cells, all);
  const state = kind.toPlannable({ ...all, cells }, now);
  const isOver = kind.plan(state).actions.length === 0;
  const held = await readLinks(tx, row, now);
  const isExhausted = isOver && (held.failed?.attempts ?? 0) >= attemptsMax;
  const links = isExhausted ? await readExhausted(tx, row, step) : held;
  const isWaiting = listWaiting(cells).length > 0 || links.oldest !== undefined;
  const failure = {
    attempts: Math.max(left.attempts, links.failed?.attempts ?? 0),
    problem: links.stuck?.problem ?? findProblem(cells) ?? links.failed?.problem,
    now,
  };
  const next: T['row'] = {
    ...row,
    ...toCellColumns(cells, links.stuck),
    ...(isWaiting ? toFailureColumns(row, failure) : NOTHING_FAILS),
    due_class: toDueClass(kind.removes({ ...state, cells }, links)),
  };
  if (!isOver) {
    await kind.save(tx, step, { ...next, due_at: now });
    return { finished: false, state, undone, notified };
  }
  const times = [left.retryAt, links.nextRetryAt].filter((at) => at !== undefined);
  const rested = { ...next, due_at: times.length === 0 ? null : Math.min(...times) };
  const isSure = isWaiting || row.unsure_since === null;
  await kind.save(tx, step, isSure ? rested : await toRestingRow(tx, rested, step));
  const isOut = row.deleted_at !== null && kind.isOut(row, { ...state, cells });
  const groups = isOut ? await kind.leave(tx, row, now) : [];
  const progress = toProgress(next, links.oldest);
  return { finished: true, ...progress, undone, notified: [...notified, ...groups] };
}

/** Waiting changes of the lists of a row; a user has none. */
export async function readLinks(tx: Db, row: ResourceRow, now: number): Promise<WaitingSummary> {
  return row.type === 'user' ? NOTHING_WAITING : readWaiting(tx, row, now);
}

/** The same, once those that failed too often are marked as stuck. */
export async function readExhausted(
  tx: Db,
  row: ResourceRow,
  step: Parameters<typeof markExhausted>[2],
): Promise<WaitingSummary> {
  if (row.type === 'group') await markExhausted(tx, row, step);
  return readLinks(tx, row, step.now);
}
