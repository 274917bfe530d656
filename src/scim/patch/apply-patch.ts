import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { createFolds, isJsonObject } from '../../domain/values.ts';
import {
  hasContent,
  isPrimary,
  mergeElements,
  toIdentity,
  toKey,
  USER_LIST_MAX,
  withoutNulls,
} from '../dialect/coerce.ts';
import type { AttributeStep, PatchStep } from '../dialect/to-steps.ts';
import { isAttributeStep } from '../dialect/to-steps.ts';
import { badRequest, invalidValue } from '../errors.ts';
import { matches, toElement } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import { countComparisons } from '../filter/tree.ts';
import type { Repairs } from '../repairs.ts';
import { attempt, UNCOUNTED } from '../repairs.ts';
import type { AttributePath, AttributeRule } from '../schema/resource-schemas.ts';
import { findValue } from '../schema/resource-schemas.ts';

/** Most looks at values of one PATCH; a provider's needs some hundreds. */
const WORK_MAX = 2_000_000;

/**
 * The attributes after all steps; the input is not touched. An object merges its parts, unless it refers to something
 * by its `value`. @throws ScimError 400 `noTarget`, `invalidValue` @see RFC 7644 §3.5.2
 */
export function applyPatch(
  attributes: JsonObject,
  steps: readonly PatchStep[],
  repairs: Repairs = UNCOUNTED,
): JsonObject {
  const budget = { left: WORK_MAX, fold: createFolds() };
  const result = { ...attributes };
  const lists = new Map<AttributeRule, OpenList>();
  const spoiled = new Set<OpenList>();
  for (const step of steps) {
    if (!isAttributeStep(step)) continue;
    const { path } = step.target;
    if (!path.attribute.multiValued) {
      change(result, path, (current) => patchValue(current, step, repairs));
      continue;
    }
    const list = lists.get(path.attribute) ?? open(result, path, budget);
    lists.set(path.attribute, list);
    const { operation } = step;
    const place = operation === undefined ? operation : () => `Operation ${operation}`;
    const isDone = attempt(repairs, place, () => {
      patchList(list, step, repairs);
      return true;
    });
    if (!isDone) spoiled.add(list);
  }
  // Only at the end: {type, primary} alone says nothing, but the next step may give it a value.
  for (const list of lists.values()) {
    const tidy = spoiled.has(list) ? undefined : attempt(repairs, undefined, () => tidyList(list));
    const left = tidy ?? listStaying(list);
    change(result, list.path, () => (left.length === 0 ? undefined : toStored(list, left)));
  }
  return result;
}

/** The attributes after a PUT: as its steps set them on an empty resource, with what is kept of those that are left out. */
export function applyWhole(
  before: JsonObject,
  {
    steps,
    leftOut,
  }: { readonly steps: readonly PatchStep[]; readonly leftOut: readonly AttributePath[] },
): JsonObject {
  const kept: JsonObject = {};
  for (const path of leftOut) change(kept, path, () => findValue(before, path));
  return applyPatch(kept, steps);
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
  const found = result[extension];
  const container = { ...(isJsonObject(found) ? found : {}) };
  put(container, attribute.name, toValue(container[attribute.name]));
  put(result, extension, Object.keys(container).length > 0 ? container : undefined);
}

function put(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value === undefined) delete object[name];
  else object[name] = value;
}

function patchValue(
  current: JsonValue | undefined,
  step: AttributeStep,
  { isStrict }: Repairs,
): JsonValue | undefined {
  const { sub } = step.target.path;
  if (sub) return patchPart(isJsonObject(current) ? current : {}, sub.name, step);
  if (step.kind !== 'set') return undefined;
  const { op, value } = step;
  if (!isJsonObject(value)) return value;
  // Entra gives one part of a name at a time; a strict client replaces it as a whole.
  const replaces = isStrict && op === 'replace';
  const merges = isJsonObject(current) && !replaces && !Object.hasOwn(value, 'value');
  const merged = withoutNulls(merges ? { ...current, ...value } : value);
  const patched = merges && Object.hasOwn(value, '$ref') ? withoutStaleValue(merged) : merged;
  return hasContent(patched) ? patched : undefined;
}

function patchPart(current: JsonObject, name: string, step: AttributeStep): JsonObject | undefined {
  const { [name]: before, ...others } = current;
  const isReference = name === 'value';
  if (step.kind === 'set') {
    // The other parts belong to the value that was referred to before.
    const isStale = isReference && before !== undefined && before !== step.value;
    const changed = { ...(isStale ? {} : others), [name]: step.value };
    return name === '$ref' ? withoutStaleValue(changed) : changed;
  }
  return isReference || Object.keys(others).length === 0 ? undefined : others;
}

/** A reference whose address is new, without its value if the address leads to another resource. */
function withoutStaleValue(reference: JsonObject): JsonObject {
  const { value, ...others } = reference;
  const { $ref } = reference;
  if (typeof $ref !== 'string' || typeof value !== 'string') return reference;
  return $ref === value || $ref.endsWith(`/${value}`) ? reference : others;
}

/** The values of a list of which a change is left out: as they were, without the licences that are taken. */
function listStaying({ path: { attribute }, before, values }: OpenList): JsonObject[] {
  if (attribute.name !== 'entitlements') return before;
  const left = new Set(values.map((value) => toKey(attribute, value)));
  return before.filter((value) => left.has(toKey(attribute, value)));
}

const toStored = ({ path: { attribute } }: OpenList, values: readonly JsonObject[]): JsonValue[] =>
  values.map((one) => (attribute.type === 'complex' ? one : (one.value ?? null)));

interface OpenList {
  readonly path: AttributePath;
  readonly before: JsonObject[];
  values: JsonObject[];
  /** Looks that are left to one PATCH, each text of which is folded once. */
  readonly budget: { left: number; readonly fold: (text: string) => string };
}

function open(result: JsonObject, path: AttributePath, budget: OpenList['budget']): OpenList {
  const found = findValue(result, path);
  const before = Array.isArray(found) ? found.map(toElement) : [];
  return { path, before, values: [...before], budget };
}

/** Counts looks at values; a change counts as four. @throws ScimError 400 `invalidValue` */
function spend({ budget, values }: OpenList, looks = values.length): void {
  budget.left -= looks;
  if (budget.left >= 0) return;
  throw invalidValue(
    `The operations look at more than ${WORK_MAX} values. Send fewer operations at once, or replace the list.`,
  );
}

function patchList(list: OpenList, step: AttributeStep, repairs: Repairs): void {
  if (step.target.where || step.target.path.sub) patchValues(list, step, repairs);
  else if (step.kind === 'exclude') exclude(list, step.values);
  else if (step.kind === 'clear') list.values = [];
  else {
    const given = Array.isArray(step.value) ? step.value.filter(isJsonObject) : [];
    if (step.op === 'replace') list.values = given;
    else addValues(list, given);
  }
}

function addValues(list: OpenList, given: readonly JsonObject[]): void {
  const { values } = list;
  spend(list);
  const { attribute } = list.path;
  const places = new Map(values.map((value, at) => [toKey(attribute, value), at]));
  const touched: JsonObject[] = [];
  for (const element of given) {
    const key = toKey(attribute, element);
    const at = places.get(key) ?? values.length;
    places.set(key, at);
    values[at] = { ...values[at], ...element };
    touched.push(values[at]);
  }
  keepPrimary(list, touched);
}

/** Removes equal values; where a use is given, only those of the same use. */
function exclude(list: OpenList, gone: readonly JsonObject[]): void {
  const { attribute } = list.path;
  spend(list);
  const identities = gone.map((value) => toIdentity(attribute, value));
  const uses = Map.groupBy(identities, ([content]) => content);
  list.values = list.values.filter((value) => {
    const [content, use] = toIdentity(attribute, value);
    return uses.get(content)?.every(([, one]) => one !== '' && one !== use) ?? true;
  });
}

/** Keeps the last primary value of these as the only one. One that says nothing takes it from nobody. */
function keepPrimary(list: OpenList, touched: readonly JsonObject[]): void {
  const some = new Set(touched.filter((value) => isPrimary(value) && hasContent(value)));
  const chosen = list.values.findLast((value) => some.has(value));
  if (chosen === undefined) return;
  list.values = list.values.map((value) =>
    value === chosen || !isPrimary(value) ? value : { ...value, primary: false },
  );
}

/** The list without empty elements, and each element once. @throws ScimError 400 `invalidValue`: more than `USER_LIST_MAX` are left */
function tidyList({ path: { attribute }, values }: OpenList): JsonObject[] {
  const tidy = mergeElements(attribute, values.filter(hasContent));
  if (tidy.length <= USER_LIST_MAX) return tidy;
  throw invalidValue(`${attribute.name} would have more than ${USER_LIST_MAX} values.`);
}

/** Attributes that a step may filter by where no value fits: providers expect that a value of this kind is made. */
const KINDS: ReadonlySet<string> = new Set(['type', 'primary']);

/** Changes the values that the filter finds, or makes one for a filter that names its kind alone (`type`, `primary`). */
function patchValues(list: OpenList, step: AttributeStep, repairs: Repairs): void {
  const { where, path } = step.target;
  const touched: JsonObject[] = [];
  let found = 0;
  spend(list, list.values.length * (where ? countComparisons(where) : 1));
  const values = list.values.flatMap((value): JsonObject[] => {
    if (where && !matches(where, value, list.budget.fold)) return [value];
    found += 1;
    const changed = patchElement(value, step);
    if (changed) touched.push(changed);
    return changed ? [changed] : [];
  });
  spend(list, 4 * found);
  if (repairs.isStrict && where && found > 1) {
    throw badRequest('invalidFilter', 'The filter of a path finds several values.');
  }
  if (found === 0 && step.kind === 'set') {
    const named = where ? toNamedParts(where) : {};
    // A filter finds values and invents none (RFC 7644 §3.5.2.3).
    if (named === undefined || !Object.keys(named).every((name) => KINDS.has(name))) {
      throw badRequest('noTarget', `No value of ${path.attribute.name} fits the filter.`);
    }
    const made = withoutNulls({ ...named, ...toParts(step) });
    touched.push(made);
    values.push(made);
    if (where) repairs.count('value-made');
  }
  list.values = values;
  keepPrimary(list, touched);
}

function patchElement(element: JsonObject, step: AttributeStep): JsonObject | undefined {
  const { sub } = step.target.path;
  if (step.kind === 'set') return withoutNulls({ ...element, ...toParts(step) });
  if (!sub) return undefined;
  const { [sub.name]: _, ...others } = element;
  return others;
}

function toParts({ target, value }: Extract<AttributeStep, { kind: 'set' }>): JsonObject {
  const { sub } = target.path;
  if (sub) return { [sub.name]: value };
  return isJsonObject(value) ? value : {};
}

/** Parts that an element needs to fulfil the filter; undefined when the filter does not name them exactly. */
function toNamedParts(filter: Filter): JsonObject | undefined {
  if (filter.kind === 'compare' && filter.op === 'eq') {
    return { [filter.target.rule.name]: filter.literal };
  }
  if (filter.kind !== 'and') return undefined;
  const parts = filter.parts.map(toNamedParts);
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts);
}
