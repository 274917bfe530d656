import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { Repairs } from '../repairs.ts';
import { type AttributeRule, findRule } from '../schema/attribute-table.ts';
import { assertShort } from './assert-short.ts';
import { coerceSimple } from './coerce-simple.ts';

/**
 * The parts of an object in the types of their sub-attributes; a part may be null: it is to have no
 * value. null: the object is empty. undefined: nothing the attribute could hold was sent.
 */
export function coerceObject(
  rule: AttributeRule,
  value: JsonObject,
  repairs: Repairs,
): JsonObject | null | undefined {
  const result: JsonObject = {};
  const names = Object.keys(value);
  for (const name of names) {
    const sub = findWritable(rule, name, repairs);
    const coerced = sub && coerceSimple(sub, value[name] ?? null, repairs);
    if (sub?.name === 'value') assertShort(rule.name, coerced);
    if (sub && coerced !== undefined) result[sub.name] = coerced;
  }
  if (Object.keys(result).length > 0) return result;
  return names.length === 0 ? null : undefined;
}

/** An object for what was sent instead of one: its value or, for a name or an address, the whole as one text. */
export function toObject(rule: AttributeRule, value: JsonValue, repairs: Repairs): JsonValue {
  if (value === null || typeof value === 'object') return value;
  repairs.count('value-for-object');
  return rule.subAttributes.has('value') ? { value } : { formatted: value };
}

function findWritable(
  { subAttributes }: AttributeRule,
  name: string,
  repairs: Repairs,
): AttributeRule | undefined {
  const sub = findRule(subAttributes, name);
  if (sub?.mutability === 'readOnly') {
    repairs.count('read-only-dropped');
    return undefined;
  }
  if (!sub) repairs.count('unknown-attribute-dropped');
  else if (sub.name !== name) repairs.count('name-case');
  return sub;
}
