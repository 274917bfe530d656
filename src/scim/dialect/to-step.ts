import type { JsonValue } from '../../domain/json.ts';
import { badRequest, invalidValue } from '../errors.ts';
import { type Filter, listIds } from '../filter/tree.ts';
import type { Repairs } from '../repairs.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import { toPathText, type UserList } from '../schema/resource-schemas.ts';
import { assertShortFilter, coerceElement, coerceList, coerceValue } from './coerce.ts';
import { readUserIds } from './parse-group.ts';
import type { PatchStep, PatchTarget } from './patch-step.ts';

/** Kind of an operation. @see RFC 7644 §3.5.2 */
export type PatchOp = 'add' | 'replace' | 'remove';

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
export function toStep(operation: TargetedOperation, repairs: Repairs): PatchStep[] {
  const list = operation.target.path.userList;
  const steps = list
    ? toUserListStep(list, operation, repairs)
    : toAttributeStep(operation, repairs);
  return steps.map((step) => ({ ...step, sent: operation.value }));
}

function toAttributeStep(operation: TargetedOperation, repairs: Repairs): PatchStep[] {
  const { op, target, value } = operation;
  if (target.where && !target.path.sub && repairs.isStrict) {
    throw badRequest('invalidPath', 'A path with a filter names no part of the value.');
  }
  if (op === 'remove') return toRemoval(operation, repairs);
  if (value === undefined)
    throw invalidValue(`The ${op} of ${toPathText(target.path)} has no value.`);
  if (op === 'add' && isEmpty(value)) return [];
  const coerced = coerceFor(target, value, repairs);
  if (coerced === undefined) return [];
  if (coerced === null) return toUnassignment(op, target, repairs);
  if (isRequired(target) && typeof coerced === 'string' && coerced.trim() === '') {
    throw invalidValue(`${toPathText(target.path)} cannot be blank.`);
  }
  // Where no element fits the filter, one may be made of the values that it names.
  if (target.where) assertShortFilter(target.path.attribute.name, target.where);
  return [{ kind: 'set', op, target, value: coerced }];
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

function toUnassignment(op: PatchOp, target: PatchTarget, repairs: Repairs): PatchStep[] {
  const { attribute, sub } = target.path;
  if (attribute.name === 'active') return keepActive(repairs);
  if (isRequired(target)) throw invalidValue(`${toPathText(target.path)} cannot be blank.`);
  if (op === 'add' && attribute.multiValued && !sub) return []; // Nothing is added.
  return [{ kind: 'clear', target }];
}

/** An account is on or off; blank must not switch it. */
function keepActive(repairs: Repairs): PatchStep[] {
  repairs.count('blank-active-dropped');
  return [];
}

function toRemoval({ target, value }: TargetedOperation, repairs: Repairs): PatchStep[] {
  const { attribute, sub } = target.path;
  if (attribute.name === 'active') return keepActive(repairs);
  if (isRequired(target))
    throw badRequest('mutability', `${toPathText(target.path)} cannot be removed.`);
  const isWhole = sub === undefined || sub.name === 'value';
  const isByValue = attribute.multiValued && isWhole && !target.where;
  const isGiven = value !== undefined && value !== null;
  if (target.where && isGiven) repairs.count('remove-value-dropped');
  if (!isByValue || !isGiven) return [{ kind: 'clear', target }];
  repairs.count('remove-by-value');
  const keys = sub ? target.path.keys.slice(0, -1) : target.path.keys;
  const whole = { ...target, path: { ...target.path, sub: undefined, keys } };
  const values = coerceList(attribute, value, repairs);
  return [{ kind: 'exclude', target: whole, values: values ?? [] }];
}

function toUserListStep(
  list: UserList,
  { op, target, value }: TargetedOperation,
  repairs: Repairs,
): PatchStep[] {
  const { sub } = target.path;
  if (target.where) {
    const steps = toUserRemoval(list, op, { where: target.where, sub }, repairs);
    if (value !== undefined && value !== null) repairs.count('remove-value-dropped');
    return steps;
  }
  // The parts of a member are immutable (RFC 7643 §8.7.1).
  if (sub) throw badRequest('mutability', `${list} change as a whole, not by ${sub.name}.`);
  if (op === 'remove' && (value === undefined || value === null)) {
    return [{ kind: 'users', list, op: 'replace', ids: [] }];
  }
  if (value === undefined) throw invalidValue(`The ${op} of ${list} has no value.`);
  if (op === 'remove') repairs.count('remove-by-value');
  const ids = readUserIds({ path: target.path, value }, repairs);
  return ids.length === 0 && op !== 'replace' ? [] : [{ kind: 'users', list, op, ids }];
}

function toUserRemoval(
  list: UserList,
  op: PatchOp,
  { where, sub }: { readonly where: Filter; readonly sub: AttributeRule | undefined },
  repairs: Repairs,
): PatchStep[] {
  const parts = where.kind === 'and' ? where.parts : [where];
  if (repairs.isStrict && !parts.some((part) => listIds(part)?.length === 1)) {
    throw badRequest('invalidFilter', `The filter of ${list} may find several of them.`);
  }
  if (op === 'remove' && (!sub || sub.name === 'value')) {
    const ids = listIds(where);
    return ids
      ? [{ kind: 'users', list, op: 'remove', ids }]
      : [{ kind: 'users-where', list, filter: where }];
  }
  throw badRequest('mutability', `${list} are added by value and removed, never changed.`);
}

/** True when the attribute is required; such attributes have no parts. */
function isRequired({ path: { attribute } }: PatchTarget): boolean {
  return attribute.required;
}
