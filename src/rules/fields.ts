import type { Cells } from '../domain/cell.ts';
import { ask, isSameWork, listWaiting, release } from '../domain/cell.ts';
import { findWantedRoles, isEntityField, losesRoles, wantEntities } from '../domain/entity.ts';
import { OWN_EXTENSION, toExtension, USER_EXTENSION } from '../domain/extensions.ts';
import type { Deactivation, Field } from '../domain/kinds.ts';
import { listTaken, removesGroupAccess, removesUserAccess } from '../domain/protection.ts';
import type { Rulings } from '../domain/rule-book.ts';
import { RULED_GROUP_FIELDS, RULED_USER_FIELDS } from '../domain/rule-book.ts';
import type { JsonObject } from '../domain/values.ts';
import { parseFields } from '../domain/values.ts';
import type { Combination, Combined } from '../domain/write.ts';
import { combine, isAsked, toCellsAfterWrite } from '../domain/write.ts';
import { isSameJson, toCellColumns, toColumns } from '../store/engine/columns.ts';
import { listGroupNamesOf } from '../store/links/of-users.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import { isLinked, toState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { Rules } from './rules.ts';

/** Change of the attributes of a row, with the cells after it. */
export interface FieldChange {
  /** Undefined: nothing was desired before. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  readonly cells: Cells<Field>;
  /** Owned fields that the change is about. */
  readonly fields: readonly Field[];
  /** True: what the service was seen to hold does not count, since others may have changed it. */
  readonly isDoubted?: boolean;
}

/** Lists the fields in which a change takes access, a licence, a permission or a role. */
export function listTakenFrom(
  row: ResourceRow,
  { before, after, cells, fields, isDoubted }: FieldChange,
): Field[] {
  const { desired, observed } = toState({ ...row, attributes: after });
  const taken = listTaken({
    before: before && toState({ ...row, attributes: before }).desired,
    after: desired,
    observed: isDoubted ? undefined : observed,
    isInService: isLinked(row),
    fields,
  });
  const losesRolesIn = (field: Field) =>
    isEntityField(field) &&
    losesRoles(findWantedRoles(row.cells[field]), findWantedRoles(cells[field]));
  return fields.filter((field) => taken.includes(field) || losesRolesIn(field));
}

/** Cells after a change of fields. */
export const toCellsAfter = (
  row: ResourceRow,
  { after: attributes, cells, fields }: FieldChange,
  how: { readonly version: number; readonly deactivation: Deactivation },
) =>
  toCellsAfterWrite({
    before: toState(row),
    after: toState({ ...row, attributes, cells }),
    fields,
    ...how,
  });

/** Columns of a row whose attributes and cells change; the members of a group may be stuck too. */
export const toWrittenColumns = (
  { type }: ResourceRow,
  after: JsonObject,
  cells: Cells<Field>,
) => ({
  ...toColumns(type, after),
  ...(type === 'user' ? toCellColumns(cells) : { cells }),
});

/** True when access is taken by what waits. A removal of a group that waits already keeps its class. */
export function removesAccess(row: ResourceRow, attributes: JsonObject, cells: Cells<Field>) {
  const state = toState({ ...row, attributes, cells });
  if (state.type === 'user') return removesUserAccess(state);
  return row.due_class === 0 || removesGroupAccess(state);
}

interface AskedAttributes {
  readonly before: JsonObject;
  readonly attributes: JsonObject;
}

/** Finds the values that the rules give; undefined: they have no say in this change. */
async function findRulings(
  tx: Db,
  { book }: Rules,
  row: ResourceRow,
  asked?: AskedAttributes,
): Promise<Rulings<Field> | undefined> {
  if (row.type === 'group') {
    // Without a cell each value is a provider's.
    if (book.isEmpty && parseFields(row.cells).length === 0) return undefined;
    const displayName = asked ? asked.attributes.displayName : row.name;
    return book.ruleGroup(typeof displayName === 'string' ? displayName : '');
  }
  // The groups are read only where the request touches a ruled field, or adopts the user.
  const isTouched = asked === undefined || row.origin === null || changesRuled(asked);
  if (book.isEmpty || !isTouched) return undefined;
  return book.ruleUser((await listGroupNamesOf(tx, [row.id])).get(row.id) ?? []);
}

function changesRuled({ before, attributes }: AskedAttributes): boolean {
  const [had, asked] = [before, attributes].map((each) => toExtension(each, USER_EXTENSION));
  return RULED_USER_FIELDS.some((field) => had?.[field] !== asked?.[field]);
}

type RuledAttributes = Omit<Combination<Field>, 'cells' | 'urn' | 'fields'>;

function combineFields(row: ResourceRow, input: RuledAttributes): Combined<Field> {
  const cells = row.cells;
  const fields = row.type === 'user' ? RULED_USER_FIELDS : RULED_GROUP_FIELDS;
  const combined = combine<Field>({ ...input, cells, urn: OWN_EXTENSION[row.type], fields });
  if (row.type === 'user') return combined;
  const { rulings, kept } = input;
  const wanted = new Map<string, string>();
  for (const field of parseFields<Field>({ ...rulings, ...cells })) {
    const roles = kept?.has(field) ? findWantedRoles(cells[field]) : rulings[field]?.value;
    if (isEntityField(field) && roles !== undefined) wanted.set(field, String(roles));
  }
  const entities = wantEntities(combined.cells, wanted, row.entities ?? undefined);
  return {
    ...combined,
    cells: entities.cells,
    changed: [...combined.changed, ...entities.changed],
  };
}

/** Combines the attributes of a request with the rules. */
export async function combineAsked(
  tx: Db,
  rules: Rules,
  { row, ...asked }: AskedAttributes & { readonly row: ResourceRow },
): Promise<Combined<Field>> {
  const { attributes } = asked;
  const rulings = await findRulings(tx, rules, row, asked);
  if (rulings === undefined) return { attributes, cells: row.cells, changed: [] };
  return combineAllowed(tx, rules, row, { attributes, rulings });
}

/** A rule that would take something from what is protected is ignored. */
async function combineAllowed(
  tx: Db,
  { protection }: Rules,
  row: ResourceRow,
  input: RuledAttributes,
): Promise<Combined<Field>> {
  const combined = combineFields(row, input);
  const { attributes: after, cells } = combined;
  // A field without a rule is released, which takes nothing.
  const fields = combined.changed.filter((field) => cells[field]?.source !== undefined);
  if (fields.length === 0) return combined;
  const before = row.attributes;
  const taken = new Set(listTakenFrom(row, { before, after, cells, fields }));
  if (taken.size === 0) return combined;
  const isProtected = (await protection.findReason(tx, row)) !== undefined;
  return isProtected ? combineFields(row, { ...input, kept: taken }) : combined;
}

/** `rulings`: absent: they are found. */
interface RuledRow<Row extends ResourceRow> {
  readonly row: Row;
  readonly rulings?: Rulings<Field>;
  readonly now: number;
}

/** Stored user or group after the rules, or undefined when they change nothing. */
export async function toRuled<Row extends ResourceRow>(
  tx: Db,
  rules: Rules,
  { row, now, ...given }: RuledRow<Row>,
): Promise<Row | undefined> {
  if (row.origin === null || row.deleted_at !== null) return undefined;
  const rulings = given.rulings ?? (await findRulings(tx, rules, row));
  if (rulings === undefined) return undefined;
  const before = row.attributes;
  const combined = await combineAllowed(tx, rules, row, { attributes: before, rulings });
  const { changed, attributes: after } = combined;
  if (changed.length === 0 && isSameJson(combined.cells, row.cells)) return undefined;
  const version = row.version + 1;
  const cells = askRuled(row, { before, after, cells: combined.cells, fields: changed }, rules);
  const isDue = listWaiting(cells).length > 0 && !isSameWork(row.cells, cells);
  const due = isDue && { due_at: now, due_class: removesAccess(row, after, cells) ? 0 : 1 };
  return { ...row, ...toWrittenColumns(row, after, cells), version, modified_at: now, ...due };
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
export function isRuled(row: ResourceRow, field: Field): boolean {
  if (isEntityField(field)) return true;
  const cells = row.cells;
  if (cells[field]?.source?.by !== 'rule') return false;
  const attributes = row.attributes;
  return !isAsked({ attributes, cells, urn: OWN_EXTENSION[row.type] }, field);
}
