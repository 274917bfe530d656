import { isDeepStrictEqual } from 'node:util';
import { isSameWork, isWaiting, listWaiting } from '../../domain/cell.ts';
import { OWN_EXTENSION, toWrittenName, withSchemas } from '../../domain/extensions.ts';
import type { Field } from '../../domain/kinds.ts';
import { isGone, isLinked } from '../../domain/kinds.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { toResourceKey } from '../../domain/values.ts';
import { askDoubted, onlyTaken, toFields } from '../../domain/write.ts';
import {
  combineAsked,
  isUrgent,
  listTakenFrom,
  toCellsAfter,
  toWrittenColumns,
} from '../../rules/fields.ts';
import { endUnmanaged } from '../../store/drifts.ts';
import { toTombstone } from '../../store/engine/columns.ts';
import { saveLinks } from '../../store/links/links.ts';
import { toDeparture } from '../../store/resources/backlog.ts';
import type { ResourceRow, RowOf } from '../../store/resources/rows.ts';
import { saveRow, updateRow } from '../../store/resources/rows.ts';
import type { Undo } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { ScimError } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { withLicenceNumber } from './assigned.ts';
import type { Accepted, Asked, Change, WriteKind, WriteTarget } from './kind.ts';
import { assertRoleKnown } from './kind.ts';
import { planLists } from './lists.ts';
import { assertWhole, assertWithinLimits, lockOwn } from './wall.ts';

type Type = ResourceKey['type'];

/** What the service has of each type. */
export const WORDS = { user: 'account', group: 'group' } as const;

/** Change of one user or group. */
export interface ChangeRequest<T extends Type> {
  readonly target: WriteTarget;
  /** What it asks of a resource with these attributes; may read the users of a group. */
  ask(tx: Db, row: RowOf<T>): Promise<Asked>;
  readonly repairs: Repairs;
}

/** Stores a change of a user or group. A write that changes nothing adopts nothing. @throws ScimError 400, 403, 404, 409, 412, PrivilegeUnknown */
export async function storeChange<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<T>,
  { target, ask, repairs }: ChangeRequest<T>,
): Promise<Accepted> {
  await kind.begin(tx, deps, 'change', target.id);
  const row = await lockOwn(tx, deps, kind.type, target);
  const asked = await ask(tx, row);
  const change = { row, origin: row.origin, asked, repairs };
  const allowed = { ...change, asked: await findAllowed(tx, deps, kind, change) };
  const { staged = null } = allowed.asked;
  if (staged !== row.staged) await updateRow(tx, row, { staged });
  if (row.origin !== null)
    return applyChange(tx, deps, kind, { ...allowed, row: { ...row, staged } });
  if (!isChange(allowed)) return { row, undo: undefined, takesAccess: false, notifies: false };
  await assertAdoptable(tx, deps, kind, row);
  const adopted = await takeOver(tx, deps, kind, row);
  return applyChange(tx, deps, kind, { ...allowed, row: adopted });
}

/** Stops a change of what is not managed. @throws ScimError 403 when the settings or a privilege forbid taking it over, PrivilegeUnknown */
async function assertAdoptable<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<T>,
  row: RowOf<T>,
): Promise<void> {
  const privilege = await kind.findPrivilege(tx, deps, row);
  if (privilege !== undefined) throw new ScimError(403, `${privilege} An operator can adopt it.`);
  if (deps.policy.adopt[kind.type] === 'yes') return;
  const what = WORDS[kind.type];
  throw new ScimError(403, `The ${what} is not managed, and the settings forbid taking it over.`);
}

/** Makes an unmanaged resource managed for a provider. */
export async function takeOver<T extends Type>(
  tx: Db,
  { provider, events, clock }: ProviderDeps,
  kind: WriteKind<T>,
  row: RowOf<T>,
): Promise<RowOf<T>> {
  // A takeover alone is no change that a reader sees, by which it would be found.
  await endUnmanaged(tx, row, clock.now());
  const cells = await kind.toAdoptedCells(tx, row);
  const adopted = { origin: 'adopted', provider, cells } as const;
  await updateRow(tx, row, adopted);
  events.adopted(toResourceKey(row));
  return { ...row, ...adopted };
}

/** The change or, where its rest is refused, what it takes alone. @throws ScimError 400, 403, 409 */
async function findAllowed<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  { type, toAllowed }: WriteKind<T>,
  change: Change<T>,
): Promise<Asked> {
  const { row, asked, repairs } = change;
  try {
    assertWhole(deps, type, asked, row.attributes);
    return await toAllowed(tx, deps, change);
  } catch (error) {
    if (!(error instanceof ScimError) || !repairs.leaveOut) throw error;
    repairs.leaveOut(error);
    const { attributes: after, names } = withLicenceNumber(row, asked);
    const urn = OWN_EXTENSION[type];
    const fields = toFields(type, names);
    const isTwice = (field: string) =>
      asked.names.has('entitlements') && asked.names.has(toWrittenName(urn, field));
    const taken = listTakenFrom(row, { attributes: after, cells: row.cells, fields })
      // A number of licences beside entitlements may contradict them, and is refused then.
      .filter((field) => !isTwice(field));
    const less = onlyTaken({ before: row.attributes, after, urn }, taken);
    return toAllowed(tx, deps, { ...change, asked: { ...asked, ...less, onlyRemoves: true } });
  }
}

/** True when a write of something unmanaged asks for something; an edit of a list always does. */
function isChange({ row, asked: { attributes, edits } }: Change<Type>): boolean {
  const { schemas: _, ...shown } = row.attributes;
  const { schemas: __, ...wanted } = attributes;
  return edits.length > 0 || !isDeepStrictEqual(shown, wanted);
}

/** Stores the attributes and lists that a provider wants, under the rules. One that changes nothing stores nothing. @throws ScimError 400, 403, PrivilegeUnknown */
export async function applyChange<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<T>,
  change: Change<T>,
): Promise<Accepted> {
  const { row, created } = change;
  const planned = await planChange(tx, deps, kind, change);
  const { attributes, cells, lists, taken, now } = planned;
  if (taken.length > 0 || lists.demotes) await assertMayLose(tx, deps, row);
  const stored = { ...change, lists, now };
  const isSame = lists.isSame && isSameWork(cells, row.cells);
  if (isSame && !created && isDeepStrictEqual(row.attributes, attributes)) {
    // With a version of its own while another write waits, so that taking that one back leaves this one.
    const changed = row.due_at === null ? row : { ...row, version: row.version + 1 };
    if (changed !== row) await updateRow(tx, row, { version: changed.version });
    const { removes, ...followed } = await kind.follow(tx, deps, { ...stored, changed });
    return { undo: undefined, takesAccess: removes, ...followed };
  }
  const changed = toChangedRow(change, planned);
  const saved = lists.links.map(({ list, userId, after }) => ({ ...after, list, target: userId }));
  await saveLinks(tx, row, saved);
  await saveRow(tx, row, changed);
  const followed = await kind.follow(tx, deps, { ...stored, changed });
  const isDue = isToDeliver(change, planned);
  return {
    row: followed.row,
    undo: isDue
      ? toUndo(change, changed, lists.links, [...taken, ...(lists.removes ? ['members'] : [])])
      : undefined,
    takesAccess: taken.length > 0 || lists.removes || followed.removes,
    notifies: followed.notifies,
  };
}

/** Stops a write that takes something from what is protected. @throws ScimError 403, PrivilegeUnknown */
async function assertMayLose(tx: Db, { rules }: ProviderDeps, row: ResourceRow): Promise<void> {
  assertRoleKnown(row);
  const reason = await rules.protection.findReason(tx, row);
  if (reason !== undefined) throw new ScimError(403, reason);
}

type PlannedChange = Awaited<ReturnType<typeof planChange>>;

async function planChange<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  { type, complete }: WriteKind<T>,
  change: Change<T>,
) {
  const { row, created, repairs } = change;
  const { rules, clock } = deps;
  const asked = complete(change);
  const version = created ? row.version : row.version + 1;
  const lists = await planLists(tx, deps, { row, asked, repairs, version });
  const combined = await combineAsked(tx, rules, { ...asked, row });
  const isWritten = combined.attributes !== row.attributes;
  const attributes = isWritten ? withSchemas(type, combined.attributes) : row.attributes;
  const fields = toFields(type, asked.names);
  const named = { attributes, cells: combined.cells, fields };
  const ruled = { ...named, fields: [...fields, ...combined.fields] };
  const { deactivation } = rules;
  const cells = toCellsAfter(row, ruled, { version, deactivation });
  const taken = listTakenFrom(row, named, created ? 'new' : 'known');
  // A part that is named is meant, also where it is wanted already; a whole body repeats what it does not mean to change.
  const isMeant = asked.isPart || created !== undefined;
  const meant = isMeant && isLinked(row) ? listTakenFrom(row, named, 'doubted') : taken;
  const isDoubtful = (field: Field) => meant.includes(field) && !isWaiting(cells[field]);
  const doubted = isLinked(row) ? fields.filter(isDoubtful) : [];
  return {
    attributes,
    cells: askDoubted(cells, doubted, { version, deactivation }),
    taken,
    // Something that it takes seems to be gone already: a look comes first.
    isDoubted: doubted.length > 0,
    lists,
    version,
    now: clock.now(),
  };
}

function toChangedRow<T extends Type>(change: Change<T>, planned: PlannedChange): RowOf<T> {
  const { row } = change;
  const { lists, version, now } = planned;
  const isDue = isToDeliver(change, planned);
  const isGoneDue = isDue && isGone(row.observed);
  const leaves = planned.taken.some((name) => name === 'active' || name === 'temporarilyInactive');
  return {
    ...row,
    ...toWrittenColumns(row, planned),
    ...(leaves && toDeparture(row, now)),
    ...lists.columns,
    // One that is gone is looked for, and made anew.
    ...(isGoneDue && { must_look: Math.max(row.must_look, 1) }),
    ...(planned.isDoubted && { must_look: row.must_look + 1 }),
    version,
    modified_at: Math.max(now, row.modified_at),
    due_at: isDue ? now : row.due_at,
    due_class: lists.removes || isUrgent(row, planned) ? 0 : 1,
  };
}

/** True when the service does not hold it yet. An earlier create may have left an account, also of an inactive user. */
function isToDeliver<T extends Type>(
  { row, created }: Change<T>,
  { cells, lists }: Pick<PlannedChange, 'cells' | 'lists'>,
): boolean {
  if (row.staged !== null) return false;
  const isToFind = created !== undefined && row.sent_creates.length > 0 && row.must_look > 0;
  return listWaiting(cells).length > 0 || lists.waits || isToFind;
}

function toUndo(
  { row, origin, created }: Omit<Change<Type>, 'asked' | 'repairs'>,
  changed: ResourceRow,
  links: Undo['links'],
  taken: Undo['taken'],
): Undo {
  const found = {
    attributes: row.attributes,
    origin,
    cells: row.cells,
    deleted: false,
    adminsAsked: row.admins_asked,
    innerGroups: row.inner_groups,
  };
  return {
    before: created ? created.from : found,
    after: changed.attributes,
    links: links.map(({ list, userId, before }) => ({ list, userId, before })),
    taken,
  };
}

/** Deletes a user, who is deactivated first, or a group: an adopted one loses whom the bridge put in. @throws ScimError 403, 404, 412, PrivilegeUnknown */
export async function storeDeletion<T extends Type>(
  tx: Db,
  deps: ProviderDeps,
  kind: WriteKind<T>,
  target: WriteTarget,
): Promise<Accepted> {
  await kind.begin(tx, deps, 'end', target.id);
  const row = await lockOwn(tx, deps, kind.type, target);
  await assertWithinLimits(tx, deps, kind.type, { row, attributes: undefined });
  const { origin } = row;
  if (origin === null) {
    // Some providers delete all that they do not know.
    if (deps.policy.adoptOnDelete[kind.type] === 'refuse') {
      const variable = `${kind.type.toUpperCase()}S_ADOPT_ON_DELETE`;
      const detail = `Nobody manages it through the bridge, so a DELETE leaves it alone. An operator can adopt it, or set ${variable}=yes.`;
      throw new ScimError(403, detail);
    }
    await assertAdoptable(tx, deps, kind, row);
  }
  const managed = origin === null ? await takeOver(tx, deps, kind, row) : row;
  await assertMayLose(tx, deps, managed);
  const deletion = await kind.delete(tx, deps, managed);
  const { columns, isDue } = deletion;
  const { provider, clock } = deps;
  const tombstone = toTombstone(row, { isDue, now: clock.now(), provider });
  const change = { ...tombstone, ...columns };
  await updateRow(tx, row, change);
  const notifies = await kind.forget(tx, deps, managed, deletion);
  const deleted = { ...managed, ...change };
  const undo = isDue ? toUndo({ row: managed, origin }, row, [], []) : undefined;
  return { row: deleted, undo, takesAccess: true, notifies };
}
