import { isDeepStrictEqual } from 'node:util';
import { listFoldedEmails } from '../../domain/address.ts';
import { listWaiting, withEcho } from '../../domain/cell.ts';
import { withSchemas } from '../../domain/extensions.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { findDesiredName, fullName, normaliseName } from '../../domain/name.ts';
import { listTakenFromUser } from '../../domain/protection.ts';
import { isGone } from '../../domain/resource-state.ts';
import { USER_SCHEMA_URI } from '../../domain/schemas.ts';
import { removesUserAccess, toDesiredUser, type UserField } from '../../domain/user.ts';
import { toCellsAfterWrite, toUserFields, withSuspensionEnded } from '../../domain/user-write.ts';
import { followUser } from '../../rules/follow.ts';
import { combinedForUser } from '../../rules/rule-user.ts';
import {
  parseCells,
  parseStored,
  toCellColumns,
  toChangedColumns,
  toDueClass,
  toUserColumns,
} from '../../store/engine/columns.ts';
import { isInFlight } from '../../store/in-flight.ts';
import { listAccountNames, listUsersByAnyName } from '../../store/resources/by-name.ts';
import { replaceEmails } from '../../store/resources/known-names.ts';
import { toDeparture } from '../../store/resources/leavers.ts';
import type { Protection } from '../../store/resources/protection.ts';
import { lockRow, type UserRow, updateRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { ScimError } from '../errors.ts';
import type { AdoptableKind } from '../writes/adoption.ts';
import { assertRoleKnown, confirmWanted } from '../writes/read-privilege.ts';
import type { UserWriteResult } from '../writes/write-result.ts';
import { withoutUnnamed } from './assigned.ts';
import { assertFits } from './attributes.ts';

/** One change of an existing user. */
interface UserChangeRequest {
  readonly row: UserRow;
  /** The attributes of the row. */
  readonly before: JsonObject;
  /** All attributes after the change. */
  readonly attributes: JsonObject;
  /** Attributes that the request names (`toWrittenName`). */
  readonly names: ReadonlySet<string>;
}

/**
 * Stores the attributes that a provider wants, in the transaction that read the row. An account that was
 * only observed is adopted by the write; a write that changes nothing stores nothing and adopts nothing.
 * @throws ScimError 400 `invalidValue`: the user would be too large
 * @throws ScimError 403 when it would take something from a protected user
 */
export async function storeUserChange(
  tx: Db,
  deps: ProviderDeps,
  request: UserChangeRequest,
): Promise<UserWriteResult> {
  const { policy, clock, rules, provider } = deps;
  const { row, before } = request;
  const now = clock.now();
  const version = row.version + 1;
  const adopted = row.origin === null ? adopt(row, before, provider) : row;
  const asked = { ...request, row: { ...row, cells: adopted.cells } };
  const { next, sourced, named, ruled } = await combineAsked(tx, deps, asked);
  const state = toUserState(adopted);
  const cells = toCellsAfterWrite({
    state,
    cells: sourced,
    attributes: next,
    fields: [...named, ...ruled],
    version,
    inFlight: isInFlight(row),
    deactivation: policy.deactivation,
  });
  const waiting = toCellColumns(cells);
  const change = {
    ...{ before: toDesiredUser(before, state.deleted), after: toDesiredUser(next, state.deleted) },
    ...{ observed: state.observed, isInService: state.upstreamId !== undefined, fields: named },
  };
  const taken = listTakenFromUser(change);
  if (taken.length > 0) await assertMayLose(tx, rules.protection, row);
  if (isDeepStrictEqual(before, next) && waiting.cells === adopted.cells) {
    const same = await confirmWanted(row, (columns) => updateRow(tx, row, columns));
    return { type: 'user', id: row.id, row: same, undo: undefined };
  }
  const isDue = listWaiting(cells).length > 0;
  const kept =
    row.origin === null ? withoutUnnamed({ attributes: next, names: request.names }) : next;
  const columns = { ...toUserColumns(kept), ...waiting };
  const leaves = taken.includes('active') || taken.includes('temporarilyInactive');
  const changed: UserRow = {
    ...adopted,
    ...columns,
    ...(leaves && toDeparture(row, now)),
    // One that is gone is looked for, and made anew.
    must_look: isDue && isGone(state.observed) ? Math.max(row.must_look, 1) : row.must_look,
    version,
    write_id: newId(),
    modified_at: Math.max(now, row.modified_at),
    due_at: isDue ? now : adopted.due_at,
    due_class: toDueClass(removesUserAccess({ desired: change.after, cells })),
  };
  await updateRow(tx, row, toChangedColumns(row, changed), row);
  if (!isDeepStrictEqual(before.emails, next.emails))
    await replaceEmails(tx, row.id, listFoldedEmails(next));
  return {
    type: 'user',
    id: row.id,
    row: changed,
    takesAccess: taken.length > 0,
    undo: isDue ? toUserUndo(row, { after: columns.attributes, removes: leaves }) : undefined,
  };
}

/** Facts that take a write of a user back. */
export function toUserUndo(row: UserRow, write: Pick<Undo, 'after' | 'removes'>): Undo {
  const attributes = parseStored<JsonObject>(row.attributes);
  const before = { attributes, cells: parseCells(row), origin: row.origin, deleted: false };
  return { links: [], before, ...write };
}

/**
 * Attributes after a write and the rules: `named` are the owned fields that the write speaks of, `ruled` those that the
 * rules changed. @throws ScimError 400 `invalidValue`
 */
async function combineAsked(
  tx: Db,
  { rules }: Pick<ScimDeps, 'rules'>,
  { row, before, attributes, names }: UserChangeRequest,
) {
  const asked = withSuspensionEnded({ before, cells: parseCells<UserField>(row), attributes });
  const combined = await combinedForUser(tx, rules, { row, before, attributes: asked });
  const next = withSchemas(USER_SCHEMA_URI, combined.attributes);
  assertFits(before, next);
  const named = toUserFields(names);
  if (asked !== attributes) named.push('temporarilyInactive');
  return { next, sourced: combined.cells, named, ruled: combined.changed };
}

/** Stops a write that takes something from a protected user. @throws ScimError 403 with the reason, PrivilegeUnknown */
export async function assertMayLose(tx: Db, protection: Protection, row: UserRow): Promise<void> {
  assertRoleKnown(row);
  const reason = await protection.findReason(tx, row);
  if (reason !== undefined) throw new ScimError(403, reason);
}

/** The shown attributes are the baseline, so a name that was split from the service's name is no difference from it. */
function adopt(row: UserRow, shown: JsonObject, provider: string): UserRow {
  const name = findDesiredName(shown);
  const { cells, observed } = toUserState(row);
  const isNamed = name !== undefined && observed !== undefined;
  const echo = isNamed && { sent: fullName(name), back: normaliseName(observed.fullName) };
  const heard = echo ? withEcho(cells, 'name', echo) : cells;
  return { ...row, origin: 'adopted', provider, cells: JSON.stringify(heard) };
}

function listOwnNames(row: UserRow): string[] {
  return [row.name_folded, ...listAccountNames(row).filter((name) => name !== null)];
}

/** How unmanaged accounts are taken over. */
export const adoptableUsers: AdoptableKind<'user'> = {
  type: 'user',
  policy: 'adoptUsers',
  lock: (tx, _deps, id) => lockRow(tx, { type: 'user', id }),
  findPrivilege(tx, { rules }, row) {
    assertRoleKnown(row);
    return rules.protection.findPrivilege(tx, row);
  },
  listNames: listOwnNames,
  // An account that another user is to get, or has, is not given to two.
  listHolders: (tx, row) => listUsersByAnyName(tx, row.name_folded, listOwnNames(row).slice(1)),
  async takeOver(tx, { rules, clock, telemetry, provider }, row) {
    const shown = parseStored<JsonObject>(row.attributes);
    const { origin, cells } = adopt(row, shown, provider);
    const kept = toUserColumns(withoutUnnamed({ attributes: shown, names: new Set() }));
    await updateRow(tx, row, { ...kept, origin, provider, cells });
    await followUser(tx, rules, row.id, clock.now());
    telemetry.adopted({ type: 'user', id: row.id });
  },
};
