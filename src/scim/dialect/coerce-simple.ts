import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';

/**
 * A text, boolean or whole number in the type of its attribute. null: it is to have no value.
 * undefined: nothing the attribute could hold was sent.
 */
export function coerceSimple(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): string | number | boolean | null | undefined {
  const bare = unwrapObject(unwrapArray(value, repairs), repairs);
  const coerced = bare === undefined ? undefined : toTyped(rule, bare, repairs);
  if (coerced === undefined) repairs.count('value-dropped');
  return coerced;
}

/** Whether the value says that there is to be none. */
export function isBlank(value: JsonValue, repairs: Repairs): value is null | '' {
  if (value === '') repairs.count('blank-as-unassign');
  return value === null || value === '';
}

/** `["X"]` is X and `[]` is null; several values where one belongs are nothing that could be kept. */
export function unwrapArray(value: JsonValue, repairs: Repairs): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  repairs.count('array-around-value');
  return value.length > 1 ? undefined : (value[0] ?? null);
}

function unwrapObject(value: JsonValue | undefined, repairs: Repairs): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  if (!Object.hasOwn(value, 'value')) return undefined;
  repairs.count('object-around-value');
  return value.value;
}

function toTyped(rule: AttributeRule, value: JsonValue, repairs: Repairs) {
  const { type } = rule;
  if (isBlank(value, repairs)) return null;
  if (type === 'boolean') return toBoolean(value, repairs);
  if (type === 'integer') return toInteger(rule, value, repairs);
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return undefined;
  repairs.count('text-as-other');
  return String(value);
}

function toBoolean(value: JsonValue, repairs: Repairs): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word !== 'true' && word !== 'false') return undefined;
  repairs.count('boolean-as-text');
  return word === 'true';
}

/** A number as JSON writes it. One with a fraction or too many digits comes as the text that it was. */
const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/;

/** Numbers of the service are ids and masks. One that was rounded on the way would be another one. */
function toInteger(
  { name }: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): number | undefined {
  const isText = typeof value === 'string' && NUMBER.test(value);
  if (typeof value !== 'number' && !isText) return undefined;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) {
    throw invalidValue(`${name} is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
  }
  if (isText) repairs.count('number-as-text');
  return number;
}
