import { isJsonObject, type JsonObject } from './json.ts';
import type { Rulings } from './rule-book.ts';

/**
 * Values of an extension that no provider sent, per field: from a rule, or from the service when the resource was taken
 * over. They are among the attributes, because reads show what is in force.
 */
export type Given<Field extends string> = {
  readonly [F in Field]?: { readonly value: number | boolean; readonly by: 'rule' | 'service' };
};

/** Attributes of a resource, with those of their values that no provider sent. */
export interface Combined<Field extends string> {
  readonly attributes: JsonObject;
  readonly given: Given<Field>;
  /** Fields that have another value now, or none any more. */
  readonly changed: readonly Field[];
}

/** Input of a combination. */
export interface Combination<Field extends string> {
  readonly attributes: JsonObject;
  readonly given: Given<Field>;
  readonly rulings: Rulings<Field>;
  /** The extension, and the fields of it that rules can drive. */
  readonly urn: string;
  readonly fields: readonly Field[];
}

/**
 * Combines the sources of each field. The value of a provider wins, then the first rule, then the value found at the
 * takeover; else the field has no value and is not ours. A value that is sent as it was shown keeps its source: a
 * provider that reads a resource and puts it back has asked for nothing.
 */
export function combine<Field extends string>(input: Combination<Field>): Combined<Field> {
  const { attributes, urn, fields } = input;
  const held = toExtension(attributes, urn);
  const extension = { ...held };
  const given: { [F in Field]?: NonNullable<Given<Field>[F]> } = {};
  for (const field of fields) {
    if (isAsked(input, field)) continue;
    const mark = input.given[field];
    const ruling = input.rulings[field];
    const isKept = ruling === undefined && mark?.by === 'service' && held[field] !== undefined;
    const next = isKept ? mark : ruling && { value: ruling.value, by: 'rule' as const };
    if (next === undefined) delete extension[field];
    else {
      given[field] = next;
      extension[field] = next.value;
    }
  }
  const changed = fields.filter((field) => held[field] !== extension[field]);
  return { attributes: withExtension(attributes, urn, { extension, changed }), given, changed };
}

/** True when a provider sent the value of the field. */
export function isAsked<Field extends string>(
  { attributes, given, urn }: Pick<Combination<Field>, 'attributes' | 'given' | 'urn'>,
  field: Field,
): boolean {
  const value = toExtension(attributes, urn)[field];
  return value !== undefined && given[field]?.value !== value;
}

/** The values of an extension that are there already, as given by the service. */
export function toBaseline<Field extends string>(
  attributes: JsonObject,
  urn: string,
  fields: readonly Field[],
): Given<Field> {
  const extension = toExtension(attributes, urn);
  const given: { [F in Field]?: NonNullable<Given<Field>[F]> } = {};
  for (const field of fields) {
    const value = extension[field];
    if (typeof value === 'number' || typeof value === 'boolean') {
      given[field] = { value, by: 'service' };
    }
  }
  return given;
}

/** Puts the values of `fields` in `before` into `current`. Both are JSON text, as in the store. */
export function restoreGiven(current: string, before: string, fields: readonly string[]): string {
  if (current === before) return current;
  const parse = (text: string) => JSON.parse(text) as Record<string, unknown>;
  const [next, held] = [parse(current), parse(before)];
  for (const field of fields) {
    if (held[field] === undefined) delete next[field];
    else next[field] = held[field];
  }
  return JSON.stringify(next);
}

/** An extension of a resource; empty when it has none. */
export function toExtension(attributes: JsonObject, urn: string): JsonObject {
  const extension = attributes[urn];
  return isJsonObject(extension) ? extension : {};
}

function withExtension(
  attributes: JsonObject,
  urn: string,
  { extension, changed }: { extension: JsonObject; changed: readonly string[] },
): JsonObject {
  if (changed.length === 0) return attributes;
  const { [urn]: _, ...rest } = attributes;
  return Object.keys(extension).length === 0 ? rest : { ...rest, [urn]: extension };
}
