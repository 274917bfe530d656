import { ask, type Cells, isSameWork, listWaiting, release } from '../domain/cell.ts';
import {
  type EntityField,
  findWantedRoles,
  isEntityField,
  losesRoles,
  wantEntities,
} from '../domain/entity.ts';
import { GROUP_EXTENSION, toExtension, USER_EXTENSION } from '../domain/extensions.ts';
import {
  type Deactivation,
  type GroupField,
  isInService,
  toDesiredGroup,
  toDesiredUser,
  type UserField,
} from '../domain/kinds.ts';
import { listTaken, removesGroupAccess, removesUserAccess } from '../domain/protection.ts';
import { RULED_GROUP_FIELDS, RULED_USER_FIELDS, type Rulings } from '../domain/rule-book.ts';
import { type JsonObject, parseFields, type ResourceKey } from '../domain/values.ts';
import {
  type Combination,
  type Combined,
  combine,
  isAsked,
  toCellsAfterGroupWrite,
  toCellsAfterWrite,
  toGroupFields,
  toUserFields,
} from '../domain/write.ts';
import { parseCells, parseStored, toCellColumns, toColumns } from '../store/engine/columns.ts';
import { listGroupNamesOf } from '../store/links/of-users.ts';
import type { ResourceRow, RowOf } from '../store/resources/rows.ts';
import { isLinked, toGroupState, toSeenEntities, toUserState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { Rules } from './rules.ts';

/** Change of the attributes of a row, with the cells after it. */
export interface FieldChange<Field extends string> {
  /** Undefined: nothing was desired before. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
  readonly cells: Cells<Field>;
  /** Owned fields that the change is about. */
  readonly fields: readonly Field[];
  /** True: what the service was seen to hold does not count, since others may have changed it. */
  readonly isDoubted?: boolean;
}

interface AskedAttributes {
  readonly before: JsonObject;
  readonly attributes: JsonObject;
}

type RuledAttributes<Field extends string> = Omit<Combination<Field>, 'cells' | 'urn' | 'fields'>;

/** Owned fields of one type, as far as users and groups differ in how a write or a rule changes them. */
export interface FieldKind<Type extends ResourceKey['type'], Field extends string> {
  readonly type: Type;
  /** The extension with the fields that rules can drive. */
  readonly urn: string;
  toFields(names: ReadonlySet<string>): Field[];
  toCellColumns(cells: Cells<Field>): Partial<RowOf<Type>>;
  /** Fields in which the change takes access, a licence, a permission or a role. */
  listTaken(row: RowOf<Type>, change: FieldChange<Field>): string[];
  toCells(
    row: RowOf<Type>,
    change: FieldChange<Field>,
    how: { readonly version: number; readonly deactivation: Deactivation },
  ): Cells<Field>;
  /** True when access is taken by what waits. */
  removesAccess(row: RowOf<Type>, attributes: JsonObject, cells: Cells<Field>): boolean;
  /** Values that the rules give; undefined: they have no say in this change. */
  findRulings(
    tx: Db,
    rules: Rules,
    row: RowOf<Type>,
    asked: AskedAttributes | undefined,
  ): Promise<Rulings<Field> | undefined>;
  combine(row: RowOf<Type>, input: RuledAttributes<Field>): Combined<Field>;
  /** Fields to ask for where rules changed these. */
  toAsked(changed: readonly Field[], deactivation: Deactivation): readonly Field[];
}

/** Owned fields of users. */
export const userFields: FieldKind<'user', UserField> = {
  type: 'user',
  urn: USER_EXTENSION,
  toFields: toUserFields,
  toCellColumns: (cells) => toCellColumns(cells),
  listTaken(row, { before, after, fields, isDoubted }) {
    const { observed, deleted, upstreamId } = toUserState(row);
    return listTaken({
      before: before && toDesiredUser(before, deleted),
      after: toDesiredUser(after, deleted),
      observed: isDoubted ? undefined : observed,
      isInService: upstreamId !== undefined,
      fields,
    });
  },
  toCells: (row, { after: attributes, cells, fields }, how) =>
    toCellsAfterWrite({ state: toUserState(row), cells, attributes, fields, ...how }),
  removesAccess: (row, attributes, cells) =>
    removesUserAccess({ ...toUserState(row), desired: toDesiredUser(attributes, false), cells }),
  async findRulings(tx, { book }, row, asked) {
    // The groups are read only where the request touches a ruled field, or adopts the user.
    const isTouched = asked === undefined || row.origin === null || changesRuled(asked);
    if (book.isEmpty || !isTouched) return undefined;
    return book.ruleUser((await listGroupNamesOf(tx, [row.id])).get(row.id) ?? []);
  },
  combine(row, input) {
    const own = { cells: parseCells<UserField>(row), urn: USER_EXTENSION };
    return combine({ ...input, ...own, fields: RULED_USER_FIELDS });
  },
  // One switch serves two attributes: the remaining one decides where it stands.
  toAsked: (changed, deactivation) =>
    deactivation === 'temporarilyInactive' && changed.includes('temporarilyInactive')
      ? [...changed, 'active']
      : changed,
};

/** Owned fields of groups. */
export const groupFields: FieldKind<'group', GroupField> = {
  type: 'group',
  urn: GROUP_EXTENSION,
  toFields: toGroupFields,
  // Its members may be stuck too.
  toCellColumns: (cells) => ({ cells: JSON.stringify(cells) }),
  listTaken(row, { before, after, cells, fields, isDoubted }) {
    const { observed, ids, cells: known } = toGroupState(row);
    const own = listTaken({
      before: before && toDesiredGroup(before),
      after: toDesiredGroup(after),
      observed: isDoubted ? undefined : observed,
      isInService: isInService(ids),
      fields,
    });
    const entities = fields.filter(
      (field) =>
        isEntityField(field) &&
        losesRoles(findWantedRoles(known[field]), findWantedRoles(cells[field])),
    );
    return [...own, ...entities];
  },
  toCells: (row, { after: attributes, cells, fields }, { version }) =>
    toCellsAfterGroupWrite({ state: toGroupState(row), cells, attributes, fields, version }),
  // A removal that waits already keeps its class.
  removesAccess: (row, attributes, cells) =>
    row.due_class === 0 ||
    removesGroupAccess({ ...toGroupState(row), desired: toDesiredGroup(attributes), cells }),
  async findRulings(_tx, { book }, row, asked) {
    // Without a cell each value is a provider's.
    if (book.isEmpty && parseFields(parseCells<GroupField>(row)).length === 0) return undefined;
    const displayName = asked ? asked.attributes.displayName : row.name;
    const name = typeof displayName === 'string' ? displayName : '';
    return book.ruleGroup(name);
  },
  combine(row, input) {
    const { rulings, kept } = input;
    const known = parseCells<GroupField>(row);
    const own = { cells: known, urn: GROUP_EXTENSION, fields: RULED_GROUP_FIELDS };
    const combined = combine<GroupField>({ ...input, ...own });
    const wanted = new Map<EntityField, string>();
    for (const field of parseFields<GroupField>({ ...rulings, ...known })) {
      const roles = kept?.has(field) ? findWantedRoles(known[field]) : rulings[field]?.value;
      if (isEntityField(field) && roles !== undefined) wanted.set(field, String(roles));
    }
    const entities = wantEntities(combined.cells, wanted, toSeenEntities(row));
    const changed = [...combined.changed, ...entities.changed];
    return { ...combined, cells: entities.cells, changed };
  },
  toAsked: (changed) => changed,
};

function changesRuled({ before, attributes }: AskedAttributes): boolean {
  const [had, asked] = [before, attributes].map((each) => toExtension(each, USER_EXTENSION));
  return RULED_USER_FIELDS.some((field) => had?.[field] !== asked?.[field]);
}

/** Combines the attributes of a request with the rules. */
export async function combineAsked<Type extends ResourceKey['type'], Field extends string>(
  tx: Db,
  rules: Rules,
  kind: FieldKind<Type, Field>,
  { row, ...asked }: AskedAttributes & { readonly row: RowOf<Type> },
): Promise<Combined<Field>> {
  const { attributes } = asked;
  const rulings = await kind.findRulings(tx, rules, row, asked);
  if (rulings === undefined) return { attributes, cells: parseCells(row), changed: [] };
  return combineAllowed(tx, rules, kind, { row, attributes, rulings });
}

/** A rule that would take something from what is protected is ignored. */
async function combineAllowed<Type extends ResourceKey['type'], Field extends string>(
  tx: Db,
  { protection }: Rules,
  kind: FieldKind<Type, Field>,
  { row, ...input }: RuledAttributes<Field> & { readonly row: RowOf<Type> },
): Promise<Combined<Field>> {
  const combined = kind.combine(row, input);
  const { attributes: after, cells } = combined;
  // A field without a rule is released, which takes nothing.
  const fields = combined.changed.filter((field) => cells[field]?.source !== undefined);
  if (fields.length === 0) return combined;
  const before = parseStored<JsonObject>(row.attributes);
  const taken = new Set(kind.listTaken(row, { before, after, cells, fields }));
  if (taken.size === 0) return combined;
  const isProtected = (await protection.findReason(tx, row)) !== undefined;
  return isProtected ? kind.combine(row, { ...input, kept: taken }) : combined;
}

/** `rulings`: absent: they are found. */
interface RuledRow<Type extends ResourceKey['type'], Field extends string> {
  readonly row: RowOf<Type>;
  readonly rulings?: Rulings<Field>;
  readonly now: number;
}

/** Stored user or group after the rules, or undefined when they change nothing. */
export async function toRuled<Type extends ResourceKey['type'], Field extends string>(
  tx: Db,
  rules: Rules,
  kind: FieldKind<Type, Field>,
  { row, now, ...given }: RuledRow<Type, Field>,
): Promise<RowOf<Type> | undefined> {
  if (row.origin === null || row.deleted_at !== null) return undefined;
  const rulings = given.rulings ?? (await kind.findRulings(tx, rules, row, undefined));
  if (rulings === undefined) return undefined;
  const before = parseStored<JsonObject>(row.attributes);
  const combined = await combineAllowed(tx, rules, kind, { row, attributes: before, rulings });
  const { changed } = combined;
  if (changed.length === 0 && JSON.stringify(combined.cells) === row.cells) return undefined;
  const after = combined.attributes;
  const version = row.version + 1;
  let { cells } = combined;
  if (isLinked(row)) {
    const { deactivation } = rules;
    const change = { before, after, cells, fields: kind.toAsked(changed, deactivation) };
    const dropped = changed.filter((field) => combined.cells[field]?.source === undefined);
    cells = release(kind.toCells(row, change, { version, deactivation }), dropped);
  } else {
    // What is made anew is given its whole desired state, but for roles in entities.
    cells = ask(cells, changed.filter(isEntityField), version);
  }
  const isDue = listWaiting(cells).length > 0 && !isSameWork(parseCells(row), cells);
  return {
    ...row,
    ...toColumns(kind.type, after),
    ...kind.toCellColumns(cells),
    version,
    modified_at: now,
    due_at: isDue ? now : row.due_at,
    due_class: !isDue ? row.due_class : kind.removesAccess(row, after, cells) ? 0 : 1,
  };
}

/** True when the service was asked for this value of a field by a rule and not by a provider. */
export function isRuled(row: ResourceRow, field: UserField | GroupField): boolean {
  if (isEntityField(field)) return true;
  const cells = parseCells<UserField | GroupField>(row);
  if (cells[field]?.source?.by !== 'rule') return false;
  const attributes = parseStored<JsonObject>(row.attributes);
  const urn = row.type === 'user' ? USER_EXTENSION : GROUP_EXTENSION;
  return !isAsked({ attributes, cells, urn }, field);
}
