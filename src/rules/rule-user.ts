import { type Cells, isSameWork, listWaiting, release } from '../domain/cell.ts';
import { type Combined, combine, isAsked } from '../domain/combine.ts';
import { toExtension, USER_EXTENSION, withSchemas } from '../domain/extensions.ts';
import type { JsonObject } from '../domain/json.ts';
import { listTakenFromUser } from '../domain/protection.ts';
import type { Rulings } from '../domain/rule-book.ts';
import { RULED_USER_FIELDS, type RuledUserField } from '../domain/rules.ts';
import { USER_SCHEMA_URI } from '../domain/schemas.ts';
import { removesUserAccess, toDesiredUser, type UserField } from '../domain/user.ts';
import { toCellsAfterWrite } from '../domain/user-write.ts';
import {
  parseCells,
  parseStored,
  toCellColumns,
  toDueClass,
  toUserColumns,
} from '../store/engine/columns.ts';
import { isInFlight } from '../store/in-flight.ts';
import type { UserRow } from '../store/resources/rows.ts';
import { listGroupNamesOf } from '../store/resources/rule-inputs.ts';
import { toUserState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { Rules } from './rules.ts';

/** Request for a user; on an unmanaged one it adopts. */
export interface UserRequest {
  readonly row: UserRow;
  readonly before: JsonObject;
  readonly attributes: JsonObject;
}

/**
 * Combines the attributes of a request with the rules. Asks for the user's groups only when there are rules and the
 * request touches a ruled field, or adopts the user.
 */
export async function combinedForUser(
  tx: Db,
  rules: Rules,
  { row, before, attributes }: UserRequest,
): Promise<Combined<UserField>> {
  const isTouched = row.origin === null || differs(before, attributes);
  if (rules.book.isEmpty || !isTouched) return { attributes, cells: parseCells(row), changed: [] };
  const names = (await listGroupNamesOf(tx, [row.id])).get(row.id) ?? [];
  const rulings = rules.book.ruleUser(names);
  return combineUser(tx, rules, { row, attributes, rulings });
}

function differs(before: JsonObject, after: JsonObject): boolean {
  const read = (attributes: JsonObject) => toExtension(attributes, USER_EXTENSION);
  return RULED_USER_FIELDS.some((field) => read(before)[field] !== read(after)[field]);
}

/** True when the service was asked for this value of a field by a rule and not by a provider. */
export function isRuled(row: UserRow, field: UserField): boolean {
  const cells = parseCells<UserField>(row);
  if (cells[field]?.source?.by !== 'rule') return false;
  const attributes = parseStored<JsonObject>(row.attributes);
  return !isAsked({ attributes, cells, urn: USER_EXTENSION }, field);
}

/** Stored user after the rules, or undefined when they change nothing. */
export async function toRuledUser(
  tx: Db,
  rules: Rules,
  { row, names, now }: { row: UserRow; names: readonly string[]; now: number },
): Promise<UserRow | undefined> {
  const attributes = parseStored<JsonObject>(row.attributes);
  const rulings = rules.book.ruleUser(names);
  const combined = await combineUser(tx, rules, { row, attributes, rulings });
  if (combined.changed.length === 0 && JSON.stringify(combined.cells) === row.cells) {
    return undefined;
  }
  const next = withSchemas(USER_SCHEMA_URI, combined.attributes);
  const version = row.version + 1;
  const cells = toCells(row, rules, { combined, attributes: next, version });
  const desired = toDesiredUser(next, false);
  const isDue = listWaiting(cells).length > 0 && !isSameWork(parseCells(row), cells);
  return {
    ...row,
    ...toUserColumns(next),
    ...toCellColumns(cells),
    version,
    modified_at: now,
    due_at: isDue ? now : row.due_at,
    due_class: isDue ? toDueClass(removesUserAccess({ desired, cells })) : row.due_class,
  };
}

interface Combining {
  readonly row: UserRow;
  readonly attributes: JsonObject;
  readonly rulings: Rulings<RuledUserField>;
}

/** Applies the rules to a user. A rule that would take something from a protected user is ignored. */
async function combineUser(
  tx: Db,
  rules: Rules,
  { row, attributes, rulings }: Combining,
): Promise<Combined<UserField>> {
  const parts = {
    attributes,
    cells: parseCells<UserField>(row),
    urn: USER_EXTENSION,
    fields: RULED_USER_FIELDS,
  };
  const combined = combine({ ...parts, rulings });
  const taken = listTaken(row, combined);
  if (taken.size === 0) return combined;
  if ((await rules.protection.findReason(tx, row)) === undefined) return combined;
  const entries = Object.entries(rulings).filter(([field]) => !taken.has(field));
  return combine({ ...parts, rulings: Object.fromEntries(entries) });
}

/** Lists the fields by which the rules take something. A field without a rule is released, which takes nothing. */
function listTaken(row: UserRow, { attributes, changed, cells }: Combined<UserField>) {
  const { desired: before, observed, deleted, upstreamId } = toUserState(row);
  const fields = changed.filter((field) => cells[field]?.source !== undefined);
  const after = toDesiredUser(attributes, deleted);
  const isInService = upstreamId !== undefined;
  return new Set<string>(listTakenFromUser({ before, after, observed, isInService, fields }));
}

interface RuledWrite {
  readonly combined: Combined<UserField>;
  readonly attributes: JsonObject;
  readonly version: number;
}

function toCells(
  row: UserRow,
  { deactivation }: Rules,
  { combined: { changed, cells }, attributes, version }: RuledWrite,
): Cells<UserField> {
  const state = toUserState(row);
  // A new account is given its whole desired state, and the write that asked for it is answered for it.
  if (state.upstreamId === undefined) return cells;
  const fields: UserField[] = [...changed];
  // One switch serves two attributes: the remaining one decides where it stands.
  if (deactivation === 'temporarilyInactive' && changed.includes('temporarilyInactive')) {
    fields.push('active');
  }
  const inFlight = isInFlight(row);
  const asked = toCellsAfterWrite({
    state,
    cells,
    attributes,
    fields,
    version,
    inFlight,
    deactivation,
  });
  const dropped = changed.filter((field) => cells[field]?.source === undefined);
  return release(asked, dropped);
}
