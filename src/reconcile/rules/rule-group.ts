import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { type Combined, combine, type Given, isAsked } from '../../domain/given.ts';
import type { GroupField } from '../../domain/group.ts';
import { toPendingAfterGroupWrite } from '../../domain/group-write.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type Pending, settlePending } from '../../domain/pending.ts';
import { RULED_GROUP_FIELDS, type RuledGroupField } from '../../domain/rules.ts';
import { GROUP_SCHEMA_URI } from '../../domain/schemas.ts';
import { withSchemas } from '../../domain/with-schemas.ts';
import { toGroupColumns } from '../../store/columns.ts';
import { parseStored } from '../../store/documents.ts';
import { type GroupRow, toGroupState } from '../../store/groups.ts';
import { isLaneHeld } from '../../store/lanes.ts';
import type { Rules } from './rules.ts';

/** What the rules make of the attributes that a managed group is to have. */
export function ruleGroup(
  { book }: Rules,
  row: Pick<GroupRow, 'given'>,
  attributes: JsonObject,
): Combined<RuledGroupField> {
  const { displayName } = attributes;
  return combine({
    attributes,
    given: parseStored<Given<RuledGroupField>>(row.given),
    rulings: book.ruleGroup(typeof displayName === 'string' ? displayName : ''),
    urn: GROUP_EXTENSION,
    fields: RULED_GROUP_FIELDS,
  });
}

/** Whether the service was asked for this value of a field by a rule and not by a provider. */
export function isRuled({ attributes, given }: GroupRow, field: GroupField): boolean {
  const marks = parseStored<Given<GroupField>>(given);
  if (marks[field]?.by !== 'rule') return false;
  const held = parseStored<JsonObject>(attributes);
  return !isAsked({ attributes: held, given: marks, urn: GROUP_EXTENSION }, field);
}

/** A stored managed group after the rules, or undefined: they change nothing. */
export function toRuledGroup(
  rules: Rules,
  { row, now }: { row: GroupRow; now: number },
): GroupRow | undefined {
  if (row.origin === null || row.deleted_at !== null) return undefined;
  const combined = ruleGroup(rules, row, parseStored<JsonObject>(row.attributes));
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
  // A new group is created with all that is wanted by then.
  if ((scimId ?? restId ?? uid) === undefined) return state.pending;
  const inFlight = isLaneHeld(row);
  const pending = toPendingAfterGroupWrite({
    state,
    attributes,
    fields: changed,
    version,
    inFlight,
  });
  const dropped = changed.filter((field) => given[field] === undefined);
  return settlePending(pending, pending, dropped);
}
