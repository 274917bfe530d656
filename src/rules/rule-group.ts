import { ask, type Cells, isSameWork, listWaiting, parseFields, release } from '../domain/cell.ts';
import { type Combined, combine, isAsked } from '../domain/combine.ts';
import {
  type EntityField,
  findWantedRoles,
  isEntityField,
  leavesEntity,
  listEntityFields,
  losesRoles,
  wantEntities,
} from '../domain/entity.ts';
import { GROUP_EXTENSION, withSchemas } from '../domain/extensions.ts';
import { type GroupField, isInService, toDesiredGroup } from '../domain/group.ts';
import { toCellsAfterGroupWrite } from '../domain/group-write.ts';
import type { JsonObject } from '../domain/json.ts';
import { listTakenFromGroup } from '../domain/protection.ts';
import type { Rulings } from '../domain/rule-book.ts';
import { RULED_GROUP_FIELDS } from '../domain/rules.ts';
import { GROUP_SCHEMA_URI } from '../domain/schemas.ts';
import { parseCells, parseStored, toDueClass, toGroupColumns } from '../store/engine/columns.ts';
import { isInFlight } from '../store/in-flight.ts';
import type { GroupRow } from '../store/resources/rows.ts';
import {
  isLinked,
  toGroupState,
  toObservedGroup,
  toSeenEntities,
} from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { Rules } from './rules.ts';

/**
 * Applies the rules to the attributes of a managed group. A rule that would take something from a protected group is
 * ignored.
 */
export async function ruleGroup(
  tx: Db,
  rules: Rules,
  { row, attributes }: { row: GroupRow; attributes: JsonObject },
): Promise<Combined<GroupField>> {
  const { book, protection } = rules;
  const cells = parseCells<GroupField>(row);
  // Without a cell each value is a provider's.
  if (book.isEmpty && parseFields(cells).length === 0) return { attributes, cells, changed: [] };
  const { displayName } = attributes;
  const name = typeof displayName === 'string' ? displayName : '';
  const rulings = book.ruleGroup(name);
  const roles = toRoles(book.ruleEntities(name));
  const parts = {
    attributes,
    cells,
    urn: GROUP_EXTENSION,
    fields: RULED_GROUP_FIELDS,
  };
  const combined = withEntities(row, combine({ ...parts, rulings }), roles);
  if (combined.changed.length === 0) return combined;
  const taken = listTaken(row, combined);
  if (taken.size === 0) return combined;
  if ((await protection.findGroupReason(tx, row)) === undefined) return combined;
  const entries = Object.entries(rulings).filter(([field]) => !taken.has(field));
  const kept = combine({ ...parts, rulings: Object.fromEntries(entries) });
  return withEntities(row, kept, keepRoles(parts.cells, roles, taken));
}

type Roles = ReadonlyMap<EntityField, string>;

function toRoles(rulings: Rulings<EntityField>): Roles {
  const named = Object.entries(rulings).flatMap(([field, ruling]) =>
    ruling !== undefined && isEntityField(field) ? [[field, String(ruling.value)] as const] : [],
  );
  return new Map(named);
}

/** Adds the roles in entities to what the rules want of a group; another set of roles is another value. */
function withEntities(
  row: GroupRow,
  combined: Combined<GroupField>,
  roles: Roles,
): Combined<GroupField> {
  const { cells, changed } = wantEntities<GroupField>(combined.cells, roles, toSeenEntities(row));
  return { ...combined, cells, changed: [...combined.changed, ...changed] };
}

/** The roles without those that a protected group would lose: there it keeps what was wanted before. */
function keepRoles(cells: Cells<GroupField>, roles: Roles, taken: ReadonlySet<string>): Roles {
  const kept = listEntityFields(cells).flatMap((field) => {
    const before = findWantedRoles(cells[field]);
    return taken.has(field) && before !== undefined ? [[field, before] as const] : [];
  });
  return new Map([...roles, ...kept]);
}

/** Lists the fields by which the rules take something. A field without a rule is released, which takes nothing. */
function listTaken(row: GroupRow, { attributes, changed, cells }: Combined<GroupField>) {
  const before = toDesiredGroup(parseStored<JsonObject>(row.attributes));
  const fields = changed.filter((field) => cells[field]?.source !== undefined);
  const after = toDesiredGroup(attributes);
  const own = listTakenFromGroup({
    ...{ before, after, observed: toObservedGroup(row), fields },
    isInService: isLinked(row),
  });
  const cellsBefore = parseCells<GroupField>(row);
  const entities = fields.filter(
    (field) =>
      isEntityField(field) &&
      losesRoles(findWantedRoles(cellsBefore[field]), findWantedRoles(cells[field])),
  );
  return new Set<string>([...own, ...entities]);
}

/** True when the service was asked for this value of a field by a rule and not by a provider. */
export function isRuled(row: GroupRow, field: GroupField): boolean {
  if (isEntityField(field)) return true;
  const cells = parseCells<GroupField>(row);
  if (cells[field]?.source?.by !== 'rule') return false;
  const attributes = parseStored<JsonObject>(row.attributes);
  return !isAsked({ attributes, cells, urn: GROUP_EXTENSION }, field);
}

/** Stored managed group after the rules, or undefined when they change nothing. */
export async function toRuledGroup(
  tx: Db,
  rules: Rules,
  { row, now }: { row: GroupRow; now: number },
): Promise<GroupRow | undefined> {
  if (row.origin === null || row.deleted_at !== null) return undefined;
  const held = parseStored<JsonObject>(row.attributes);
  const combined = await ruleGroup(tx, rules, { row, attributes: held });
  if (combined.changed.length === 0 && JSON.stringify(combined.cells) === row.cells) {
    return undefined;
  }
  const attributes = withSchemas(GROUP_SCHEMA_URI, combined.attributes);
  const version = row.version + 1;
  const cells = toCells(row, { combined, attributes, version });
  const isDue = listWaiting(cells).length > 0 && !isSameWork(parseCells(row), cells);
  return {
    ...row,
    ...toGroupColumns(attributes),
    cells: JSON.stringify(cells),
    version,
    modified_at: now,
    due_at: isDue ? now : row.due_at,
    due_class: isDue ? toDueClass(row.due_class === 0 || leavesEntity(cells)) : row.due_class,
  };
}

interface RuledWrite {
  readonly combined: Combined<GroupField>;
  readonly attributes: JsonObject;
  readonly version: number;
}

function toCells(
  row: GroupRow,
  { combined: { changed, cells }, attributes, version }: RuledWrite,
): Cells<GroupField> {
  const state = toGroupState(row);
  // A new group is created with its whole desired state, but for its roles in entities.
  if (!isInService(state.ids)) {
    return ask(cells, changed.filter(isEntityField), version);
  }
  const write = { state, cells, attributes, version, inFlight: isInFlight(row) };
  const asked = toCellsAfterGroupWrite({ ...write, fields: changed });
  const dropped = changed.filter((field) => cells[field]?.source === undefined);
  return release(asked, dropped);
}
