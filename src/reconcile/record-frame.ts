import { type Cells, isWaiting } from '../domain/cell.ts';
import type { UserId } from '../domain/ids.ts';
import { parseCells } from '../store/engine/columns.ts';
import { type GroupRow, hasUpstreamIds } from '../store/groups/groups.ts';
import { LOST_CREATE } from '../store/resources/sent-creates.ts';
import type { Db } from '../store/store.ts';
import type { UserRow } from '../store/users/users.ts';
import { assertLead } from './lead.ts';
import type { Outcome } from './outcome.ts';
import type { Step } from './record-held.ts';
import {
  type CreatePlanned,
  GONE,
  planNextLostLook,
  type Recorded,
  recordOutcome,
  withoutCreate,
  withoutFailedCreate,
} from './recorded.ts';
import {
  isStale,
  type Postponed,
  toRetryColumns,
  toSuccessColumns,
  toUnsureColumns,
} from './retry-columns.ts';

/** Facts that recording a step has beside the step. */
export interface Recording<Row> {
  /** Row as it was read. */
  readonly original: Row;
  /** True when the row was not read, so that it may have been changed since, and nothing else waits for a group. */
  readonly isKnown: boolean;
  /** Users whose changes in a group were taken back; their rules are followed afterwards. */
  readonly reverted: UserId[];
}

/** Records one kind of end of a step. */
type RecordEnd<State, Row, AnyStep, End> = (
  tx: Db,
  row: Row,
  step: AnyStep & Recording<Row>,
  end: End,
) => Promise<Recorded<State>>;

/** Type of resource, as recording its steps needs it. */
export interface RecordKind<State, Known, Part, Row, AnyStep> {
  lock(tx: Db, planned: State): Promise<Row | undefined>;
  /** Records a step that changed what was known, without reading; undefined: the row has to be read. */
  recordAsKnown(tx: Db, step: AnyStep): Promise<Recorded<State> | undefined>;
  /**
   * Gives to a successor what the service holds of a deleted resource, which has nothing left to do then. Returns what is
   * due now; undefined: there is no successor.
   */
  handOver(tx: Db, row: Row, step: AnyStep): Promise<Recorded<State>['notified'] | undefined>;
  /** True when the resource has other names than those with which the step was planned. */
  isRenamed(row: Row, planned: State): boolean;
  readonly done: RecordEnd<State, Row, AnyStep, Known>;
  readonly refused: RecordEnd<State, Row, AnyStep, Ended<Known, Part, 'refused'>>;
  readonly postponed: RecordEnd<State, Row, AnyStep, Ended<Known, Part, 'later' | 'unknown'>>;
  /** Plans again from the new row. */
  finish(tx: Db, row: Row, step: AnyStep & Recording<Row>): Promise<Recorded<State>>;
  /** Follows the rules after the step. */
  follow(
    tx: Db,
    step: AnyStep & Recording<Row>,
    recorded: Recorded<State>,
  ): Promise<Recorded<State>>;
}

type Ended<Known, Part, Kind> = Extract<Outcome<Known, Part>, { kind: Kind }>;

/**
 * Records the result of a step and its consequences in one transaction. Finishes the run unless there is a next step.
 * @throws BridgeError `not-leading`
 */
export async function recordEnded<
  State extends CreatePlanned,
  Known extends { readonly adopted?: true },
  Part,
  Row extends { readonly sent_creates: string },
  AnyStep extends Step<State, Known, Part, Row, unknown>,
>(
  tx: Db,
  kind: RecordKind<State, Known, Part, Row, AnyStep>,
  step: AnyStep,
): Promise<Recorded<State>> {
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

/** True when the service is known to have what the row stands for. */
function isInService(row: UserRow | GroupRow): boolean {
  return 'upstream_id' in row ? row.upstream_id !== null : hasUpstreamIds(row);
}

function isExistenceOf({ account, existence }: LookPlanned['cells']): boolean {
  return isWaiting(account) || isWaiting(existence);
}

/** True when the step that ended may have created the resource. */
function mayHaveCreated(row: UserRow | GroupRow, planned: LookPlanned): boolean {
  return !isInService(row) && !planned.mustLook && isExistenceOf(planned.cells);
}

/** True for a look at the lost create of a resource that is deleted, or that nothing is created for any more. */
export function isLostLook(row: UserRow | GroupRow, { mustLook }: LookPlanned): boolean {
  if (row.lost_looks === 0 || isInService(row) || !mustLook) return false;
  return row.deleted_at !== null || !isExistenceOf(parseCells(row));
}

/**
 * The row after a look that did not find the lost create, which is looked for again a bounded number of times; `isLast`:
 * no look is left.
 */
export function toAfterLostLook<Row extends UserRow | GroupRow>(
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
export function toRetriedRow<Row extends UserRow | GroupRow>(
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
export function keepLook<Row extends UserRow | GroupRow>(
  row: Row,
  { planned }: { readonly planned: LookPlanned },
): Row {
  if (!planned.mustLook) return row;
  const isOwed = isExistenceOf(parseCells(row)) || isStale(row);
  return { ...row, must_look: isOwed ? 1 : 0 };
}
