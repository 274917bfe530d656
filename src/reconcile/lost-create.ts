import { type Cells, isWaiting } from '../domain/cell.ts';
import type { SentCreate } from '../domain/resource-state.ts';
import { parseCells } from '../store/engine/columns.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import { isLinked } from '../store/resources/state.ts';
import {
  isStale,
  type Postponed,
  toRetryColumns,
  toSuccessColumns,
  toUnsureColumns,
} from './retry-columns.ts';

/**
 * Copies the row without the create of a step that surely created nothing. Values of earlier creates stay: they may
 * have created something.
 */
export function withoutCreate<Row extends { readonly sent_creates: string }>(
  row: Row,
  { sentCreates }: { readonly sentCreates: readonly SentCreate[] },
): Row {
  return { ...row, sent_creates: JSON.stringify(sentCreates) };
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
  if (row.sent_creates === '[]' || isLinked(row) || !mustLook) return false;
  const isUnwanted = row.deleted_at !== null || (row.type === 'user' && row.active === 0);
  return isUnwanted || !isExistenceOf(parseCells(row));
}

/** Delays before the second and the last look, in milliseconds: the create may arrive late. */
const DELAYS_MS = [60_000, 15 * 60_000];

/**
 * The row after a look that did not find the lost create. It is looked for again until it cannot arrive any more; `isLast`:
 * no look is left.
 */
export function toAfterLostLook<Row extends ResourceRow>(
  row: Row,
  now: number,
): { readonly next: Row; readonly isLast: boolean } {
  const next: Row = { ...row, ...toSuccessColumns(row), failing_since: null };
  // Nothing was created since then.
  const ageMs = now - Math.max(row.modified_at, row.deleted_at ?? 0);
  const delayMs = DELAYS_MS.find((ms) => ageMs < ms);
  if (delayMs === undefined) return { next: { ...next, sent_creates: '[]' }, isLast: true };
  return { next: { ...next, must_look: 1, due_at: now + delayMs }, isLast: false };
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
  // What a create may have left is looked for by its names.
  const unsure = mayHaveCreated(row, planned) ? {} : toUnsureColumns(row, outcome, planned);
  return { ...row, ...toRetryColumns(row, outcome, step), ...unsure };
}

/** Keeps a refused look planned, unless nothing waits for the resource itself any more. */
export function keepLook<Row extends ResourceRow>(
  row: Row,
  { planned }: { readonly planned: LookPlanned },
): Row {
  if (!planned.mustLook) return row;
  const isNeeded = isExistenceOf(parseCells(row)) || isStale(row);
  return { ...row, must_look: isNeeded ? 1 : 0 };
}
