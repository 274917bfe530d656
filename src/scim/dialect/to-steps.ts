import { toWrittenName } from '../../domain/extensions.ts';
import type { LinkList } from '../../domain/link.ts';
import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { isJsonObject } from '../../domain/values.ts';
import { badRequest, invalidValue } from '../errors.ts';
import type { Filter } from '../filter/tree.ts';
import { listIds } from '../filter/tree.ts';
import type { Repairs } from '../repairs.ts';
import { attempt } from '../repairs.ts';
import type { AttributePath, AttributeRule } from '../schema/resource-schemas.ts';
import { findRule, toPathText } from '../schema/resource-schemas.ts';
import { coerceElement, coerceList, coerceValue, unwrapNamed } from './coerce.ts';
import { assertStorable, findPart, toItems, unpackText } from './parse-json.ts';

/** Target of an operation. */
export interface PatchTarget {
  readonly path: AttributePath;
  /** Filter of the elements of a list; its names start at the element. undefined: the attribute itself, or all elements. */
  readonly where: Filter | undefined;
}

/**
 * One canonical operation of a write; an operation of a provider becomes none, one or several. `set`: parts may be
 * null, which unassigns them. `exclude`: leaves elements of a list out. `users-where`: members or admins by a filter.
 */
export type PatchStep = (AttributeStep | UserListStep) & {
  /** The operation that it comes from, counted from 1; absent where that is the only one. */
  readonly operation?: number;
};

/** An operation on anything but the lists of users of a group. */
export type AttributeStep = { readonly target: PatchTarget } & (
  | { readonly kind: 'set'; readonly op: 'add' | 'replace'; readonly value: JsonValue }
  | { readonly kind: 'clear' }
  | { readonly kind: 'exclude'; readonly values: readonly JsonObject[] }
);

type UserListStep = { readonly list: LinkList } & (
  | { readonly kind: 'users'; readonly op: PatchOp; readonly ids: SentIds }
  | { readonly kind: 'users-where'; readonly filter: Filter }
);

/** Ids of users, who may not exist, each with its place in the list as it was sent, counted from 1. */
export type SentIds = ReadonlyMap<string, number>;

/** Kind of an operation. @see RFC 7644 §3.5.2 */
export type PatchOp = 'add' | 'replace' | 'remove';

/** True for a step on anything but the lists of users of a group. */
export function isAttributeStep(step: PatchStep): step is Extract<PatchStep, AttributeStep> {
  return step.kind !== 'users' && step.kind !== 'users-where';
}

/** Attributes that the steps name (`toWrittenName`), without the lists of users. */
export function listStepNames(steps: readonly PatchStep[]): Set<string> {
  const paths = steps.filter(isAttributeStep).map(({ target }) => target.path);
  return new Set(paths.map(({ extension, attribute }) => toWrittenName(extension, attribute.name)));
}

/** Place of an id in the last step that puts it into the list, for the words of an error. */
export function findPlace(steps: readonly PatchStep[], list: LinkList, id: string): string {
  for (const step of steps.toReversed()) {
    if (step.kind !== 'users' || step.list !== list || step.op === 'remove') continue;
    const at = step.ids.get(id);
    if (at === undefined) continue;
    const operation = step.operation === undefined ? '' : `Operation ${step.operation}: `;
    return `${operation}Value ${at} of ${list}s`;
  }
  return `A value of ${list}s`;
}

/** One operation on one target. `whole`: an attribute of the body of a POST or PUT. */
interface TargetedOperation {
  readonly op: PatchOp | 'whole';
  readonly target: PatchTarget;
  /** undefined: there is none. */
  readonly value: JsonValue | undefined;
}

/** The canonical step of one operation, or none when it changes nothing. @throws ScimError 400 */
export function toSteps(operation: TargetedOperation, repairs: Repairs): PatchStep[] {
  const { op, target } = operation;
  const list = target.path.userList;
  const isPart = op === 'add' || op === 'remove';
  // A replacement of which a value cannot be read does not say what is to go, so it is left out as a whole.
  const inside = isPart ? repairs : { ...repairs, leaveOut: undefined };
  const step = list ? toUserListStep(list, operation, inside) : toAttributeStep(operation, inside);
  return step === undefined ? [] : [step];
}

function toAttributeStep(operation: TargetedOperation, repairs: Repairs): PatchStep | undefined {
  const { op, target } = operation;
  const { attribute, extension, sub } = target.path;
  if (target.where && !sub && repairs.isStrict) {
    throw badRequest('invalidPath', 'A path with a filter names no part of the value.');
  }
  if (op !== 'remove') return toAssignment(op, operation, repairs);
  if (attribute.name === 'active') return keepActive(repairs);
  // An attribute that an extension requires may go with the extension.
  if (!attribute.required || extension) return toRemoval(operation, repairs);
  throw badRequest('mutability', `${toPathText(target.path)} cannot be removed.`);
}

function toAssignment(
  op: 'add' | 'replace' | 'whole',
  { target, value }: TargetedOperation,
  repairs: Repairs,
): PatchStep | undefined {
  const { attribute, extension, sub } = target.path;
  const name = toPathText(target.path);
  if (value === undefined) throw invalidValue(`The ${op} of ${name} has no value.`);
  if (op === 'add' && isEmpty(value)) return undefined;
  const coerced = coerceFor(target, value, repairs);
  if (coerced === undefined) return undefined;
  if (attribute.required && !extension && coerced === null) {
    throw invalidValue(`${name} cannot be blank.`);
  }
  if (coerced !== null) {
    return { kind: 'set', op: op === 'add' ? op : 'replace', target, value: coerced };
  }
  // In a whole body null says no more than its absence (RFC 7643 §2.5).
  if (attribute.name === 'active') {
    return op === 'whole' && value === null ? undefined : keepActive(repairs);
  }
  // Nothing is added to a list.
  return op === 'add' && attribute.multiValued && !sub ? undefined : { kind: 'clear', target };
}

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
  const { attribute, extension, sub, keys } = target.path;
  const isWhole = sub === undefined || sub.name === 'value';
  const isGiven = value !== undefined && value !== null;
  if (target.where && isGiven) repairs.count('remove-value-dropped');
  if (!attribute.multiValued || !isWhole || target.where || !isGiven) {
    return { kind: 'clear', target };
  }
  repairs.count('remove-by-value');
  const path = { ...target.path, sub: undefined, keys: keys.slice(0, extension ? 2 : 1) };
  const values = coerceList(attribute, value, repairs) ?? [];
  return { kind: 'exclude', target: { ...target, path }, values };
}

function toUserListStep(
  list: LinkList,
  { op, target, value }: TargetedOperation,
  repairs: Repairs,
): PatchStep | undefined {
  const { sub, attribute } = target.path;
  const isGiven = value !== undefined && value !== null;
  if (target.where) {
    const isRemoval = op === 'remove' && (!sub || sub.name === 'value');
    const step = toUserRemoval(list, { where: target.where, isRemoval }, repairs);
    if (isGiven) repairs.count('remove-value-dropped');
    return step;
  }
  // The parts of a member are immutable (RFC 7643 §8.7.1).
  if (sub) throw badRequest('mutability', `${list}s change as a whole, not by ${sub.name}.`);
  if (op === 'remove' && !isGiven) return { kind: 'users', list, op: 'replace', ids: new Map() };
  if (value === undefined) throw invalidValue(`The ${op} of ${list}s has no value.`);
  if (op === 'remove') repairs.count('remove-by-value');
  const ids = readUserIds(attribute, value, repairs);
  if (op === 'whole') return { kind: 'users', list, op: 'replace', ids };
  return ids.size === 0 && op !== 'replace' ? undefined : { kind: 'users', list, op, ids };
}

function toUserRemoval(
  list: LinkList,
  { where, isRemoval }: { readonly where: Filter; readonly isRemoval: boolean },
  repairs: Repairs,
): PatchStep {
  const parts = where.kind === 'and' ? where.parts : [where];
  if (repairs.isStrict && !parts.some((part) => listIds(part)?.length === 1)) {
    throw badRequest('invalidFilter', `The filter of ${list}s may find several of them.`);
  }
  if (!isRemoval) {
    throw badRequest('mutability', `${list}s are added by value and removed, never changed.`);
  }
  const ids = listIds(where);
  if (ids === undefined) return { kind: 'users-where', list, filter: where };
  return { kind: 'users', list, op: 'remove', ids: new Map(ids.map((id, at) => [id, at + 1])) };
}

/** The ids of the users of a list, in the order sent; null and "" are no user. @throws ScimError 400 `invalidValue`: an element without an id */
function readUserIds(rule: AttributeRule, value: JsonValue, repairs: Repairs): SentIds {
  const items = toItems(unwrapNamed(rule, value, repairs), repairs);
  const ids = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const place = () => `Value ${index + 1} of ${rule.name}`;
    const id = attempt(repairs, place, (inside) => readId(rule, item, inside));
    if (id !== undefined && !ids.has(id)) ids.set(id, index + 1);
  }
  if (ids.size < items.length) repairs.count('duplicate-values');
  return ids;
}

/** Address of a member, absolute or not. */
const ADDRESS = /(?:^|\/)(?:Users|Groups)\/([^/?#]+)$/i;

function readId(rule: AttributeRule, given: JsonValue, repairs: Repairs): string {
  const item = unpackText(given, repairs);
  if (!isJsonObject(item)) repairs.count('value-for-object');
  const member = isJsonObject(item) ? item : { value: item };
  // The id alone is taken: `keepKnown` finds the resource.
  for (const name of Object.keys(member)) {
    const sub = findRule(rule.subAttributes, name);
    if (!sub) repairs.count('unknown-attribute-dropped', `${rule.name}.${name}`);
    else if (sub.mutability === 'readOnly') repairs.count('read-only-dropped');
  }
  const value = findPart(member, 'value') ?? findPart(member, '$ref');
  // A broken document is the id of nobody.
  if (typeof value === 'string' && value !== '' && !/^\s*[[{].*"/s.test(value)) {
    assertStorable(value);
    return ADDRESS.exec(value)?.[1] ?? value.trim();
  }
  if (typeof value !== 'number') {
    throw invalidValue(`Each of the ${rule.name} needs a value: the id of a user.`);
  }
  repairs.count('text-as-other');
  return String(value);
}
