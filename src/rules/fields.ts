import type { Cells, Source } from '../domain/cell.ts';
import { ask, edit, isSameWork, listWaiting, release } from '../domain/cell.ts';
import { findWantedRoles, isEntityField, parseRoles, wantEntities } from '../domain/entity.ts';
import { OWN_EXTENSION, toExtension, USER_EXTENSION, withExtension } from '../domain/extensions.ts';
import type { Deactivation, Field } from '../domain/kinds.ts';
import { isLinked, toDesiredGroup } from '../domain/kinds.ts';
import type { Rulings } from '../domain/rule-book.ts';
import { RULED_FIELDS } from '../domain/rule-book.ts';
import type { JsonObject } from '../domain/values.ts';
import { parseFields } from '../domain/values.ts';
import { listTaken, removesAccess, toCellsAfterWrite } from '../domain/write.ts';
import { isSameJson, toCellColumns, toColumns } from '../store/engine/columns.ts';
import { listGroupNamesOf } from '../store/links/of-users.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import { toState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { Rules } from './rules.ts';

/** Attributes and cells of a row after a change, and the owned fields that it is about. */
export interface FieldChange {
  readonly attributes: JsonObject;
  readonly cells: Cells<Field>;
  readonly fields: readonly Field[];
}

/**
 * Lists the fields in which a change takes access, a licence, a permission or a role. `new`: nothing was desired before;
 * `doubted`: nor counts what the service was seen to hold, since others may have changed it.
 */
export function listTakenFrom(
  row: ResourceRow,
  { attributes, cells, fields }: FieldChange,
  basis: 'known' | 'new' | 'doubted' = 'known',
): Field[] {
  const before = toState(row);
  const taken = listTaken({
    before: basis === 'known' ? before.desired : undefined,
    after: toState({ ...row, attributes }).desired,
    observed: (basis !== 'doubted' && row.observed) || undefined,
    isInService: isLinked(row),
    fields,
  });
  const losesRolesIn = (field: Field) => {
    const [had, has] = [row.cells[field], cells[field]].map(findWantedRoles).map(parseRoles);
    return isEntityField(field) && had?.some((role) => !has?.includes(role));
  };
  return fields.filter((field) => taken.includes(field) || losesRolesIn(field));
}

/** Cells after a change of fields. */
export const toCellsAfter = (
  row: ResourceRow,
  { attributes, cells, fields }: FieldChange,
  how: { readonly version: number; readonly deactivation: Deactivation },
) =>
  toCellsAfterWrite({
    before: toState(row),
    after: toState({ ...row, attributes, cells }),
    fields,
    ...how,
  });

type Written = Pick<FieldChange, 'attributes' | 'cells'>;

/** Columns of a row whose attributes and cells change; the members of a group may be stuck too. */
export const toWrittenColumns = ({ type }: ResourceRow, { attributes, cells }: Written) => ({
  ...toColumns(type, attributes),
  ...(type === 'user' ? toCellColumns(cells) : { cells }),
});

/** True when access is taken by what waits. A removal of a group that waits already keeps its class. */
export function isUrgent(row: ResourceRow, { attributes, cells }: Written) {
  const keepsClass = row.type === 'group' && row.due_class === 0;
  return keepsClass || removesAccess(toState({ ...row, attributes, cells }));
}

function changesRuled({ attributes }: ResourceRow, asked: JsonObject): boolean {
  const [had, has] = [attributes, asked].map((each) => toExtension(each, USER_EXTENSION));
  return RULED_FIELDS.user.some((field) => had?.[field] !== has?.[field]);
}

/**
 * Combines the sources of each field. The value of a provider wins, then the first rule, then the value found at the
 * takeover; else the field has no value and is not ours. A value that is sent as it was shown keeps its source: a
 * provider that reads a resource and puts it back has asked for nothing.
 */
export function combine(
  row: RuledColumns,
  rulings: Rulings,
  kept?: ReadonlySet<string>,
): FieldChange {
  const { type, attributes, cells: known } = row;
  const fields: readonly Field[] = RULED_FIELDS[type];
  const before = toExtension(attributes, OWN_EXTENSION[type]);
  const extension = { ...before };
  const own = edit(known, fields, (cell, field) => {
    if (isAsked(row, field)) return { ...cell, source: undefined };
    const ruling = kept?.has(field) ? undefined : rulings[field];
    const isFound = before[field] !== undefined && cell.source?.by === 'service';
    const found = isFound ? cell.source : undefined;
    const source: Source | undefined = ruling ? { value: ruling.value, by: 'rule' } : found;
    if (source === undefined) delete extension[field];
    else extension[field] = source.value;
    return { ...cell, source };
  });
  const wanted = new Map<string, string>();
  for (const field of parseFields<Field>({ ...rulings, ...known })) {
    const roles = kept?.has(field) ? findWantedRoles(known[field]) : rulings[field]?.value;
    if (isEntityField(field) && roles !== undefined) wanted.set(field, String(roles));
  }
  const entities = wantEntities(own, wanted, row.entities ?? undefined);
  const changed = fields.filter((field) => before[field] !== extension[field]);
  const isSame = changed.length === 0;
  return {
    attributes: isSame ? attributes : withExtension(attributes, OWN_EXTENSION[type], extension),
    cells: entities.cells,
    fields: [...changed, ...entities.changed],
  };
}

type RuledColumns = Pick<ResourceRow, 'type' | 'attributes' | 'cells' | 'entities'>;

/** True when a provider sent the value of the field. */
export function isAsked({ type, attributes, cells }: RuledColumns, field: Field): boolean {
  const value = toExtension(attributes, OWN_EXTENSION[type])[field];
  return value !== undefined && cells[field]?.source?.value !== value;
}

/** Cells in which the values of ruled fields that are there already are the service's. */
export function toBaseline({ type, cells, attributes }: ResourceRow): Cells<Field> {
  const extension = toExtension(attributes, OWN_EXTENSION[type]);
  return edit<Field>(cells, RULED_FIELDS[type], (cell, field) => {
    const value = extension[field];
    const isMarked = typeof value === 'number' || typeof value === 'boolean';
    return { ...cell, source: isMarked ? { value, by: 'service' } : undefined };
  });
}

/** Combines the attributes of a request with the rules. Its fields are those that have another value by them now, or none any more. */
export async function combineAsked(
  tx: Db,
  rules: Rules,
  { row, attributes }: { readonly row: ResourceRow; readonly attributes: JsonObject },
): Promise<FieldChange> {
  const { book } = rules;
  if (row.type === 'group') {
    const rulings = book.ruleGroup(toDesiredGroup(attributes).displayName);
    return combineAllowed(tx, rules, row, { attributes, rulings });
  }
  // The groups are read only where the request touches a ruled field, or adopts the user.
  const isTouched = row.origin === null || changesRuled(row, attributes);
  if (book.isEmpty || !isTouched) return { attributes, cells: row.cells, fields: [] };
  const names = (await listGroupNamesOf(tx, [row.id])).get(row.id) ?? [];
  return combineAllowed(tx, rules, row, { attributes, rulings: book.ruleUser(names) });
}

/** A rule that would take something from what is protected is ignored. */
async function combineAllowed(
  tx: Db,
  { protection }: Rules,
  row: ResourceRow,
  { attributes, rulings }: { readonly attributes: JsonObject; readonly rulings: Rulings },
): Promise<FieldChange> {
  const asked = { ...row, attributes };
  const combined = combine(asked, rulings);
  // A field without a rule is released, which takes nothing.
  const fields = combined.fields.filter((field) => combined.cells[field]?.source !== undefined);
  if (fields.length === 0) return combined;
  const taken = new Set(listTakenFrom(row, { ...combined, fields }));
  if (taken.size === 0) return combined;
  const isProtected = (await protection.findReason(tx, row)) !== undefined;
  return isProtected ? combine(asked, rulings, taken) : combined;
}

/** Stored user or group after what the rules give it, or undefined when they change nothing. */
export async function toRuled<Row extends ResourceRow>(
  tx: Db,
  rules: Rules,
  { row, rulings, now }: { readonly row: Row; readonly rulings: Rulings; readonly now: number },
): Promise<Row | undefined> {
  if (row.origin === null || row.deleted_at !== null) return undefined;
  const { attributes } = row;
  const combined = await combineAllowed(tx, rules, row, { attributes, rulings });
  if (combined.fields.length === 0 && isSameJson(combined.cells, row.cells)) return undefined;
  const after = { attributes: combined.attributes, cells: askRuled(row, combined, rules) };
  const isDue = listWaiting(after.cells).length > 0 && !isSameWork(row.cells, after.cells);
  const due = isDue && { due_at: now, due_class: isUrgent(row, after) ? 0 : 1 };
  const version = row.version + 1;
  return { ...row, ...toWrittenColumns(row, after), version, modified_at: now, ...due };
}

/** Asks for fields that the rules have changed, in a version of their own. */
function askRuled(row: ResourceRow, change: FieldChange, { deactivation }: Rules): Cells<Field> {
  const { cells, fields } = change;
  const version = row.version + 1;
  // What is made anew is given its whole desired state, but for roles in entities.
  if (!isLinked(row)) return ask(cells, fields.filter(isEntityField), version);
  // One switch serves two attributes: the remaining one decides where it stands.
  const isSwitch = deactivation === 'temporarilyInactive' && fields.includes('temporarilyInactive');
  const asked = { ...change, fields: isSwitch ? [...fields, 'active' as const] : fields };
  const dropped = fields.filter((field) => cells[field]?.source === undefined);
  return release(toCellsAfter(row, asked, { version, deactivation }), dropped);
}

/** True when the service was asked for this value of a field by a rule and not by a provider. */
export const isRuled = (row: ResourceRow, field: Field) =>
  isEntityField(field) || (row.cells[field]?.source?.by === 'rule' && !isAsked(row, field));
