import { assertNever } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { USER_LIST_MAX } from '../dialect/coerce-list.ts';
import {
  hasContent,
  identify,
  isPrimary,
  mergeElements,
  withoutNulls,
} from '../dialect/elements.ts';
import type { AttributeStep, PatchTarget } from '../dialect/patch-step.ts';
import { badRequest, invalidValue } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import type { Filter } from '../filter/tree.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';

/**
 * The list after one step. Elements that a filter names and that are not there are made, for add and
 * for replace; one that becomes primary takes that from the others.
 * @throws ScimError 400 `noTarget`: as `applyUserPatch`
 */
export function patchList(list: readonly JsonObject[], step: AttributeStep): JsonObject[] {
  const { path, where } = step.target;
  if (where || path.sub) return patchElements(list, step);
  switch (step.kind) {
    case 'set':
      return setList(path.attribute, list, step);
    case 'clear':
      return [];
    case 'exclude':
      return exclude(path.attribute, list, step.values);
    default:
      return assertNever(step);
  }
}

/**
 * The list without elements that say nothing, and each element once.
 * @throws ScimError 400 `invalidValue`: more than `USER_LIST_MAX` elements are left
 */
export function tidyList(attribute: AttributeRule, list: readonly JsonObject[]): JsonObject[] {
  const tidy = mergeElements(attribute, [], list.filter(hasContent));
  if (tidy.length <= USER_LIST_MAX) return tidy;
  throw invalidValue(`${attribute.name} would have more than ${USER_LIST_MAX} values.`);
}

function setList(
  attribute: AttributeRule,
  list: readonly JsonObject[],
  { op, value }: { readonly op: 'add' | 'replace'; readonly value: JsonValue },
): JsonObject[] {
  const given = Array.isArray(value) ? value.filter(isJsonObject) : [];
  if (op === 'replace') return given;
  const merged = mergeElements(attribute, list, given);
  const isGiven = (element: JsonObject) => !list.includes(element);
  return keepOnePrimary(merged, isGiven);
}

/** Leaves out what is like one of the values: the same value and, where the use is given, for the same use. */
function exclude(
  attribute: AttributeRule,
  list: readonly JsonObject[],
  values: readonly JsonObject[],
): JsonObject[] {
  const excluded = new Set(values.map((value) => identify(attribute, value)));
  return list.filter((element) => {
    const { type: _, ...ofAnyUse } = element;
    const isLike = (candidate: JsonObject) => excluded.has(identify(attribute, candidate));
    return !isLike(element) && !isLike(ofAnyUse);
  });
}

function patchElements(list: readonly JsonObject[], step: AttributeStep): JsonObject[] {
  const { where } = step.target;
  const isTarget = (element: JsonObject) => where === undefined || matches(where, element);
  if (!list.some(isTarget)) {
    return step.kind === 'set' ? append(list, toNewElement(step.target, step.value)) : [...list];
  }
  const touched = new Set<JsonObject>();
  const patched = list.flatMap((element) => {
    if (!isTarget(element)) return [element];
    const changed = patchElement(element, step);
    if (changed) touched.add(changed);
    return changed ? [changed] : [];
  });
  return keepOnePrimary(patched, (element) => touched.has(element));
}

function append(list: readonly JsonObject[], element: JsonObject): JsonObject[] {
  return keepOnePrimary([...list, element], (candidate) => candidate === element);
}

/** undefined: the element is gone. */
function patchElement(element: JsonObject, step: AttributeStep): JsonObject | undefined {
  const { sub } = step.target.path;
  if (step.kind === 'set') return withoutNulls({ ...element, ...toParts(step.target, step.value) });
  if (!sub) return undefined;
  const { [sub.name]: _, ...others } = element;
  return others;
}

function toNewElement(target: PatchTarget, value: JsonValue): JsonObject {
  const named = target.where ? toNamedParts(target.where) : {};
  if (named) return withoutNulls({ ...named, ...toParts(target, value) });
  throw badRequest('noTarget', `No value of ${target.path.attribute.name} fits the filter.`);
}

function toParts({ path: { sub } }: PatchTarget, value: JsonValue): JsonObject {
  if (sub) return { [sub.name]: value };
  return isJsonObject(value) ? value : {};
}

/** What an element must hold to fulfil the filter; undefined when the filter does not say exactly. */
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

/** The last of the elements just set to primary stays it; without one, nothing changes. */
function keepOnePrimary(
  list: readonly JsonObject[],
  isJustSet: (element: JsonObject) => boolean,
): JsonObject[] {
  const chosen = list.findLast((element) => isPrimary(element) && isJustSet(element));
  if (!chosen) return [...list];
  return list.map((element) =>
    element === chosen || !isPrimary(element) ? element : { ...element, primary: false },
  );
}
