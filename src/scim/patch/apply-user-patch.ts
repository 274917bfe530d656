import { assertNever, BridgeError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { hasContent, withoutNulls } from '../dialect/elements.ts';
import type { AttributeStep, PatchStep } from '../dialect/patch-step.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import { patchList, tidyList } from './patch-list.ts';

/**
 * The attributes after all steps, in order; the input is not touched. Adding what is there and
 * removing what is not there change nothing. An object merges the parts that are given, as Entra
 * expects of replace too, unless it refers to something by its `value`.
 * @throws ScimError 400 `noTarget`: a filter that finds nothing and does not say what to create
 * @see RFC 7644 §3.5.2
 */
export function applyUserPatch(attributes: JsonObject, steps: readonly PatchStep[]): JsonObject {
  const result = { ...attributes };
  const lastByAttribute = new Map<AttributeRule, AttributeStep>();
  for (const step of steps.map(toAttributeStep)) {
    applyStep(result, step, patchValue);
    lastByAttribute.set(step.target.path.attribute, step);
  }
  // Only at the end: {type, primary} alone says nothing, but the next step may give it a value.
  for (const step of lastByAttribute.values()) applyStep(result, step, tidyValue);
  return result;
}

type Change = (current: JsonValue | undefined, step: AttributeStep) => JsonValue | undefined;

function toAttributeStep(step: PatchStep): AttributeStep {
  if (step.kind === 'people' || step.kind === 'people-where') {
    throw new BridgeError('bug', `a user has no ${step.list}`);
  }
  return step;
}

function applyStep(result: JsonObject, step: AttributeStep, change: Change): void {
  const { extension, attribute } = step.target.path;
  if (extension === undefined) {
    put(result, attribute.name, change(result[attribute.name], step));
    return;
  }
  const held = result[extension];
  const container = { ...(isJsonObject(held) ? held : {}) };
  put(container, attribute.name, change(container[attribute.name], step));
  put(result, extension, Object.keys(container).length > 0 ? container : undefined);
}

function put(object: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value === undefined) delete object[name];
  else object[name] = value;
}

function patchValue(current: JsonValue | undefined, step: AttributeStep): JsonValue | undefined {
  const { attribute, sub } = step.target.path;
  if (attribute.multiValued) return toValue(patchList(toList(current), step));
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
    // What else is known of it belongs to what was referred to before.
    const isStale = isReference && held !== undefined && held !== step.value;
    return { ...(isStale ? {} : others), [name]: step.value };
  }
  return isReference || Object.keys(others).length === 0 ? undefined : others;
}

function patchObject(current: JsonValue | undefined, value: JsonObject): JsonObject | undefined {
  const merges = isJsonObject(current) && !Object.hasOwn(value, 'value');
  const patched = withoutNulls(merges ? { ...current, ...value } : value);
  return hasContent(patched) ? patched : undefined;
}

function tidyValue(current: JsonValue | undefined, step: AttributeStep): JsonValue | undefined {
  const { attribute } = step.target.path;
  return attribute.multiValued ? toValue(tidyList(attribute, toList(current))) : current;
}

function toList(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function toValue(list: JsonObject[]): JsonObject[] | undefined {
  return list.length === 0 ? undefined : list;
}
