import { isDeepStrictEqual } from 'node:util';
import {
  ask,
  askOnly,
  type Cells,
  done,
  isWaiting,
  withEcho,
  withoutEchoes,
} from '../../domain/cell.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { endRest } from '../../domain/failure.ts';
import type { JsonObject } from '../../domain/json.ts';
import { normaliseName } from '../../domain/name.ts';
import { NOT_THERE } from '../../domain/refusal.ts';
import type { FieldsOfKind } from '../../domain/undo.ts';
import {
  isObservedActive,
  listUserDifferences,
  removesUserAccess,
  toDesiredUser,
  toSentUser,
  type UserField,
  type UserState,
} from '../../domain/user.ts';
import { planUser, toPlannableUser } from '../../plan/plan-user.ts';
import { toUserChanges } from '../../plan/to-changes.ts';
import { isRuled } from '../../rules/fields.ts';
import { followUser } from '../../rules/follow.ts';
import { noteMissing } from '../../store/drifts.ts';
import {
  hasWaiting,
  parseCells,
  parseStored,
  toChangedColumns,
  toUserColumns,
} from '../../store/engine/columns.ts';
import { addInspection } from '../../store/inspections.ts';
import {
  forgetLinksOf,
  leaveGroups,
  lockGroupsOf,
  notifyGroupsOf,
} from '../../store/links/of-users.ts';
import { findUserByUpstreamId } from '../../store/resources/by-upstream.ts';
import { saveEmails } from '../../store/resources/known-names.ts';
import {
  endObserved,
  findRow,
  lockRow,
  type UserRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { toObservedUser, toUserState } from '../../store/resources/state.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { claimOvertaken } from '../lost-calls.ts';
import type { Recorded } from '../recorded.ts';
import { revertColumns } from '../refuse.ts';
import type { Recording, RefusedWrite, ResourceKind } from '../resource-kind.ts';
import { isStale, toDoneColumns, toSuccessColumns } from '../retry-columns.ts';
import { applyUserAction } from './apply.ts';
import { isRenamedSince, linkAccount, takeAccount } from './link-account.ts';
import { toObservedColumns, toUnmanagedAttributes } from './observe.ts';
import type { UserKnown, UserStep, UserTypes } from './outcome.ts';
import { followSeats } from './seats.ts';

/** Makes the kind of users. */
export function createUserKind(deps: ReconcileDeps): ResourceKind<UserTypes> {
  const { deactivation } = deps.policy;
  return {
    existence: 'account',
    async load(db, id) {
      const row = await findRow(db, { type: 'user', id });
      if (row === undefined) return undefined;
      const state = toPlannableUser(toUserState(row), deps.clock.now());
      // A create may have left, so look before creating again.
      const mayExist = state.sentCreates.length > 0 && isWaiting(state.cells.account);
      return mayExist ? { ...state, mustLook: true } : state;
    },
    plan(state) {
      const { addressMayChange = true } = deps.quirks.current();
      return planUser(state, { deactivation, addressMayChange });
    },
    toPlannable: toPlannableUser,
    toChanges: toUserChanges,
    toSentCreate: (action) => (action.kind === 'create-user' ? toSentUser(action) : undefined),
    apply: applyUserAction,
    async lock(tx, { id, deleted }) {
      await lockGroupsOf(tx, id, deleted ? 'all' : 'waiting');
      return lockRow(tx, { type: 'user', id });
    },
    save,
    toState: async (_tx, row) => toUserState(row),
    isRenamed: (row, { desired }) =>
      !isDeepStrictEqual(toSentUser(toUserState(row).desired), toSentUser(desired)),
    toHeldNames: ({ observed }) => (observed ? { name: normaliseName(observed.fullName) } : {}),
    findHolder: (tx, { upstreamId }) =>
      upstreamId === undefined ? undefined : findUserByUpstreamId(tx, upstreamId),
    link: linkAccount,
    toDoneRow: (row, step, known) => toDoneRow(row, { ...step, deactivation }, known),
    settle,
    end,
    isRuled,
    revert: async (_tx, row, step, write) => revertUser(row, step, write),
    withoutOver: (cells) => cells,
    removes: removesUserAccess,
    // The account is deactivated first, and leaves the groups after that. A plan may hold its deactivation.
    leave: (tx, row, now) => leaveGroups(tx, row.id, now),
    isOut: (_row, { upstreamId, observed, cells }) =>
      upstreamId === undefined ||
      observed === undefined ||
      isWaiting(cells.active) ||
      !isObservedActive(observed, deactivation),
    follow,
  };
}

/** Stores the row with its shown addresses, and what follows for those who wait for a seat. */
async function save(tx: Db, step: Recording<UserTypes>, row: UserRow): Promise<void> {
  const { original } = step;
  const ended = { ...row, in_flight: 0, steps: original.steps + 1 };
  await updateRow(tx, row, toChangedColumns(original, ended), original);
  await saveEmails(tx, original, row);
  await followSeats(tx, step, row);
}

/** Follows the rules for a user whose write was taken back, or whose account was just found to be in groups. */
async function follow(
  tx: Db,
  { rules, outcome, planned, now }: Recording<UserTypes>,
  recorded: Recorded<UserState>,
): Promise<Recorded<UserState>> {
  const isLinked =
    outcome.kind === 'done' &&
    outcome.known.upstreamId !== undefined &&
    planned.upstreamId === undefined;
  if (recorded.undone.length === 0 && !isLinked) return recorded;
  const notifies = await followUser(tx, rules, planned.id, now);
  return notifies ? { ...recorded, notified: [...recorded.notified, planned.id] } : recorded;
}

type DoneStep = UserStep & Pick<ReconcileDeps['policy'], 'deactivation'>;

function toDoneRow(row: UserRow, step: DoneStep, known: UserKnown): UserRow {
  // The result of a call may be undone by now: the look that follows shows it.
  const after = toCellsAfter(row, step, isStale(row) ? { ...known, doneFields: [] } : known);
  // A look is an observation, so that what the service refused is tried again.
  const cells = step.planned.mustLook ? endRest(after, step.now, 'refused') : after;
  return {
    ...row,
    ...(known.observed ? toObservedColumns(row, known.observed) : {}),
    ...toDoneColumns(row, step),
    cells: JSON.stringify(cells),
  };
}

async function settle(tx: Db, row: UserRow, step: Recording<UserTypes>, { upstreamId }: UserKnown) {
  const claimed = await claimOvertaken(tx, row, step);
  const next = await takeAccount(tx, claimed, upstreamId, step.now);
  // Groups that waited for this account, its activation or its deactivation can go on.
  const changesAccess = upstreamId !== undefined || isWaiting(step.planned.cells.active);
  const notified = changesAccess ? await notifyGroupsOf(tx, row.id, step.now) : [];
  return { row: next, notified };
}

/** Cells after a step: every difference of a new account waits, and of an old account what waited and is not done. */
function toCellsAfter(
  row: UserRow,
  { planned, deactivation }: DoneStep,
  known: UserKnown,
): Cells<UserField> {
  const { desired, cells } = toUserState(row);
  const { echo, observed } = known;
  const heard = echo === undefined ? cells : withEcho(cells, 'name', echo);
  const left = done(heard, planned.cells, known.doneFields ?? []);
  if (known.upstreamId === undefined || observed === undefined) return left;
  const said = echo === undefined ? {} : withEcho<UserField>({}, 'name', echo);
  const found = listUserDifferences(desired, observed, said, deactivation);
  // The address stays as the service made it; another one that is wanted by now is tried.
  const isRenamed = !known.adopted && isRenamedSince(desired, parseStored(row.sent_creates));
  const isTried = (field: UserField) => field !== 'address' || isRenamed;
  // The last write that claimed the account is answered for all of it.
  const version = cells.account?.pending ?? planned.cells.account?.pending ?? row.version;
  return ask(
    left,
    found.filter((field) => field === 'active' || (row.deleted_at === null && isTried(field))),
    version,
  );
}

/**
 * Ends a user whom the service does not have. A write that would have taken the account over is refused, and the user is
 * forgotten. Else, where something waits for it, a wanted account is created anew, and an unwanted one is done.
 * Otherwise the next comparison reports it.
 */
async function end(tx: Db, row: UserRow, step: Recording<UserTypes>) {
  const takeover = step.undos.find(
    ({ version, undo }) => undo.before?.origin === null && version === row.version,
  );
  if (takeover !== undefined && row.deleted_at === null) {
    await endObserved(tx, row, step.now);
    return { undone: [{ version: takeover.version, problem: NOT_THERE }] };
  }
  if (!hasWaiting(row) && row.observed !== null && row.deleted_at === null) {
    await addInspection(tx, { type: 'user', id: row.id }, { source: 'discovery', now: step.now });
    return { row: { ...row, ...toSuccessColumns(row) } };
  }
  const wanted = row.deleted_at === null && row.active === 1 && row.origin !== null;
  const cells = withoutEchoes(parseCells<UserField>(row));
  // Its memberships are forgotten, and the wanted ones wait to be made again.
  await forgetLinksOf(tx, row.id);
  if (wanted)
    await noteMissing(tx, { type: 'user', id: row.id, desired: { active: true } }, step.now);
  const changed: UserRow = {
    ...row,
    ...toObservedColumns(row, undefined),
    upstream_id: null,
    ...toSuccessColumns(row),
    // Another account may have been made since: an active user is created, any other is looked for.
    cells: JSON.stringify(askOnly(cells, row.origin === null ? [] : ['account'], row.version)),
  };
  return { row: changed };
}

/** The row after a refused write: a new user is deleted, an adopted one is unmanaged again, a deleted one is back. */
function revertUser(row: UserRow, { now }: UserStep, write: RefusedWrite<UserField>): UserRow {
  const { undo } = write.waiter;
  const { before } = undo;
  if (row.attributes === undo.after) {
    if (before?.origin === null || isTakenOver(row, undo)) return toUnmanagedUser(row);
    if (before === undefined || before.deleted) return markDeleted(row, now);
  }
  return { ...row, ...revertColumns(row, write, USER_FIELDS, toUserColumns) };
}

/** Owned fields whose desired value differs; an account that comes or goes is taken back in its own way. */
function listChanged(current: JsonObject, next: JsonObject): UserField[] {
  const [is, will] = [current, next].map((attributes) => toDesiredUser(attributes, false));
  const changed = OWNED_FIELDS.filter((field) => !isDeepStrictEqual(is?.[field], will?.[field]));
  const isAddressed = is?.userName !== will?.userName || is?.address !== will?.address;
  return isAddressed ? [...changed, 'address'] : changed;
}

const EXTENSION_FIELDS = ['appsPermissions', 'temporarilyInactive'] as const;
const OWNED_FIELDS = ['active', 'name', ...EXTENSION_FIELDS] as const;

/** Fields of a user; the address is never refused: it is tried, and the answer remembered. */
const USER_FIELDS: FieldsOfKind<UserField> = {
  existence: 'account',
  attributes: ['active', 'name'],
  urn: USER_EXTENSION,
  extension: EXTENSION_FIELDS,
  listChanged,
};

/** True when a new user was given an existing account, which is not ours to deactivate. */
function isTakenOver({ origin }: UserRow, { before }: Undo): boolean {
  return before === undefined && origin === 'adopted';
}

/** Row of a user that is unmanaged again, and shown as the service holds it. */
export function toUnmanagedUser(row: UserRow): UserRow {
  const observed = toObservedUser(row);
  return {
    ...row,
    ...(observed ? toUserColumns(toUnmanagedAttributes(observed)) : {}),
    origin: null,
    cells: '{}',
    version: row.version + 1,
    deleted_at: null,
  };
}

function markDeleted(row: UserRow, now: number): UserRow {
  const version = row.version + 1;
  const cells = JSON.stringify(askOnly(parseCells<UserField>(row), ['active'], version));
  return { ...row, cells, version, deleted_at: now, due_class: 0 };
}
