import { assertNever, BridgeError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { USER_LIST_MAX } from '../dialect/coerce.ts';
import type { AttributeStep, PatchStep, PatchTarget } from '../dialect/parse-path.ts';
import {
  hasContent,
  type Identity,
  isPrimary,
  mergeElements,
  toIdentity,
  toValueContent,
  withoutNulls,
} from '../dialect/value-list.ts';
import { badRequest, invalidValue } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { countComparisons, type Filter } from '../filter/tree.ts';
import { attempt, type Repairs, UNCOUNTED } from '../repairs.ts';
import type { AttributePath, AttributeRule } from '../schema/resource-schemas.ts';

/** Most looks at values, and changes of them, of one PATCH; a provider's needs some hundreds. */
const WORK_MAX = 200_000;

/**
 * The attributes after all steps, in order; the input is not touched. Adding an existing value and removing a
 * missing one change nothing. An object merges the parts that are given, as Entra
 * expects of replace too, unless it refers to something by its `value`.
 * @throws ScimError 400 `noTarget`: a filter that finds nothing and does not say what to create; `invalidValue`: more
 * work than `WORK_MAX`
 * @see RFC 7644 §3.5.2
 */
export function applyUserPatch(
  attributes: JsonObject,
  steps: readonly PatchStep[],
  repairs: Repairs = UNCOUNTED,
): JsonObject {
  const budget = { left: WORK_MAX };
  const result = { ...attributes };
  const lists = new Map<AttributeRule, OpenList>();
  // A list of which one change is left out stays as it was.
  const spoiled = new Set<OpenList>();
  for (const { operation, ...given } of steps) {
    const step = toAttributeStep(given);
    const { path } = step.target;
    if (!path.attribute.multiValued) {
      // Entra gives one part of a name at a time; a strict client replaces it as a whole.
      const replaces = repairs.isStrict && step.kind === 'set' && step.op === 'replace';
      const held = (current: JsonValue | undefined) =>
        replaces && !path.sub ? undefined : current;
      change(result, path, (current) => patchValue(held(current), step));
      continue;
    }
    const list = lists.get(path.attribute) ?? open(result, path, budget);
    lists.set(path.attribute, list);
    const place = operation === undefined ? operation : () => `Operation ${operation}`;
    const isDone = attempt(repairs, place, () => patchList(list, step, repairs) ?? true);
    if (!isDone) spoiled.add(list);
  }
  // Only at the end: {type, primary} alone says nothing, but the next step may give it a value.
  for (const list of lists.values()) {
    const tidy = attempt(repairs, undefined, () => tidyList(list));
    if (tidy === undefined || spoiled.has(list)) continue;
    change(result, list.path, () => (tidy.length === 0 ? undefined : tidy));
  }
  return result;
}

/** The values of a list while steps change them. */
interface OpenList {
  readonly path: AttributePath;
  values: JsonObject[];
  /** The last value with content that another one took `primary` from. */
  ousted: JsonObject | undefined;
  readonly identities: WeakMap<JsonObject, Identity>;
  /** Work that is left to one PATCH. */
  readonly budget: { left: number };
}

function open(result: JsonObject, path: AttributePath, budget: OpenList['budget']): OpenList {
  const { extension, attribute } = path;
  const container = extension === undefined ? result : result[extension];
  const held = isJsonObject(container) ? container[attribute.name] : undefined;
  const values = Array.isArray(held) ? held.filter(isJsonObject) : [];
  return { path, values, ousted: undefined, identities: new WeakMap(), budget };
}

/** Characters that cost about as much as a look, and comparisons of a value's identity. */
const UNITS_A_LOOK = 16;

/** @throws ScimError 400 `invalidValue`: more work than `WORK_MAX` */
function spend({ budget }: OpenList, looks: number): void {
  budget.left -= looks;
  if (budget.left >= 0) return;
  throw invalidValue(
    `The operations look at more than ${WORK_MAX} values; each counts as often as it is compared or changed, and once more for every ${UNITS_A_LOOK} characters. Send fewer operations at once, or replace the list.`,
  );
}

/** Looks that one at this element counts as. */
function weigh(element: JsonObject): number {
  let characters = 0;
  for (const part of Object.values(element)) {
    if (typeof part === 'string') characters += part.length;
  }
  return 1 + Math.floor(characters / UNITS_A_LOOK);
}

function toAttributeStep(step: PatchStep): AttributeStep {
  if (step.kind === 'users' || step.kind === 'users-where') {
    throw new BridgeError('bug', `a user has no ${step.list}`);
  }
  return step;
}

function change(
  result: JsonObject,
  { extension, attribute }: AttributePath,
  toValue: (current: JsonValue | undefined) => JsonValue | undefined,
): void {
  if (extension === undefined) {
    put(result, attribute.name, toValue(result[attribute.name]));
    return;
  }
  const held = result[extension];
  const container = { ...(isJsonObject(held) ? held : {}) };
  put(container, attribute.name, toValue(container[attribute.name]));
  put(result, extension, Object.keys(container).length > 0 ? container : undefined);
}

function put(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value === undefined) delete object[name];
  else object[name] = value;
}

function patchValue(current: JsonValue | undefined, step: AttributeStep): JsonValue | undefined {
  const { sub } = step.target.path;
  if (sub) return patchPart(isJsonObject(current) ? current : {}, sub.name, step);
  switch (step.kind) {
    case 'set':
      return isJsonObject(step.value) ? patchObject(current, step.value) : step.value;
    case 'clear':
    case 'exclude':
      return undefined;
    default:
      return assertNever(step);
  }
}

function patchPart(current: JsonObject, name: string, step: AttributeStep): JsonObject | undefined {
  const { [name]: held, ...others } = current;
  const isReference = name === 'value';
  if (step.kind === 'set') {
    // The other parts belong to the value that was referred to before.
    const isStale = isReference && held !== undefined && held !== step.value;
    const changed = { ...(isStale ? {} : others), [name]: step.value };
    return name === '$ref' ? withoutStaleValue(changed) : changed;
  }
  return isReference || Object.keys(others).length === 0 ? undefined : others;
}

function patchObject(current: JsonValue | undefined, value: JsonObject): JsonObject | undefined {
  const merges = isJsonObject(current) && !Object.hasOwn(value, 'value');
  const merged = withoutNulls(merges ? { ...current, ...value } : value);
  const patched = merges && Object.hasOwn(value, '$ref') ? withoutStaleValue(merged) : merged;
  return hasContent(patched) ? patched : undefined;
}

/** A reference whose address is new, without its value where the address leads to somebody else. */
function withoutStaleValue(reference: JsonObject): JsonObject {
  const { value, ...others } = reference;
  const { $ref } = reference;
  if (typeof $ref !== 'string' || typeof value !== 'string') return reference;
  return $ref === value || $ref.endsWith(`/${value}`) ? reference : others;
}

/** Cost of one change of a value, in looks at it. */
const CHANGE_COST = 4;
/** Attributes that a step may filter by where no value fits: providers expect that a value of this kind is made. */
const KINDS: ReadonlySet<string> = new Set(['type', 'primary']);

/**
 * Changes a list by one step. Where no value fits the filter, add and replace make one for a filter that names its
 * kind alone (`type`, `primary`). A value that becomes primary takes that from the others.
 * @throws ScimError 400 `noTarget`: as `applyUserPatch`
 */
function patchList(list: OpenList, step: AttributeStep, repairs: Repairs): void {
  if (step.target.where || step.target.path.sub) {
    patchValues(list, step, repairs);
    return;
  }
  switch (step.kind) {
    case 'set':
      setList(list, step);
      break;
    case 'clear':
      list.values = [];
      break;
    case 'exclude':
      for (const value of step.values) exclude(list, value);
      break;
    default:
      assertNever(step);
  }
}

/**
 * The list without empty elements, and each element once. One that was primary and says nothing gives that back to the
 * value that it took it from.
 * @throws ScimError 400 `invalidValue`: more than `USER_LIST_MAX` elements are left
 */
function tidyList({ path: { attribute }, values, ousted }: OpenList): JsonObject[] {
  const kept = values.filter(hasContent);
  const isLost = values.some(isPrimary) && !kept.some(isPrimary);
  const back = kept.map((value) =>
    isLost && value === ousted ? { ...value, primary: true } : value,
  );
  const tidy = mergeElements(attribute, back);
  if (tidy.length <= USER_LIST_MAX) return tidy;
  throw invalidValue(`${attribute.name} would have more than ${USER_LIST_MAX} values.`);
}

function setList(
  list: OpenList,
  { op, value }: { readonly op: 'add' | 'replace'; readonly value: JsonValue },
): void {
  const given = Array.isArray(value) ? value.filter(isJsonObject) : [];
  if (op === 'replace') {
    list.values = given;
    return;
  }
  const touched: JsonObject[] = [];
  for (const element of given) {
    const { content, use } = identify(list, element);
    const at = list.values.findIndex((held) => {
      const other = identify(list, held);
      return other.content === content && other.use === use;
    });
    touched.push(putInto(list, at, { ...list.values[at], ...element }));
    spend(list, weigh(element) + Math.floor(list.values.length / UNITS_A_LOOK));
  }
  keepPrimary(list, touched);
}

/** Removes equal values; where a use is given, only those of the same use. */
function exclude(list: OpenList, value: JsonObject): void {
  spend(list, weigh(value) + Math.floor(list.values.length / UNITS_A_LOOK));
  const { content, use } = identify(list, value);
  list.values = list.values.filter((held) => {
    const other = identify(list, held);
    return other.content !== content || (use !== '' && use !== other.use);
  });
}

/** The identity of a value, found out once. */
function identify({ path, identities }: OpenList, value: JsonObject): Identity {
  const identity = identities.get(value) ?? toIdentity(path.attribute, value);
  identities.set(value, identity);
  return identity;
}

/** Puts a value into the place of another one, or at the end. @param at -1: at the end @returns the value */
function putInto(list: OpenList, at: number, value: JsonObject): JsonObject {
  if (at === -1) list.values.push(value);
  else {
    if (list.ousted === list.values[at]) list.ousted = value;
    list.values[at] = value;
  }
  return value;
}

/** Keeps the last primary value of these as the only one; without one, nothing changes. */
function keepPrimary(list: OpenList, touched: readonly JsonObject[]): void {
  const some = new Set(touched.filter(isPrimary));
  const chosen = list.values.findLast((value) => some.has(value));
  if (chosen === undefined) return;
  for (const [at, value] of list.values.entries()) {
    if (value === chosen || !isPrimary(value)) continue;
    const without = putInto(list, at, { ...value, primary: false });
    if (hasContent(without)) list.ousted = without;
  }
}

function patchValues(list: OpenList, step: AttributeStep, repairs: Repairs): void {
  const { where } = step.target;
  const fitting = listFitting(list, where);
  if (repairs.isStrict && where && fitting.length > 1)
    throw badRequest('invalidFilter', 'The filter of a path finds several values.');
  const touched: JsonObject[] = [];
  const gone = new Set<JsonObject>();
  for (const [at, value] of fitting) {
    const changed = patchElement(value, step);
    spend(list, CHANGE_COST * weigh(changed ?? value));
    if (changed) touched.push(putInto(list, at, changed));
    else gone.add(value);
  }
  if (gone.size > 0) list.values = list.values.filter((value) => !gone.has(value));
  if (fitting.length === 0 && step.kind === 'set') {
    touched.push(putInto(list, -1, toNewElement(step)));
    if (where) repairs.count('value-made');
  }
  keepPrimary(list, touched);
}

/** Lists the values that fit the filter, with their places. One that names a value compares no other. */
function listFitting(list: OpenList, where: Filter | undefined): [number, JsonObject][] {
  if (where === undefined) return [...list.values.entries()];
  const named = findValue(where);
  const content = named === undefined ? named : toValueContent(list.path.attribute, named);
  const comparisons = countComparisons(where);
  spend(list, Math.floor(list.values.length / UNITS_A_LOOK));
  return [...list.values.entries()].filter(([, value]) => {
    if (content !== undefined && identify(list, value).content !== content) return false;
    spend(list, weigh(value) * comparisons);
    return matches(where, value);
  });
}

/** The value of every element that fits the filter, where the filter names it. */
function findValue(filter: Filter): string | undefined {
  if (filter.kind === 'and') {
    return filter.parts.map(findValue).find((value) => value !== undefined);
  }
  if (filter.kind !== 'compare' || filter.op !== 'eq') return undefined;
  const { target, comparable } = filter;
  return target.rule.name === 'value' && typeof comparable === 'string' ? comparable : undefined;
}

/** undefined: the element is gone. */
function patchElement(element: JsonObject, step: AttributeStep): JsonObject | undefined {
  const { sub } = step.target.path;
  if (step.kind === 'set') return withoutNulls({ ...element, ...toParts(step.target, step.value) });
  if (!sub) return undefined;
  const { [sub.name]: _, ...others } = element;
  return others;
}

function toNewElement({
  target,
  value,
}: Pick<AttributeStep, 'target'> & { value: JsonValue }): JsonObject {
  const named = target.where ? toNamedParts(target.where) : {};
  // A filter finds values and invents none (RFC 7644 §3.5.2.3).
  const isKind = Object.keys(named ?? {}).every((name) => KINDS.has(name));
  if (named && isKind) return withoutNulls({ ...named, ...toParts(target, value) });
  throw badRequest('noTarget', `No value of ${target.path.attribute.name} fits the filter.`);
}

function toParts({ path: { sub } }: PatchTarget, value: JsonValue): JsonObject {
  if (sub) return { [sub.name]: value };
  return isJsonObject(value) ? value : {};
}

/** Parts that an element needs to fulfil the filter; undefined when the filter does not name them exactly. */
function toNamedParts(filter: Filter): JsonObject | undefined {
  if (filter.kind === 'compare' && filter.op === 'eq') {
    return { [filter.target.rule.name]: filter.literal };
  }
  if (filter.kind !== 'and') return undefined;
  let named: JsonObject | undefined = {};
  for (const part of filter.parts) {
    const parts = toNamedParts(part);
    named = named && parts && { ...named, ...parts };
  }
  return named;
}
