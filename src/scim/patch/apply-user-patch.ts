import { assertNever, BridgeError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { CHARACTERS_A_UNIT, hasContent, withoutNulls } from '../dialect/elements.ts';
import type { AttributeStep, PatchStep } from '../dialect/patch-step.ts';
import { type Spend, ValueList } from '../dialect/value-list.ts';
import { invalidValue } from '../errors.ts';
import { attempt, type Repairs, UNCOUNTED } from '../repairs.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import type { AttributePath } from '../schema/resource-schemas.ts';
import { patchList, tidyList } from './patch-list.ts';

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
  const spend = createBudget();
  const result = { ...attributes };
  const lists = new Map<AttributeRule, { path: AttributePath; list: ValueList }>();
  // A list of which one change is left out stays as it was.
  const spoiled = new Set<ValueList>();
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
    const opened = lists.get(path.attribute) ?? open(result, path, spend);
    lists.set(path.attribute, opened);
    const place = operation === undefined ? operation : () => `Operation ${operation}`;
    const isDone = attempt(repairs, place, () => patchList(opened.list, step, repairs) ?? true);
    if (!isDone) spoiled.add(opened.list);
  }
  // Only at the end: {type, primary} alone says nothing, but the next step may give it a value.
  for (const { path, list } of lists.values()) {
    const tidy = attempt(repairs, undefined, () => tidyList(path.attribute, list));
    if (tidy === undefined || spoiled.has(list)) continue;
    change(result, path, () => (tidy.length === 0 ? undefined : tidy));
  }
  return result;
}

/** Counts the work of one PATCH, and refuses what is more than `WORK_MAX`. */
function createBudget(): Spend {
  let spent = 0;
  return (looks) => {
    spent += looks;
    if (spent <= WORK_MAX) return;
    throw invalidValue(
      `The operations look at more than ${WORK_MAX} values; each counts as often as it is compared or changed, and once more for every ${CHARACTERS_A_UNIT} characters. Send fewer operations at once, or replace the list.`,
    );
  };
}

function open(
  result: JsonObject,
  path: AttributePath,
  spend: Spend,
): { path: AttributePath; list: ValueList } {
  const { extension, attribute } = path;
  const container = extension === undefined ? result : result[extension];
  const held = isJsonObject(container) ? container[attribute.name] : undefined;
  const values = Array.isArray(held) ? held.filter(isJsonObject) : [];
  return { path, list: new ValueList(attribute, values, spend) };
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
