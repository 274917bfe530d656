import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import { assertShort } from './assert-short.ts';
import { coerceList } from './coerce-list.ts';
import { coerceObject, toObject } from './coerce-object.ts';
import { coerceSimple, isBlank, unwrapArray } from './coerce-simple.ts';

/**
 * The value in the type of its attribute. null: it is to have no value (null, "" and [] say so).
 * undefined: nothing the attribute could hold was sent, which is as if nothing had been sent.
 * Parts of a complex value may be null as well.
 * @throws ScimError 400 `invalidValue` for a boolean or number that is none, a name or a list too long
 */
export function coerceValue(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonValue | undefined {
  if (rule.multiValued) return coerceList(rule, value, repairs);
  if (rule.type === 'complex') return coerceComplex(rule, value, repairs);
  const coerced = coerceSimple(rule, value, repairs);
  if (coerced === undefined && rule.type !== 'string' && rule.type !== 'reference') {
    throw invalidValue(`The value of ${rule.name} is not a ${rule.type}.`);
  }
  assertShort(rule.name, coerced);
  return coerced;
}

function coerceComplex(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonObject | null | undefined {
  const only = unwrapArray(value, repairs);
  if (only !== undefined && isBlank(only, repairs)) return null;
  const object = only === undefined ? undefined : toObject(rule, only, repairs);
  if (!isJsonObject(object)) {
    repairs.count('value-dropped');
    return undefined;
  }
  const coerced = coerceObject(rule, object, repairs);
  // Without its value a reference refers to nothing: Entra clears a manager with {"value": ""}.
  return coerced && coerced.value === null ? null : coerced;
}
