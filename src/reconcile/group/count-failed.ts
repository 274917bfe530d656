import { listWaiting } from '../../domain/cell.ts';
import { exhaust, fail } from '../../domain/failure.ts';
import type { GroupField } from '../../domain/group.ts';
import { normaliseName } from '../../domain/name.ts';
import { toPlannableGroup } from '../../plan/plan-group.ts';
import { parseCells, toCellColumns } from '../../store/engine/columns.ts';
import { type GroupRow, toGroupState } from '../../store/groups/groups.ts';
import { readWaiting } from '../../store/links/waiting.ts';
import { failLinks, markExhausted } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import { failedDelayMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import { listGroupLinks } from './finish-step.ts';
import {
  type GroupOutcome,
  type GroupPart,
  type GroupStep,
  groupByProblem,
  groupRefusedLinks,
} from './outcome.ts';
import { listStillPlanned } from './refuse.ts';

/** Failures after which a run stops trying other parts; each costs a look. */
const GOING_ON_MAX = 5;

/** Group of which a part failed. */
interface FailedGroup {
  readonly row: GroupRow;
  /** True when another part of the group is tried at once. */
  readonly goesOn: boolean;
}

/**
 * Counts an attempt at the failed parts. A part that failed by its own fault rests by itself, and the run goes on with
 * the others. While the service may be out, the whole group waits, and begins with the other parts.
 */
export async function countFailed(
  tx: Db,
  row: GroupRow,
  step: GroupStep,
  { parts: failed = [], problem }: Extract<GroupOutcome, { kind: 'unknown' }>,
): Promise<FailedGroup> {
  const { isOwn, failures, now } = step;
  const counted = await countParts(tx, row, step, { parts: failed, problem });
  if (counted === undefined) return { row, goesOn: false };
  const changed = { ...row, cells: counted.cells };
  if (!isOwn) return { row: changed, goesOn: false };
  const links = await listGroupLinks(tx, row.id, step);
  const state = toPlannableGroup(toGroupState(changed, links), now);
  const waits = listWaiting(state.cells).length + state.members.length + state.admins.length > 0;
  if (waits) return { row: changed, goesOn: failures <= GOING_ON_MAX };
  return {
    row: { ...changed, due_at: Math.min(row.due_at ?? now, ...counted.times) },
    goesOn: false,
  };
}

/** Counts a failed look as an attempt at all that waits for it; of an outage nothing counts. */
export async function countFailedLook(
  tx: Db,
  row: GroupRow,
  step: GroupStep,
  { failedLook, problem }: Extract<GroupOutcome, { kind: 'later' }>,
): Promise<GroupRow> {
  if (!failedLook || !step.isOwn) return row;
  const { cells, members, admins } = step.planned;
  const parts: GroupPart[] = [
    ...listWaiting(cells).map((field) => ({ kind: 'field', field }) as const),
    ...members.map((change) => ({ kind: 'member', change }) as const),
    ...admins.map((change) => ({ kind: 'admin', change }) as const),
  ];
  const counted = await countParts(tx, row, step, { parts, problem });
  if (counted === undefined) return row;
  // No step follows that would find them exhausted.
  await markExhausted(tx, row.id, step);
  const waiting = await readWaiting(tx, row.id, step.now);
  const failed = exhaust(parseCells<GroupField>(counted), step.attemptsMax, step.now);
  return { ...row, ...toCellColumns(failed, waiting.stuck), due_at: Math.min(...counted.times) };
}

/** Failed parts and their problem. */
interface Failure {
  readonly parts: readonly GroupPart[];
  /** Problem of the parts that have none of their own. */
  readonly problem: Problem;
}

/**
 * Counts an attempt at each part that still is as planned. Returns the column `cells` and the times of the next
 * attempts (epoch milliseconds); undefined when later writes have changed all parts.
 */
export async function countParts(
  tx: Db,
  row: GroupRow,
  { planned, isOwn, attemptsMax, now, random }: GroupStep,
  { parts: failed, problem }: Failure,
): Promise<{ readonly cells: string; readonly times: readonly number[] } | undefined> {
  const parts = await listStillPlanned(tx, row, { planned, parts: failed });
  if (parts.length === 0) return undefined;
  const times: number[] = [];
  const toRetryAt = (attempts: number) => {
    const retryAt = isOwn ? now + failedDelayMs(attempts, attemptsMax, random) : now;
    times.push(retryAt);
    return retryAt;
  };
  const failing = { isOwn, toRetryAt };
  for (const { told, same } of groupByProblem(parts, problem)) {
    for (const { table, changes } of groupRefusedLinks(same)) {
      await failLinks(tx, table, row.id, { ...failing, changes, problem: told });
    }
  }
  const fields = parts.flatMap((part) => (part.kind === 'field' ? [part.field] : []));
  const held = planned.observed ? { displayName: normaliseName(planned.observed.displayName) } : {};
  const cells = fail(parseCells<GroupField>(row), { ...failing, fields, problem, held });
  return { cells: JSON.stringify(cells), times };
}
