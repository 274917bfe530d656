import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { badRequest, invalidSyntax, invalidValue } from '../errors.ts';
import { assertFewOfUsers, countComparisons, type Filter, listIds } from '../filter/tree.ts';
import { attempt, type Repairs } from '../repairs.ts';
import {
  type AttributeRule,
  type ResourceSchema,
  toPathText,
  type UserList,
} from '../schema/resource-schemas.ts';
import { coerceElement, coerceList, coerceValue } from './coerce.ts';
import { assertAcceptable, countSchemas, findPart, openBody } from './parse-json.ts';
import { type PatchStep, type PatchTarget, parsePath } from './parse-path.ts';
import { type BodyEntry, listUnassigned, readBody, readUserIds } from './parse-resource.ts';

/** Kind of an operation. @see RFC 7644 §3.5.2 */
type PatchOp = 'add' | 'replace' | 'remove';

const OPS: ReadonlyMap<string, PatchOp> = new Map(
  (['add', 'replace', 'remove'] as const).map((op) => [op, op]),
);

/** Most operations of one PATCH; those that add or remove members by their ids do not count. */
const PATCH_OPERATIONS_MAX = 1_000;
/** Most comparisons in all paths of one PATCH. */
const COMPARISONS_MAX = 2_000;

/** Facts that all operations of one request share. */
interface Context {
  readonly schema: ResourceSchema;
  readonly repairs: Repairs;
}

/**
 * Reads the body of a PATCH in any provider's dialect into canonical operations, in order. Nothing is
 * applied here, so that a PATCH is taken as a whole or not at all.
 * @throws ScimError 400 `invalidSyntax`: no operations, an unknown op; `invalidPath` and `mutability`: see
 * `parsePath`; `noTarget`: a removal of nothing; `invalidValue`: no value, one of the wrong type, or too many
 * operations; `invalidFilter`: filters that compare too much
 * @see RFC 7644 §3.5.2
 */
export function parsePatch(body: unknown, { schema, repairs }: Context): PatchStep[] {
  const object = openBody(body);
  countSchemas(object, ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], repairs);
  const given = findPart(object, 'Operations', repairs);
  if (isJsonObject(given)) repairs.count('operation-for-list');
  const operations = isJsonObject(given) ? [given] : given;
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalidSyntax('The body has no Operations.');
  }
  const spent = { operations: 0, comparisons: 0, ofUsers: 0 };
  return operations.flatMap((operation, index) => {
    const number = operations.length === 1 ? undefined : index + 1;
    const place = number === undefined ? number : () => `Operation ${number}`;
    const read = (inside: Repairs) => readOperation(operation, { schema, repairs: inside });
    const steps = attempt(repairs, place, read) ?? [];
    spend(spent, steps);
    return number === undefined ? steps : steps.map((step) => ({ ...step, operation: number }));
  });
}

/** Cost of the operations of one request so far. */
interface Spent {
  operations: number;
  comparisons: number;
  /** Comparisons with each user of a group. */
  ofUsers: number;
}

function spend(spent: Spent, steps: readonly PatchStep[]): void {
  for (const step of steps) {
    if (step.kind === 'users-where') spent.ofUsers += countComparisons(step.filter);
    else if (step.kind !== 'users' && step.target.where) {
      spent.comparisons += countComparisons(step.target.where);
    }
  }
  const isByIds = steps.every((step) => step.kind === 'users' && step.op !== 'replace');
  if (!isByIds) spent.operations += 1;
  assertFewOfUsers(spent.ofUsers, 'invalidFilter');
  if (spent.operations > PATCH_OPERATIONS_MAX) {
    throw invalidValue(`The body has more than ${PATCH_OPERATIONS_MAX} Operations.`);
  }
  if (spent.comparisons > COMPARISONS_MAX) {
    const detail = `The paths compare with more than ${COMPARISONS_MAX} values.`;
    throw badRequest('invalidFilter', detail);
  }
}

function readOperation(operation: JsonValue, context: Context): PatchStep[] {
  if (!isJsonObject(operation)) throw invalidSyntax('An operation is not a JSON object.');
  assertAcceptable(operation);
  const { repairs } = context;
  const path = findPart(operation, 'path', repairs) ?? '';
  if (typeof path !== 'string') {
    throw badRequest('invalidPath', 'The path of an operation is not a text.');
  }
  const word = findPart(operation, 'op', repairs);
  const op = typeof word === 'string' ? OPS.get(word.trim().toLowerCase()) : undefined;
  if (!op) throw invalidSyntax('The op of an operation is none of add, replace and remove.');
  if (op !== word) repairs.count('op-case');
  const value = findPart(operation, 'value', repairs);
  if (path.trim() !== '') return toPathSteps(op, path, value, context);
  if (repairs.isStrict) repairs.count('path-missing');
  // Without a path the value is an object that names the attributes.
  if (op === 'remove') throw badRequest('noTarget', 'A remove operation has no path.');
  const [only, ...others] = Array.isArray(value) ? value : [value];
  if (isJsonObject(only) && others.length === 0) return toObjectSteps(op, only, context);
  throw invalidValue('An operation without a path needs an object of attributes as its value.');
}

function toPathSteps(
  op: PatchOp,
  path: string,
  value: JsonValue | undefined,
  context: Context,
): PatchStep[] {
  const { schema, repairs } = context;
  const parsed = parsePath(path, schema, repairs);
  if (parsed.kind === 'dropped') return [];
  if (parsed.kind === 'attribute') return toSteps({ op, target: parsed.target, value }, repairs);
  const isWhole = op === 'remove' || value === null || value === '';
  if (isWhole && parsed.table !== schema.core) {
    return toEntrySteps('remove', listUnassigned(schema, parsed.table), repairs);
  }
  if (op === 'remove') throw badRequest('mutability', 'The core schema cannot be removed.');
  if (!isJsonObject(value)) throw invalidValue('A schema needs an object of attributes.');
  return toObjectSteps(op, { [parsed.table.urn]: value }, context);
}

/** An object without a path: each of its keys is an operation of its own. */
function toObjectSteps(op: PatchOp, object: JsonObject, { schema, repairs }: Context): PatchStep[] {
  const { entries, filtered } = readBody(object, schema, repairs);
  const steps = toEntrySteps(op, entries, repairs);
  for (const path of filtered) {
    const read = (inside: Repairs) =>
      toPathSteps(op, path, object[path], { schema, repairs: inside });
    steps.push(...(attempt(repairs, undefined, read) ?? []));
  }
  return steps;
}

function toEntrySteps(op: PatchOp, entries: readonly BodyEntry[], repairs: Repairs): PatchStep[] {
  return entries.flatMap(({ path, value }) => {
    const operation = { op, target: { path, where: undefined }, value };
    return attempt(repairs, undefined, (inside) => toSteps(operation, inside)) ?? [];
  });
}

/** One operation on one target. `value` undefined: there is none. */
interface TargetedOperation {
  readonly op: PatchOp;
  readonly target: PatchTarget;
  readonly value: JsonValue | undefined;
}

/**
 * The canonical step of one operation, or none when it changes nothing.
 * @throws ScimError 400 `invalidValue`, `mutability` (a required attribute cannot be removed), `invalidPath`
 */
function toSteps(operation: TargetedOperation, repairs: Repairs): PatchStep[] {
  const list = operation.target.path.userList;
  const step = list
    ? toUserListStep(list, operation, repairs)
    : toAttributeStep(operation, repairs);
  return step === undefined ? [] : [{ ...step, sent: operation.value }];
}

function toAttributeStep(operation: TargetedOperation, repairs: Repairs): PatchStep | undefined {
  const { op, target } = operation;
  const { attribute, sub } = target.path;
  if (target.where && !sub && repairs.isStrict) {
    throw badRequest('invalidPath', 'A path with a filter names no part of the value.');
  }
  if (op !== 'remove') return toAssignment(op, operation, repairs);
  if (attribute.name === 'active') return keepActive(repairs);
  if (!attribute.required) return toRemoval(operation, repairs);
  throw badRequest('mutability', `${toPathText(target.path)} cannot be removed.`);
}

function toAssignment(
  op: 'add' | 'replace',
  { target, value }: TargetedOperation,
  repairs: Repairs,
): PatchStep | undefined {
  const { attribute, sub } = target.path;
  const name = toPathText(target.path);
  if (value === undefined) throw invalidValue(`The ${op} of ${name} has no value.`);
  if (op === 'add' && isEmpty(value)) return undefined;
  const coerced = coerceFor(target, value, repairs);
  if (coerced === undefined) return undefined;
  if (coerced === null && attribute.name === 'active') return keepActive(repairs);
  const isBlank = coerced === null || (typeof coerced === 'string' && coerced.trim() === '');
  if (isBlank && attribute.required) throw invalidValue(`${name} cannot be blank.`);
  if (coerced !== null) return { kind: 'set', op, target, value: coerced };
  // Nothing is added to a list.
  return op === 'add' && attribute.multiValued && !sub ? undefined : { kind: 'clear', target };
}

/** True for a list or an object of nothing. */
function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function coerceFor(
  { path: { attribute, sub }, where }: PatchTarget,
  value: JsonValue,
  repairs: Repairs,
): JsonValue | undefined {
  if (sub) return coerceElement(attribute, { [sub.name]: value }, repairs)?.[sub.name];
  if (where) return coerceElement(attribute, value, repairs);
  return coerceValue(attribute, value, repairs);
}

/** An account is on or off; blank must not switch it. */
function keepActive(repairs: Repairs): undefined {
  repairs.count('blank-active-dropped');
}

function toRemoval({ target, value }: TargetedOperation, repairs: Repairs): PatchStep {
  const { attribute, sub, keys } = target.path;
  const isWhole = sub === undefined || sub.name === 'value';
  const isGiven = value !== undefined && value !== null;
  if (target.where && isGiven) repairs.count('remove-value-dropped');
  if (!attribute.multiValued || !isWhole || target.where || !isGiven) {
    return { kind: 'clear', target };
  }
  repairs.count('remove-by-value');
  const path = { ...target.path, sub: undefined, keys: sub ? keys.slice(0, -1) : keys };
  const values = coerceList(attribute, value, repairs) ?? [];
  return { kind: 'exclude', target: { ...target, path }, values };
}

function toUserListStep(
  list: UserList,
  { op, target, value }: TargetedOperation,
  repairs: Repairs,
): PatchStep | undefined {
  const { sub } = target.path;
  const isGiven = value !== undefined && value !== null;
  if (target.where) {
    const step = toUserRemoval(list, op, { where: target.where, sub }, repairs);
    if (isGiven) repairs.count('remove-value-dropped');
    return step;
  }
  // The parts of a member are immutable (RFC 7643 §8.7.1).
  if (sub) throw badRequest('mutability', `${list} change as a whole, not by ${sub.name}.`);
  if (op === 'remove' && !isGiven) return { kind: 'users', list, op: 'replace', ids: [] };
  if (value === undefined) throw invalidValue(`The ${op} of ${list} has no value.`);
  if (op === 'remove') repairs.count('remove-by-value');
  const ids = readUserIds({ path: target.path, value }, repairs);
  return ids.length === 0 && op !== 'replace' ? undefined : { kind: 'users', list, op, ids };
}

function toUserRemoval(
  list: UserList,
  op: PatchOp,
  { where, sub }: { readonly where: Filter; readonly sub: AttributeRule | undefined },
  repairs: Repairs,
): PatchStep {
  const parts = where.kind === 'and' ? where.parts : [where];
  if (repairs.isStrict && !parts.some((part) => listIds(part)?.length === 1)) {
    throw badRequest('invalidFilter', `The filter of ${list} may find several of them.`);
  }
  if (op !== 'remove' || (sub && sub.name !== 'value')) {
    throw badRequest('mutability', `${list} are added by value and removed, never changed.`);
  }
  const ids = listIds(where);
  return ids
    ? { kind: 'users', list, op: 'remove', ids }
    : { kind: 'users-where', list, filter: where };
}
