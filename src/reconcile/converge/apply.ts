import { isDeepStrictEqual } from 'node:util';
import type { Cells } from '../../domain/cell.ts';
import {
  ask,
  done,
  edit,
  forgetSent,
  isWaiting,
  listSent,
  listWaiting,
  OF_OTHER,
  withEcho,
} from '../../domain/cell.ts';
import { isEntityField, listEntityFields, seeEntities } from '../../domain/entity.ts';
import { isLinked, toSentUser, withCreated } from '../../domain/kinds.ts';
import { endChange, endDoubt } from '../../domain/link.ts';
import { askDoubted } from '../../domain/write.ts';
import type { Field } from '../../plan/step.ts';
import { listFields, listLinks } from '../../plan/step.ts';
import { enterRules, followGroup, followUser, toRuledName } from '../../rules/follow.ts';
import { NOTHING_OPEN } from '../../store/engine/columns.ts';
import { changeLinks, changeNamed, hasLink, observeLinks } from '../../store/links/links.ts';
import { leaveGroups, moveLinks, notifyGroupsOf } from '../../store/links/of-users.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { findRow, listRows, updateRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { updateWhere } from '../../store/tables.ts';
import type { Known } from '../outcome.ts';
import { toObservedColumns } from '../user/account.ts';
import type { Recording } from './finish.ts';
import { changeCells } from './finish.ts';
import { EXISTENCE } from './step.ts';

/** Applies what a step that worked has shown, to the row, its links, and other rows. */
export async function applyKnown(r: Recording, known: Known): Promise<void> {
  const { row } = r;
  const cells = toCellsAfter(r, known);
  if (row.type === 'group') r.row = await applyGroup(r, { ...row, cells }, known);
  else await applyUser(r, { ...row, cells }, known);
}

/** Cells after a step: what it made waits no more, and of what was just linked all waits, until it is seen to hold. */
function toCellsAfter({ row, step, isStale }: Recording, known: Known): Cells<Field> {
  const { cells, type } = row;
  const { echo, ids, done: made = [] } = known;
  const name = type === 'user' ? 'name' : 'displayName';
  const heard = echo === undefined ? cells : withEcho<Field>(cells, name, echo);
  // A look at a group that is to be removed finds it: its removal still waits.
  const isOver = (field: Field) => field !== 'existence' || row.deleted_at === null;
  // The result of a call may be undone by now: the look that follows shows it.
  const left = isStale ? heard : done(heard, step.state.cells, listFields(made).filter(isOver));
  if (ids === undefined || (type === 'group' && isLinked(row))) return left;
  // No other call than creates has left before a group is known.
  const free = type === 'user' ? left : forgetSent(left, listSent(left));
  const existence = EXISTENCE[type];
  const claim = cells[existence]?.pending ?? step.state.cells[existence]?.pending ?? row.version;
  return ask(free, listNewFields(row, known), claim);
}

const USER_FIELDS = ['name', 'appsPermissions', 'temporarilyInactive'] as const;
const GROUP_FIELDS = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;

/** The fields that wait once a row is linked: an address stays as the service made it, unless it changed since. */
function listNewFields(row: ResourceRow, { adopted, group }: Known): Field[] {
  const { cells, sent_creates: creates } = row;
  if (row.type === 'user') {
    if (row.deleted_at !== null) return ['active'];
    const wanted = toSentUser(toUserState(row).desired);
    const isMade =
      creates.length === 0 || creates.some((create) => isDeepStrictEqual(create, wanted));
    return ['active', ...USER_FIELDS, ...(adopted || isMade ? [] : ['address' as const])];
  }
  // What a lost create has left of a deleted group is removed.
  if (row.deleted_at !== null) return creates.length > 0 ? ['existence'] : [];
  return group === undefined ? [] : [...GROUP_FIELDS, ...listEntityFields(cells)];
}

async function applyUser(r: Recording, row: UserRow, known: Known): Promise<void> {
  const { tx, step, now } = r;
  r.row = known.observed ? { ...row, ...toObservedColumns(row, known.observed) } : row;
  const account = known.ids?.upstream_id ?? null;
  if (row.deleted_at === null && account !== null) await takeAccount(r, account);
  // Groups that waited for this account, its activation or its deactivation can go on.
  const changesAccess =
    known.ids !== undefined || (step.state.type === 'user' && isWaiting(step.state.cells.active));
  if (changesAccess && (await notifyGroupsOf(tx, row.id, now)).length > 0) r.notifies = true;
}

/** Takes the account of deleted users that a live one was linked to; a call for one of them may still take effect. */
async function takeAccount(r: Recording, upstream_id: number): Promise<void> {
  const { tx, row, now } = r;
  const others = await listRows(tx, 'user', { upstream_id, deleted_at: { '<>': null } });
  const deleted = others.filter(({ id }) => id !== row.id);
  if (deleted.length === 0) return;
  for (const other of deleted) {
    const { id, version } = other;
    await leaveGroups(tx, id, now);
    await moveLinks(tx, 'user', other, row);
    await updateWhere(tx, 'own_calls', { resource_id: id }, { resource_id: row.id });
    // What it was about to do is not to be done any more.
    const nothing = { ...NOTHING_OPEN, upstream_id: null, version: version + 1 };
    await updateRow(tx, other, nothing);
  }
  r.row = { ...row, must_look: row.must_look + 1 };
  const doubts = deleted.flatMap((one) => one.unsure_until ?? []);
  if (doubts.length === 0) return;
  r.row = { ...r.row, unsure_until: Math.max(...doubts, row.unsure_until ?? 0) };
  changeCells(r, (cells) =>
    edit(cells, ['active', ...USER_FIELDS], (cell) => ({ ...cell, sent: OF_OTHER })),
  );
}

/** The row of a group after a step that worked; what was seen in its lists, and which of their changes hold now, is stored. */
async function applyGroup(
  { tx, step, isStale, now }: Recording,
  row: GroupRow,
  known: Known,
): Promise<GroupRow> {
  const { memberIds, adopted, entities } = known;
  const links = listLinks(known.done ?? []);
  // The result of a call may be undone by now: the look that is due shows it.
  if (links.length > 0 && !isStale) {
    await changeNamed(tx, row, links, (link, made) => endChange(link, made, step.state.version));
  }
  if (memberIds) {
    const baseline = adopted ? 1 : row.origin === null ? null : 0;
    await observeLinks(tx, row, { upstreamUserIds: memberIds, baseline, list: 'member' });
  }
  const cells = entities ? seeEntities(row.cells, entities) : row.cells;
  // While roles in an entity wait, a call may have changed them, so the entities are to be listed.
  const isDoubted = step.state.mustLook && listWaiting(cells).some(isEntityField);
  return {
    ...row,
    entities: isDoubted ? null : (entities ?? row.entities),
    observed: toObserved(row, known, now),
    cells,
  };
}

/** Observation after a step. A call that changed a list shows that the group is there. */
function toObserved({ observed }: GroupRow, { group, done: made = [] }: Known, at: number) {
  if (group) return { ...group, ...withCreated(observed, group.created) };
  return observed && listLinks(made).length > 0 ? { ...observed, at } : observed;
}

/** Ends the doubt about lost calls, once a look has shown what they did and they cannot come late: that is put right. */
export async function endDoubts(r: Recording): Promise<void> {
  const { tx, step, row, deps } = r;
  const { version, unsure_until, sent_creates } = row;
  const isOpen = unsure_until !== null || sent_creates.length > 0;
  if (!isOpen || step.at < (unsure_until ?? 0) || !step.state.mustLook) return;
  const { deactivation } = deps.policy;
  if (row.type === 'group' && (await hasLink(tx, row, 'sent'))) {
    await changeLinks(tx, row, {}, (link) =>
      link.sent === undefined ? link : endDoubt(link, version),
    );
  }
  const sent = listSent(row.cells);
  const entities = sent.some(isEntityField) ? null : row.entities;
  r.row = { ...row, unsure_until: null, sent_creates: [], entities };
  // What is seen to hold waits for nothing then.
  const asked = sent.filter((field) => field !== EXISTENCE[row.type]);
  changeCells(r, (cells) => askDoubted(forgetSent(cells, sent), asked, { version, deactivation }));
}

/** Has the rules follow a step that took a write back, adopted a group, or found an account that may be in groups. */
export async function followStep(r: Recording): Promise<void> {
  const { tx, deps, outcome, original, undone, reverted: users, now } = r;
  const { adopted = false, ids } = outcome.kind === 'done' ? outcome.known : {};
  const { type, id } = original;
  if (type === 'user') {
    const isLinked = ids !== undefined && r.step.row.upstream_id === null;
    if (undone.length === 0 && !isLinked) return;
    if (await followUser(tx, deps.rules, id, now)) r.notifies = true;
    return;
  }
  if (undone.length === 0 && !adopted) return;
  await enterRules(tx, deps.rules, 'names');
  const before = adopted ? undefined : toRuledName(original);
  const after = toRuledName(await findRow(tx, { type, id }));
  const news = { id, before, after, users, nested: 'all' } as const;
  const { notifies } = await followGroup(tx, deps.rules, news, now);
  if (notifies) r.notifies = true;
}
