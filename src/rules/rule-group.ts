import { type Cells, isSameWork, listWaiting, release } from '../domain/cell.ts';
import { type Combined, combine, isAsked } from '../domain/combine.ts';
import { GROUP_EXTENSION } from '../domain/extensions.ts';
import { type GroupField, toDesiredGroup } from '../domain/group.ts';
import { toCellsAfterGroupWrite } from '../domain/group-write.ts';
import type { JsonObject } from '../domain/json.ts';
import { listTakenFromGroup } from '../domain/protection.ts';
import { RULED_GROUP_FIELDS } from '../domain/rules.ts';
import { GROUP_SCHEMA_URI, withSchemas } from '../domain/schemas.ts';
import { parseCells, parseStored, toGroupColumns } from '../store/engine/columns.ts';
import {
  type GroupRow,
  hasUpstreamIds,
  toGroupState,
  toObservedGroup,
} from '../store/groups/groups.ts';
import { isInFlight } from '../store/in-flight.ts';
import type { Db } from '../store/store.ts';
import type { Rules } from './rules.ts';

/**
 * Applies the rules to the attributes of a managed group. A rule that would take something from a protected group is
 * ignored.
 */
export async function ruleGroup(
  tx: Db,
  { book, protection }: Rules,
  { row, attributes }: { row: GroupRow; attributes: JsonObject },
): Promise<Combined<GroupField>> {
  const { displayName } = attributes;
  const rulings = book.ruleGroup(typeof displayName === 'string' ? displayName : '');
  const parts = {
    attributes,
    cells: parseCells<GroupField>(row),
    urn: GROUP_EXTENSION,
    fields: RULED_GROUP_FIELDS,
  };
  const combined = combine({ ...parts, rulings });
  const taken = listTaken(row, combined);
  if (taken.size === 0) return combined;
  if ((await protection.findGroupReason(tx, row)) === undefined) return combined;
  const entries = Object.entries(rulings).filter(([field]) => !taken.has(field));
  return combine({ ...parts, rulings: Object.fromEntries(entries) });
}

/** Lists the fields by which the rules take something. A field without a rule is released, which takes nothing. */
function listTaken(row: GroupRow, { attributes, changed, cells }: Combined<GroupField>) {
  const before = toDesiredGroup(parseStored<JsonObject>(row.attributes));
  const fields = changed.filter((field) => cells[field]?.source !== undefined);
  const after = toDesiredGroup(attributes);
  return new Set<string>(
    listTakenFromGroup({
      ...{ before, after, observed: toObservedGroup(row), fields },
      isInService: hasUpstreamIds(row),
    }),
  );
}

/** True when the service was asked for this value of a field by a rule and not by a provider. */
export function isRuled(row: GroupRow, field: GroupField): boolean {
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
  const { scimId, restId, uid } = state.ids;
  // A new group is created with its whole desired state.
  if ((scimId ?? restId ?? uid) === undefined) return cells;
  const inFlight = isInFlight(row);
  const asked = toCellsAfterGroupWrite({
    state,
    cells,
    attributes,
    fields: changed,
    version,
    inFlight,
  });
  const dropped = changed.filter((field) => cells[field]?.source === undefined);
  return release(asked, dropped);
}
