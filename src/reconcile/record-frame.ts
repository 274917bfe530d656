import { type Cells, isWaiting } from '../domain/cell.ts';
import { parseCells } from '../store/engine/columns.ts';
import { isLinked, type ResourceRow } from '../store/resources/rows.ts';
import { LOST_CREATE } from '../store/resources/sent-creates.ts';
import type { Db } from '../store/store.ts';
import { assertLead } from './lead.ts';
import {
  GONE,
  planNextLostLook,
  type Recorded,
  recordOutcome,
  withoutCreate,
  withoutFailedCreate,
} from './recorded.ts';
import type { KindTypes, Recorder, Step } from './resource-kind.ts';
import {
  isStale,
  type Postponed,
  toRetryColumns,
  toSuccessColumns,
  toUnsureColumns,
} from './retry-columns.ts';

/**
 * Records the result of a step and its consequences in one transaction. Finishes the run unless there is a next step.
 * @throws BridgeError `not-leading`
 */
export async function recordEnded<T extends KindTypes>(
  tx: Db,
  kind: Recorder<T>,
  step: Step<T>,
): Promise<Recorded<T['state']>> {
  const asKnown = await kind.recordAsKnown(tx, step);
  if (asKnown !== undefined) return asKnown;
  await assertLead(tx, step.lead);
  const { planned, outcome } = step;
  const row = await kind.lock(tx, planned);
  if (row === undefined) return { finished: true, ...GONE, undone: [], notified: [] };
  const handed = await kind.handOver(tx, row, step);
  if (handed) return { finished: true, ...GONE, undone: [], notified: handed };
  const recording = { ...step, original: row, isKnown: false, reverted: [] };
  const left = withoutFailedCreate(row, step);
  const recorded = await recordOutcome(outcome, {
    // Whatever has the names that the resource had when its create left is not the resource.
    done: (known) =>
      known.adopted && kind.isRenamed(row, planned)
        ? kind.finish(tx, withoutCreate(row, planned), recording)
        : kind.done(tx, left, recording, known),
    refused: (refusal) => kind.refused(tx, left, recording, refusal),
    postponed: (delay) => kind.postponed(tx, left, recording, delay),
  });
  return kind.follow(tx, recording, recorded);
}

/** State that a step was planned from, as far as looks and creates are concerned. */
interface LookPlanned {
  readonly mustLook: boolean;
  readonly cells: Cells<'account' | 'existence'>;
}

function isExistenceOf({ account, existence }: LookPlanned['cells']): boolean {
  return isWaiting(account) || isWaiting(existence);
}

/** True when the step that ended may have created the resource. */
function mayHaveCreated(row: ResourceRow, planned: LookPlanned): boolean {
  return !isLinked(row) && !planned.mustLook && isExistenceOf(planned.cells);
}

/** True for a look at the lost create of a resource that is deleted, or that nothing is created for any more. */
export function isLostLook(row: ResourceRow, { mustLook }: LookPlanned): boolean {
  if (row.lost_looks === 0 || isLinked(row) || !mustLook) return false;
  return row.deleted_at !== null || !isExistenceOf(parseCells(row));
}

/**
 * The row after a look that did not find the lost create, which is looked for again a bounded number of times; `isLast`:
 * no look is left.
 */
export function toAfterLostLook<Row extends ResourceRow>(
  row: Row,
  now: number,
): { readonly next: Row; readonly isLast: boolean } {
  const lost_looks = row.lost_looks - 1;
  const due_at = planNextLostLook(lost_looks, now);
  const next: Row = { ...row, ...toSuccessColumns(row), failing_since: null, lost_looks };
  if (due_at === undefined) return { next, isLast: true };
  return { next: { ...next, must_look: 1, due_at }, isLast: false };
}

/** The row after a step that is tried again: when, and what its call may have left. */
export function toRetriedRow<Row extends ResourceRow>(
  row: Row,
  outcome: Postponed,
  {
    planned,
    ...step
  }: { readonly planned: LookPlanned & { readonly version: number } } & Parameters<
    typeof toRetryColumns
  >[2],
): Row {
  const lost = mayHaveCreated(row, planned)
    ? outcome.kind === 'unknown' && LOST_CREATE
    : toUnsureColumns(row, outcome, planned);
  return { ...row, ...toRetryColumns(row, outcome, step), ...lost };
}

/** Keeps a refused look owed, unless nothing waits for the resource itself any more. */
export function keepLook<Row extends ResourceRow>(
  row: Row,
  { planned }: { readonly planned: LookPlanned },
): Row {
  if (!planned.mustLook) return row;
  const isOwed = isExistenceOf(parseCells(row)) || isStale(row);
  return { ...row, must_look: isOwed ? 1 : 0 };
}
