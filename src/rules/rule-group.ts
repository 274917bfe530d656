import { GROUP_EXTENSION } from '../domain/extensions.ts';
import { type Combined, combine, type Given, isAsked } from '../domain/given.ts';
import { type GroupField, toDesiredGroup } from '../domain/group.ts';
import { toPendingAfterGroupWrite } from '../domain/group-write.ts';
import type { JsonObject } from '../domain/json.ts';
import { type Pending, withoutDone } from '../domain/pending.ts';
import { listTakenFromGroup } from '../domain/protection.ts';
import { RULED_GROUP_FIELDS, type RuledGroupField } from '../domain/rules.ts';
import { GROUP_SCHEMA_URI, withSchemas } from '../domain/schemas.ts';
import { parseStored, toGroupColumns } from '../store/engine/columns.ts';
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
): Promise<Combined<RuledGroupField>> {
  const { displayName } = attributes;
  const rulings = book.ruleGroup(typeof displayName === 'string' ? displayName : '');
  const parts = {
    attributes,
    given: parseStored<Given<RuledGroupField>>(row.given),
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
function listTaken(row: GroupRow, { attributes, changed, given }: Combined<RuledGroupField>) {
  const before = toDesiredGroup(parseStored<JsonObject>(row.attributes));
  const fields = changed.filter((field) => given[field] !== undefined);
  const after = toDesiredGroup(attributes);
  return new Set<string>(
    listTakenFromGroup({
      ...{ before, after, observed: toObservedGroup(row), fields },
      isInService: hasUpstreamIds(row),
    }),
  );
}

/** True when the service was asked for this value of a field by a rule and not by a provider. */
export function isRuled({ attributes, given }: GroupRow, field: GroupField): boolean {
  const marks = parseStored<Given<GroupField>>(given);
  if (marks[field]?.by !== 'rule') return false;
  const held = parseStored<JsonObject>(attributes);
  return !isAsked({ attributes: held, given: marks, urn: GROUP_EXTENSION }, field);
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
  const given = JSON.stringify(combined.given);
  if (combined.changed.length === 0 && given === row.given) return undefined;
  const attributes = withSchemas(GROUP_SCHEMA_URI, combined.attributes);
  const version = row.version + 1;
  const pending = toPending(row, { combined, attributes, version, now });
  const pendingText = JSON.stringify(pending);
  const isDue = pendingText !== '{}' && pendingText !== row.pending;
  return {
    ...row,
    ...toGroupColumns(attributes),
    given,
    version,
    modified_at: now,
    pending: pendingText,
    due_at: isDue ? now : row.due_at,
  };
}

interface RuledWrite {
  readonly combined: Combined<RuledGroupField>;
  readonly attributes: JsonObject;
  readonly version: number;
  readonly now: number;
}

function toPending(
  row: GroupRow,
  { combined: { changed, given }, attributes, version }: RuledWrite,
): Pending<GroupField> {
  const state = toGroupState(row, { members: [], admins: [] });
  const { scimId, restId, uid } = state.ids;
  // A new group is created with its whole desired state.
  if ((scimId ?? restId ?? uid) === undefined) return state.pending;
  const inFlight = isInFlight(row);
  const pending = toPendingAfterGroupWrite({
    state,
    attributes,
    fields: changed,
    version,
    inFlight,
  });
  const dropped = changed.filter((field) => given[field] === undefined);
  return withoutDone(pending, pending, dropped);
}
