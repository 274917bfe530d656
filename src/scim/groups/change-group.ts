import { isDeepStrictEqual } from 'node:util';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import { toDesiredGroup } from '../../domain/group.ts';
import { toGroupFields } from '../../domain/group-write.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listTakenFromGroup, onlyTaken } from '../../domain/protection.ts';
import { enterRules } from '../../rules/follow.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listByName } from '../../store/resources/by-name.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { invalidValue, ScimError } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { assertAdoptable } from '../writes/adoption.ts';
import { assertGroupWithinLimits, lockOwn, toTaken } from '../writes/wall.ts';
import type { GroupWriteResult, WriteTarget } from '../writes/write-result.ts';
import { adoptableGroups, takeOver } from './create-group.ts';
import type { FindPlace, LinkEdit } from './edit-links.ts';
import { assertPermissions, findKept } from './protect-group.ts';
import { storeGroupChange } from './store-change.ts';

/** State of a group that a PUT or PATCH asks for. */
export interface GroupTarget {
  readonly attributes: JsonObject;
  /** Attributes that the request names (`toWrittenName`). */
  readonly names: ReadonlySet<string>;
  readonly edits: readonly LinkEdit[];
  /** True where nobody is to be added, as when the rest of the request is refused. */
  readonly onlyRemoves?: boolean;
  readonly placeOf: FindPlace;
}

/** A PUT or PATCH of one group. */
export interface GroupChangeCall extends WriteTarget {
  /** Attributes and lists after the change; may read the users of the group. */
  change(tx: Db, row: GroupRow, before: JsonObject): Promise<GroupTarget>;
  readonly repairs: Repairs;
}

/**
 * Stores a change of a group in one transaction.
 * @throws ScimError 404, 412, 403 (privileged, or beyond the wall), 409 (another group has the name), 400
 * @throws PrivilegeUnknown
 */
export async function storeGroup(
  tx: Db,
  deps: ProviderDeps,
  { change, repairs, ...written }: GroupChangeCall,
): Promise<GroupWriteResult> {
  await enterRules(tx, deps.rules, 'users');
  const row = await lockOwn(tx, deps, 'group', written);
  const before = parseStored<JsonObject>(row.attributes);
  const asked = { row, before, target: await change(tx, row, before) };
  const target = await findAllowed(tx, deps, { asked, repairs });
  const { attributes, names, edits } = target;
  if (row.origin === null && !isChange(before, target)) {
    // A write that changes nothing adopts nothing.
    return { type: 'group', id: row.id, row, undo: undefined };
  }
  const isRenamed = attributes.displayName !== row.name;
  if (row.origin === null || isRenamed) await enterRules(tx, deps.rules, 'names');
  const managed = row.origin === null ? await adopt(tx, deps, row) : row;
  const removes = edits.some(({ op }) => op !== 'add');
  return storeGroupChange(tx, deps, {
    ...target,
    row: managed,
    origin: row.origin,
    before,
    fields: toGroupFields(names),
    keeps: removes ? await findKept(tx, deps, { row: managed, edits }) : undefined,
    isNew: false,
    repairs,
  });
}

interface AskedTarget {
  readonly row: GroupRow;
  readonly before: JsonObject;
  readonly target: GroupTarget;
}

/** The target or, where the rest is refused, what the request takes alone. @throws ScimError 400, 403, 409 */
async function findAllowed(
  tx: Db,
  deps: ProviderDeps,
  { asked, repairs }: { readonly asked: AskedTarget; readonly repairs: Repairs },
): Promise<GroupTarget> {
  const { row, before, target } = asked;
  try {
    await assertAllowed(tx, deps, asked);
    return target;
  } catch (error) {
    if (!(error instanceof ScimError) || !repairs.leaveOut) throw error;
    repairs.leaveOut(error);
    const taken = listTakenFromGroup({
      before: toDesiredGroup(before),
      after: toDesiredGroup(target.attributes),
      observed: toObservedGroup(row),
      isInService: true,
      fields: toGroupFields(target.names),
    });
    const change = { before, after: target.attributes, urn: GROUP_EXTENSION };
    const less: GroupTarget = { ...target, ...onlyTaken(change, taken), onlyRemoves: true };
    await assertAllowed(tx, deps, { row, before, target: less });
    return less;
  }
}

async function assertAllowed(
  tx: Db,
  deps: ProviderDeps,
  { row, before, target }: AskedTarget,
): Promise<void> {
  if (target.names.size > 0) {
    assertPermissions(deps, before, target.attributes);
    await assertNameFree(tx, deps, { row, attributes: target.attributes });
  }
  await assertGroupWithinLimits(tx, deps, { row, ...target });
}

/** True when a write of an observed group asks for something; an edit of a list always does. */
function isChange(before: JsonObject, { attributes, edits }: GroupTarget): boolean {
  const { schemas: _, ...held } = before;
  const { schemas: __, ...wanted } = attributes;
  return edits.length > 0 || !isDeepStrictEqual(held, wanted);
}

async function adopt(tx: Db, deps: ProviderDeps, row: GroupRow): Promise<GroupRow> {
  await assertAdoptable(tx, deps, { kind: adoptableGroups, row });
  return takeOver(tx, deps, row);
}

async function assertNameFree(
  tx: Db,
  deps: ProviderDeps,
  { row, attributes }: { readonly row: GroupRow; readonly attributes: JsonObject },
): Promise<void> {
  const { displayName } = attributes;
  if (typeof displayName !== 'string' || displayName.trim() === '') {
    throw invalidValue('A Group needs a displayName.');
  }
  if (displayName === row.name) return;
  const nameFolded = foldCase(displayName);
  if (nameFolded === row.name_folded) return;
  const live = await listByName(tx, 'group', nameFolded);
  const holder = live.find(({ id }) => id !== row.id);
  if (holder) throw toTaken(deps, holder, { type: 'Group', attribute: 'displayName' });
}
