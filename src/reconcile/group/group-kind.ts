import {
  ask,
  askOnly,
  type Cells,
  done,
  isWaiting,
  listWaiting,
  onlyWaiting,
  withEcho,
} from '../../domain/cell.ts';
import {
  endEntities,
  isEntityField,
  listEntityFields,
  listWantedEntities,
  restartEntities,
  seeEntities,
} from '../../domain/entity.ts';
import { endRest } from '../../domain/failure.ts';
import {
  type GroupField,
  type GroupState,
  listGroupDifferences,
  type ObservedGroup,
  toDesiredGroup,
} from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { endChange, restartLink } from '../../domain/link.ts';
import { normaliseName } from '../../domain/name.ts';
import { type GroupPolicy, planGroup, toPlannableGroup } from '../../plan/plan-group.ts';
import { toGroupChanges } from '../../plan/to-changes.ts';
import { isRuled } from '../../rules/fields.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import { noteMissing } from '../../store/drifts.ts';
import {
  hasWaiting,
  parseCells,
  parseStored,
  toChangedColumns,
} from '../../store/engine/columns.ts';
import { toDoneUpTo } from '../../store/in-flight.ts';
import { addInspection } from '../../store/inspections.ts';
import { changeLinks, changeNamed, deleteAllLinks } from '../../store/links/links.ts';
import { observeLinks } from '../../store/links/observe.ts';
import { listWaitingLinks, readWaiting } from '../../store/links/waiting.ts';
import { findGroupByUpstream } from '../../store/resources/by-upstream.ts';
import { findRow, type GroupRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import { isLinked, NO_IDS, toGroupState, toObservedGroup } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { groupAdmins, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { ReconcileDeps } from '../deps.ts';
import { claimOvertaken } from '../lost-calls.ts';
import type { Recorded } from '../recorded.ts';
import type { Recording, ResourceKind } from '../resource-kind.ts';
import { isStale, toDoneColumns, toSuccessColumns } from '../retry-columns.ts';
import { applyGroupAction } from './apply.ts';
import { linkGroup } from './link-group.ts';
import type { GroupKnown, GroupStep, GroupTypes } from './outcome.ts';
import { revertGroup } from './revert.ts';

/** Length of one wait for more changes, in milliseconds: requests that are on their way keep the process busy for longer. */
const PAUSE_MS = 3;
/** Largest number of waits: a quarter of a second in all. */
const PAUSES_MAX = 80;
/** Waiting changes of members and admins that a step is planned from, at least. */
const LINKS_MIN = 100;

/** Makes the kind of groups, with their members and admin lists. */
export function createGroupKind(deps: ReconcileDeps): ResourceKind<GroupTypes> {
  return {
    existence: 'existence',
    load: (db, id) => load(db, deps, id),
    plan: (state) => planGroup(state, toPolicy(deps)),
    toPlannable: toPlannableGroup,
    toChanges: toGroupChanges,
    toSentCreate: (action) =>
      action.kind === 'create-group' ? { name: action.displayName } : undefined,
    apply: applyGroupAction,
    gather: (state) => gather(deps, state),
    lock: (tx, { id }) => lockRow(tx, { type: 'group', id }),
    async save(tx, { original }, row) {
      const ended = { ...row, in_flight: 0, steps: original.steps + 1 };
      await updateRow(tx, row, toChangedColumns(original, ended));
    },
    toState: (db, row, now) => toState(db, deps, row, now),
    isRenamed: (row, { desired }) => row.name !== desired.displayName,
    toHeldNames: ({ observed }) =>
      observed ? { displayName: normaliseName(observed.displayName) } : {},
    findHolder: (tx, { ids }) => (ids === undefined ? undefined : findGroupByUpstream(tx, ids)),
    link: linkGroup,
    toDoneRow,
    settle,
    end,
    isRuled,
    revert: revertGroup,
    withoutOver: (cells, { entities }) => endEntities<GroupField>(cells, entities),
    removes: ({ deleted }, links) => links.removes || deleted,
    async leave(tx, row) {
      await deleteAllLinks(tx, row);
      return [];
    },
    // A deleted group that the service does not know has no members.
    isOut: (row) => !isLinked(row),
    follow,
  };
}

/** Plans batches only while the service is not known to refuse them. */
function toPolicy({ policy, quirks }: ReconcileDeps): GroupPolicy {
  const { groupDeletion: deletion, membersPerCall: largest } = policy;
  const { memberForm, membersPerCall = largest } = quirks.current();
  const many = Math.min(membersPerCall, largest);
  return { membersPerCall: memberForm === 'single' ? 1 : many, deletion };
}

/** The state with the waiting changes for one plan: as many as two calls can carry. */
async function toState(
  db: Db,
  deps: ReconcileDeps,
  row: GroupRow,
  now: number,
): Promise<GroupState> {
  const limit = Math.max(toPolicy(deps).membersPerCall * 2, LINKS_MIN);
  const inactiveWait = deps.quirks.current().inactiveMembers === false;
  return toGroupState(row, await listWaitingLinks(db, row, { limit, now, inactiveWait }));
}

async function load(db: Db, deps: ReconcileDeps, id: string): Promise<GroupState | undefined> {
  const row = await findRow(db, { type: 'group', id });
  if (row === undefined) return undefined;
  const now = deps.clock.now();
  const state = toPlannableGroup(await toState(db, deps, row, now), now);
  // A create may have left, so look before creating again.
  const mayExist = state.sentCreates.length > 0 && isWaiting(state.cells.existence);
  return mayExist && !state.deleted ? { ...state, mustLook: true } : state;
}

/**
 * Gathers the changes that providers send as many requests at the same time. When some came during a call, more are
 * expected: while they come, and for a quarter of a second at most, the run waits, so that they go in one call.
 */
async function gather(deps: ReconcileDeps, next: GroupState): Promise<GroupState> {
  let state = next;
  const { membersPerCall } = toPolicy(deps);
  for (let pauses = 0; pauses < PAUSES_MAX; pauses += 1) {
    const { length } = state.links;
    if (state.mustLook || length === 0 || length >= membersPerCall) break;
    await deps.clock.sleep(PAUSE_MS);
    const loaded = await load(deps.store.read, deps, state.id);
    if (loaded === undefined || loaded.version === state.version) break;
    state = loaded;
  }
  return state;
}

async function settle(tx: Db, row: GroupRow, step: Recording<GroupTypes>, known: GroupKnown) {
  await recordLinks(tx, row, step, known);
  const claimed = await claimOvertaken(tx, row, step);
  // While roles in an entity wait, a call may have changed them, so the entities are to be listed.
  const isDoubted = listWaiting(parseCells<GroupField>(claimed)).some(isEntityField);
  const next = step.planned.mustLook && isDoubted ? { ...claimed, entities: null } : claimed;
  return { row: next, notified: [] };
}

/** The row after a step that worked, beside its ids. */
function toDoneRow(row: GroupRow, step: Recording<GroupTypes>, known: GroupKnown): GroupRow {
  const observed = known.observed ?? toTouched(row, known, step.now);
  const left = toCellsAfter(row, step, known);
  // A look is an observation, so that what the service refused is tried again.
  const after = step.planned.mustLook ? endRest(left, step.now, 'refused') : left;
  const { entities } = known;
  const cells = entities === undefined ? after : seeEntities<GroupField>(after, entities);
  return {
    ...row,
    ...(entities !== undefined && { entities: JSON.stringify(entities) }),
    ...toDoneColumns(row, step),
    ...(observed === undefined ? {} : { observed: JSON.stringify(observed) }),
    cells: JSON.stringify(cells),
  };
}

/** Cells of the group after a step of the group itself. */
function toCellsAfter(
  row: GroupRow,
  { planned }: Pick<GroupStep, 'planned'>,
  { doneFields, echo, ids, observed }: GroupKnown,
): Cells<GroupField> {
  const cells = parseCells<GroupField>(row);
  const heard: Cells<GroupField> =
    echo === undefined ? cells : withEcho(cells, 'displayName', echo);
  // A look at a group that is to be removed finds it: its removal still waits.
  const held = doneFields?.filter((field) => field !== 'existence' || row.deleted_at === null);
  const left = held === undefined || isStale(row) ? heard : done(heard, planned.cells, held);
  const isNew = ids !== undefined && observed !== undefined && !isLinked(row);
  if (!isNew || row.deleted_at !== null) return left;
  // Every difference of a new group becomes pending; an old one has only its pending fields.
  const desired = toDesiredGroup(parseStored<JsonObject>(row.attributes));
  const fields = [...listGroupDifferences(desired, observed, heard), ...listEntityFields(heard)];
  const claim = cells.existence?.pending ?? planned.cells.existence?.pending ?? row.version;
  return ask(left, fields, claim);
}

/**
 * A call that changed members or admins shows that the group is there. A list that was asked for before the call ended
 * may still show those of before, so the time of the call stands beside the times of looks.
 */
function toTouched(
  row: GroupRow,
  { links: [link] = [], ids }: GroupKnown,
  now: number,
): ObservedGroup | undefined {
  const observed = toObservedGroup(row);
  if (observed === undefined || link === undefined) return undefined;
  if (ids?.scimId !== undefined) {
    return { ...observed, shownAt: now, at: now, by: scim.updateGroup.id };
  }
  const isMember = link.list === 'member';
  const { id: by } = isMember ? groupUsers.addUserToGroup : groupAdmins.addAdminToGroup;
  return { ...observed, at: now, by };
}

/** Stores who was seen in the group, and which changes of members and admins hold now. */
async function recordLinks(
  tx: Db,
  row: GroupRow,
  { planned, original }: Recording<GroupTypes>,
  { links = [], memberIds, adopted }: GroupKnown,
): Promise<void> {
  // The result of a call may be undone by now: the look that is due tells.
  if (links.length > 0 && !isStale(original)) {
    await changeNamed(tx, row, links, (link, made) => endChange(link, made, planned.version));
  }
  if (memberIds) {
    const baseline = adopted ? 1 : row.origin === null ? null : 0;
    const seen = { upstreamUserIds: memberIds, baseline, doneUpTo: toDoneUpTo(row) };
    await observeLinks(tx, row, { ...seen, list: 'member' });
  }
}

/** Follows the rules after a step that took a write back or adopted the group. */
async function follow(
  tx: Db,
  { rules, outcome, original, reverted, now }: Recording<GroupTypes>,
  recorded: Recorded<GroupState>,
): Promise<Recorded<GroupState>> {
  const isAdopted = outcome.kind === 'done' && outcome.known.adopted === true;
  if (recorded.undone.length === 0 && !isAdopted) return recorded;
  const { id } = original;
  await enterRules(tx, rules, 'names');
  const before = isAdopted ? undefined : toRuledName(original);
  const after = toRuledName(await findRow(tx, { type: 'group', id }));
  const news = { id, before, after, users: reverted, nested: 'all' } as const;
  const { notifies } = await followGroup(tx, rules, news, now);
  return notifies ? { ...recorded, notified: [...recorded.notified, id] } : recorded;
}

/**
 * Ends a group that the service does not have. A deleted group is done. A wanted one is created anew where something
 * waits for it; otherwise the next comparison reports it.
 */
async function end(
  tx: Db,
  row: GroupRow,
  step: Recording<GroupTypes>,
): Promise<{ readonly row: GroupRow }> {
  if (row.deleted_at !== null || row.origin === null) {
    await deleteAllLinks(tx, row);
    const cells = JSON.stringify(onlyWaiting(parseCells<GroupField>(row), []));
    // A list that was asked for before may still show it.
    const modified_at = Math.max(row.modified_at, step.now);
    return { row: { ...row, ...toSuccessColumns(row), observed: null, cells, modified_at } };
  }
  const { oldest } = await readWaiting(tx, row);
  if (!hasWaiting(row) && oldest === undefined && row.observed !== null) {
    await addInspection(tx, { type: 'group', id: row.id }, { source: 'discovery', now: step.now });
    return { row: { ...row, ...toSuccessColumns(row) } };
  }
  const desired = { displayName: row.name };
  await noteMissing(tx, { type: 'group', id: row.id, desired }, step.now);
  await changeLinks(tx, row, {}, (link) => restartLink(link, row.version));
  const cells = restartEntities<GroupField>(parseCells(row));
  const changed: GroupRow = {
    ...row,
    ...toSuccessColumns(row),
    observed: null,
    ...NO_IDS,
    entities: null,
    cells: JSON.stringify(askOnly(cells, ['existence', ...listWantedEntities(cells)], row.version)),
  };
  return { row: changed };
}
