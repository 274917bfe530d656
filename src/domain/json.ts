/** Any value of JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** JSON object. Its keys come from us or from a schema, never straight from a request. */
export interface JsonObject {
  [name: string]: JsonValue;
}

/** True for a JSON object: neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
