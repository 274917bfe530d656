import { isDeepStrictEqual } from 'node:util';
import type { Cells } from './cell.ts';
import { ask, askAgain, askOnly, edit, isWaiting, listWaiting, SENT_AGAIN } from './cell.ts';
import { holdsMore } from './change.ts';
import { isEntityField, leaveEntities, leavesEntity, listWantedEntities } from './entity.ts';
import { toExtension, toWrittenName, USER_EXTENSION, withExtension } from './extensions.ts';
import type {
  Compared,
  ComparedState,
  Deactivation,
  DesiredGroup,
  DesiredUser,
  Field,
  GroupState,
  OwnField,
  State,
  UserState,
} from './kinds.ts';
import { FIELDS, FIELDS_OF, isGone, isLinked, listDiffering } from './kinds.ts';
import { splitName } from './name.ts';
import { RULED_FIELDS } from './rule-book.ts';
import type { JsonObject, JsonValue } from './values.ts';
import { parseFields } from './values.ts';

/** Owned fields of a type that a write names. */
export const toFields = (type: keyof typeof FIELDS_OF, written: ReadonlySet<string>) =>
  parseFields<OwnField>(FIELDS_OF[type]).filter((field) =>
    FIELDS[field].names.some((name) => written.has(name)),
  );

/** Ends a suspension in the service that a provider asked for and now clears; other writes are returned as they are. */
export function withSuspensionEnded(
  before: JsonObject,
  { cells, attributes }: { readonly cells: Cells<Field>; readonly attributes: JsonObject },
): JsonObject {
  const read = (of: JsonObject) => toExtension(of, USER_EXTENSION).temporarilyInactive;
  const isCleared = read(before) === true && typeof read(attributes) !== 'boolean';
  if (!isCleared || cells.temporarilyInactive?.source?.value === true) return attributes;
  return withField(attributes, 'temporarilyInactive', false);
}

/** What is known of a user or group before and after a write. */
interface Write {
  readonly before: State;
  readonly after: State;
  readonly fields: readonly Field[];
  readonly version: number;
  readonly deactivation: Deactivation;
}

/**
 * Cells after a write: a field that it names waits unless the service surely holds its value; members and admins wait
 * row by row. A user without an account waits for one, or for a look where access is taken away.
 */
export function toCellsAfterWrite(write: Write): Cells<Field> {
  const { before, after, fields, version, deactivation } = write;
  const { cells } = after;
  if (after.type === 'group' && !isLinked(after)) {
    const made =
      after.staged === null ? (['existence', ...listWantedEntities(cells)] as const) : [];
    return askOnly(cells, made, version);
  }
  if (after.type === 'user' && before.type === 'user' && !isLinked(after)) {
    const isAsked = after.desired.active || mayHaveAccount(before);
    return askOnly(cells, isAsked ? ['account'] : [], version);
  }
  const differing = listDiffering(after, deactivation);
  const isUnsure = after.mustLook || isGone(after.observed) || differing === undefined;
  const isOpen = (field: Field) =>
    // An entity is named where the rules want other roles in it.
    isEntityField(field) ||
    isUnsure ||
    // What an earlier write still waits for is claimed, so that undoing that one cannot take it away.
    isWaiting(cells[field]) ||
    differing.includes(field);
  const waiting = fields.filter((field) => isOwned(field, after.desired) && isOpen(field));
  return ask(cells, waiting, version);
}

/** Fields of a user that no look shows. */
const UNSEEN: readonly Field[] = ['appsPermissions', 'temporarilyInactive'];

/** Asks for fields that the service may hold or not: a look shows it. What no look shows is sent, unless a call may still come. */
export function askDoubted(
  cells: Cells<Field>,
  fields: readonly Field[],
  { version, deactivation }: Pick<Write, 'version' | 'deactivation'>,
): Cells<Field> {
  const unseen = deactivation === 'scim' ? UNSEEN : [...UNSEEN, 'active'];
  return edit(askAgain(cells, fields, version), fields, (cell, field) =>
    unseen.includes(field) ? { ...cell, sent: cell.sent ?? SENT_AGAIN } : cell,
  );
}

/** True if an account may exist although none is known: others made it, or a create whose answer was lost. */
function mayHaveAccount({ desired, cells, mustLook, sent_creates }: UserState): boolean {
  const isCreated = sent_creates.length > 0 || mustLook;
  return isWaiting(cells.account) ? isCreated : desired.active;
}

/** False for a field that was never set: it is not ours. */
export function isOwned(field: string, desired: Partial<DesiredUser> | DesiredGroup): boolean {
  const values: Readonly<Record<string, unknown>> = desired;
  return field === 'address' || !(field in values) || values[field] !== undefined;
}

/**
 * The cells after a deletion: an account that the service knows is deactivated; a create on its way has to be found first.
 * A group that the bridge created is removed, another one leaves the entities of the rules.
 */
export function toCellsAfterDeletion(state: State, version: number): Cells<Field> {
  const { cells } = state;
  if (state.type === 'user') {
    if (isLinked(state)) return askOnly(cells, ['active'], version);
    return askOnly(cells, mayHaveAccount(state) ? ['account'] : [], version);
  }
  const isOwn = state.origin === 'created';
  const isToGo = isOwn && (isLinked(state) || state.mustLook);
  const asked = askOnly(cells, isToGo ? ['existence'] : [], version);
  return isOwn ? asked : leaveEntities(asked, version);
}

interface RefusedResource {
  readonly type: keyof typeof FIELDS_OF;
  readonly attributes: JsonObject;
  readonly cells: Cells<Field>;
  /** Attributes and cells before the write. */
  readonly before: { readonly attributes: JsonObject; readonly cells: Cells<Field> };
  readonly fields: readonly Field[];
  /** True: no other write was stored since, so all of it goes back; false: the refused fields alone. */
  readonly isLast: boolean;
  /** Version since which waits what had reached the service. */
  readonly version: number;
}

/** Takes a refused write back (RFC 7644 §3.5.2): its fields, and where it was the last write all that follows from it. */
export function takeBackWrite(refused: RefusedResource) {
  const { type, attributes: current, cells, before, fields, isLast, version } = refused;
  const listNames = (field: Field) => (isEntityField(field) ? [] : FIELDS[field].names);
  const names = fields.flatMap(listNames);
  const attributes = isLast ? before.attributes : takeNamed(current, before.attributes, names);
  const isChanged = (name: string) =>
    !isDeepStrictEqual(getNamed(current, name), getNamed(attributes, name));
  const others = parseFields<OwnField>(FIELDS_OF[type]).filter(
    (field) => !fields.includes(field) && listNames(field).some(isChanged),
  );
  const reached = others.filter((field) => !isWaiting(cells[field]));
  // With the resource go the sources of all its values.
  const isWhole = fields.some((field) => field === 'account' || field === 'existence');
  const sourced = isWhole ? [...RULED_FIELDS.user, ...RULED_FIELDS.group] : [];
  const restored = edit<Field>(cells, [...fields, ...others, ...sourced], (cell, field) => {
    const { pending, source } = before.cells[field] ?? {};
    return { ...cell, pending, source };
  });
  return { attributes, cells: ask(restored, reached, version) };
}

/** Attributes with a value of a field, as a change has it: a name is its full text. */
export function withField(attributes: JsonObject, field: OwnField, value: JsonValue | undefined) {
  const [name = field] = FIELDS[field].names;
  const isName = field === 'name' && typeof value === 'string';
  return withNamed(attributes, name, isName ? { ...splitName(value), formatted: value } : value);
}

/** The URN, empty in the core schema, and the attribute of a name (`toWrittenName`). */
function parseWrittenName(name: string): [urn: string, attribute: string] {
  const end = name.lastIndexOf(':');
  return end < 0 ? ['', name] : [name.slice(0, end), name.slice(end + 1)];
}

function getNamed(attributes: JsonObject, name: string): JsonValue | undefined {
  const [urn, attribute] = parseWrittenName(name);
  return (urn === '' ? attributes : toExtension(attributes, urn))[attribute];
}

function withNamed(attributes: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const [urn, attribute] = parseWrittenName(name);
  if (urn !== '') {
    return withExtension(attributes, urn, { ...toExtension(attributes, urn), [attribute]: value });
  }
  const { [attribute]: _, ...rest } = attributes;
  return value === undefined ? rest : { ...rest, [attribute]: value };
}

/** Attributes of which those with these names are taken from others. */
const takeNamed = (to: JsonObject, from: JsonObject, names: readonly string[]) =>
  names.reduce((next, name) => withNamed(next, name, getNamed(from, name)), to);

/** An attribute that a request writes, and of how many values; never the values. */
export interface WrittenPath {
  /** Of parts that were dropped, repaired or refused `path` is the kind of reason: their names may be personal. */
  readonly op: 'set' | 'add' | 'replace' | 'remove' | 'drop' | 'repair' | 'refuse';
  /** Path in the spelling of the schema, an extension's after its URN. */
  readonly path: string;
  /** 0: it is to have none; of a filter it is not known how many it meets, and counts as 1. */
  readonly values: number;
}

/** What a traced request said and was answered, with masked values; null: no text. */
export interface Exchange {
  readonly query: string;
  readonly body: JsonValue;
  readonly answer: JsonValue;
}

const HELD_FIELDS = ['active', ...RULED_FIELDS.user, ...RULED_FIELDS.group] as const;

type Holding = Partial<Pick<DesiredUser & DesiredGroup, (typeof HELD_FIELDS)[number]>>;

interface ProtectedChange {
  /** Undefined: nothing was desired before. */
  readonly before: Holding | undefined;
  readonly after: Holding;
  /** Undefined: the service was never seen to hold it. */
  readonly observed: Holding | undefined;
  /** True when the service has it. A value that was not seen may then be more than what is wanted. */
  readonly isInService: boolean;
  /** Owned fields that the change names; it takes nothing of the others, also where they differ. */
  readonly fields: readonly string[];
}

/** Lists the fields in which a change takes something from a user or group of what was desired or observed. */
export function listTaken(change: ProtectedChange): string[] {
  return HELD_FIELDS.filter((field) => change.fields.includes(field) && takes(change, field));
}

function takes(
  { before, after, observed, isInService }: ProtectedChange,
  field: (typeof HELD_FIELDS)[number],
): boolean {
  const isSuspension = field === 'temporarilyInactive';
  // Who is not said to be suspended works.
  const toValue = (one: Holding | undefined) =>
    one && (one[field] ?? (isSuspension ? false : undefined));
  const [was, is, seen] = [toValue(before), after[field], toValue(observed)];
  const isMore = (value: boolean | number | undefined) =>
    value !== undefined &&
    holdsMore({ desired: { [field]: is ?? null }, observed: { [field]: value } });
  // Clearing a wanted value takes all of it, and nothing else that the service holds.
  if (is === undefined || was !== undefined || seen !== undefined)
    return isMore(was) || (is !== undefined && isMore(seen));
  // What is unknown may be all.
  return isInService && (typeof is === 'number' || isMore(!isSuspension));
}

/** Lists the fields that wait and in which the service was seen to grant more than is wanted. */
export function listLosses({ desired: after, observed, cells }: ComparedState): string[] {
  const known = { before: undefined, after, observed: observed ?? undefined, isInService: false };
  return listTaken({ ...known, fields: listWaiting<string>(cells) });
}

/** True when a change that waits and can be made now removes access: such a user or group goes first. */
export function removesAccess(
  state: Pick<UserState, Compared> | Pick<GroupState, Compared | 'deleted_at' | 'links'>,
): boolean {
  if (listLosses(state).length > 0) return true;
  if (state.type === 'group') {
    const { deleted_at, cells, links } = state;
    return deleted_at !== null || leavesEntity(cells) || links.some(({ wanted }) => !wanted);
  }
  const { desired, cells } = state;
  const isOut = !desired.active && (isWaiting(cells.active) || isWaiting(cells.account));
  return isOut || (desired.temporarilyInactive === true && isWaiting(cells.temporarilyInactive));
}

/** A change with nothing but the access it takes. @param urn of the extension @param taken `active`, or its fields */
export function onlyTaken(
  { before, after, urn }: { readonly before: JsonObject; readonly after: JsonObject; urn: string },
  taken: readonly string[],
): { attributes: JsonObject; names: ReadonlySet<string> } {
  const names = taken.map((name) => (name === 'active' ? name : toWrittenName(urn, name)));
  return { attributes: takeNamed(before, after, names), names: new Set(names) };
}
