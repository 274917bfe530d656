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

/** The keys of an object of ours, which has no others than the fields of its type. */
export function parseFields<Field extends string>(rows: { readonly [F in Field]?: unknown }) {
  return Object.keys(rows) as Field[];
}
