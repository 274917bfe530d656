import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { ScimError } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import { parseJson } from './parse-json.ts';

const PACKED: ReadonlySet<string> = new Set(['roles', 'entitlements']);

/**
 * Entra's expressions put a whole role as JSON into `value`; this takes it out again, with the name
 * of the role for people to read. Any other text stays what it is.
 */
export function unpackJson(rule: AttributeRule, element: JsonObject, repairs: Repairs): JsonObject {
  const text = element.value;
  if (!PACKED.has(rule.name) || typeof text !== 'string' || !text.startsWith('{')) return element;
  const packed = findJson(text);
  if (!isJsonObject(packed) || typeof packed.value !== 'string') return element;
  repairs.count('json-in-text');
  const display = packed.display ?? packed.displayName ?? element.display;
  return { ...element, value: packed.value, ...(display === undefined ? {} : { display }) };
}

/** undefined for a text that is no JSON: it only began like a document. */
function findJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}
