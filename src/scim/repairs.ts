/**
 * Kinds of corrections of a request. A provider's connector that starts to count here has changed, or was
 * never tested.
 * - `schemas-missing`, `schemas-unknown`: no `schemas`, or a URN that is old, misspelt or not ours
 * - `name-case`, `name-qualified`, `name-dotted`: `username`, `urn:…:User:title`, `name.givenName` as a key
 * - `array-around-value`, `object-around-value`: `["X"]` or `{"value": "X"}` where "X" belongs
 * - `value-for-list`, `value-for-object`: one value where a list belongs, a text where an object belongs
 * - `boolean-as-text`, `number-as-text`, `text-as-other`: "True", "16", or 16 where a text belongs
 * - `json-in-text`: a JSON document inside a text
 * - `blank-as-unassign`: "" where null or nothing belongs
 * - `duplicate-values`, `several-primaries`: lists that contradict themselves
 * - `read-only-dropped`, `password-dropped`, `blank-active-dropped`: values that are never taken
 * - `unknown-attribute-dropped`, `unknown-schema-dropped`, `value-dropped`: parts that cannot be kept
 * - `op-case`, `operation-for-list`: "Replace", one operation where a list belongs
 * - `filter-unquoted`: a text in a filter without its quotes
 * - `remove-by-value`: a removal that names its values beside the path
 */
export type RepairKind =
  | 'schemas-missing'
  | 'schemas-unknown'
  | 'name-case'
  | 'name-qualified'
  | 'name-dotted'
  | 'array-around-value'
  | 'object-around-value'
  | 'value-for-list'
  | 'value-for-object'
  | 'boolean-as-text'
  | 'number-as-text'
  | 'text-as-other'
  | 'json-in-text'
  | 'blank-as-unassign'
  | 'duplicate-values'
  | 'several-primaries'
  | 'read-only-dropped'
  | 'password-dropped'
  | 'blank-active-dropped'
  | 'unknown-attribute-dropped'
  | 'unknown-schema-dropped'
  | 'value-dropped'
  | 'op-case'
  | 'operation-for-list'
  | 'filter-unquoted'
  | 'remove-by-value';

/** Counts the corrections of a request. */
export interface Repairs {
  count(kind: RepairKind): void;
}

/** Counts nothing: for bodies that were counted before, or did not come from a provider. */
export const UNCOUNTED: Repairs = { count: () => undefined };

/** Repairs that telemetry counts. */
export function toRepairs(telemetry: { repaired(kind: RepairKind): void }): Repairs {
  return { count: (kind) => telemetry.repaired(kind) };
}
