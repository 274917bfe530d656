import { type Cells, type Source, withSource } from './cell.ts';
import { toExtension } from './extensions.ts';
import type { Rulings } from './rule-book.ts';
import type { JsonObject } from './values.ts';

/** Attributes of a resource, with the sources of their values. */
export interface Combined<Field extends string> {
  readonly attributes: JsonObject;
  readonly cells: Cells<Field>;
  /** Fields that have another value now, or none any more. */
  readonly changed: readonly Field[];
}

/** Input of a combination. */
export interface Combination<Field extends string> {
  readonly attributes: JsonObject;
  readonly cells: Cells<Field>;
  readonly rulings: Rulings<Field>;
  /** Fields in which no rule counts. */
  readonly kept?: ReadonlySet<string>;
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
  const before = toExtension(attributes, urn);
  const extension = { ...before };
  let { cells } = input;
  for (const field of fields) {
    const source = findSource(input, field);
    cells = withSource(cells, field, source);
    if (isAsked(input, field)) continue;
    if (source === undefined) delete extension[field];
    else extension[field] = source.value;
  }
  const changed = fields.filter((field) => before[field] !== extension[field]);
  return { attributes: withExtension(attributes, urn, { extension, changed }), cells, changed };
}

/** Source of the value that a field is to have; undefined: a provider sends it, or nobody wants it. */
function findSource<Field extends string>(
  input: Combination<Field>,
  field: Field,
): Source | undefined {
  if (isAsked(input, field)) return undefined;
  const ruling = input.kept?.has(field) ? undefined : input.rulings[field];
  if (ruling !== undefined) return { value: ruling.value, by: 'rule' };
  const source = input.cells[field]?.source;
  const isKept = toExtension(input.attributes, input.urn)[field] !== undefined;
  return isKept && source?.by === 'service' ? source : undefined;
}

/** True when a provider sent the value of the field. */
export function isAsked<Field extends string>(
  { attributes, cells, urn }: Pick<Combination<Field>, 'attributes' | 'cells' | 'urn'>,
  field: Field,
): boolean {
  const value = toExtension(attributes, urn)[field];
  return value !== undefined && cells[field]?.source?.value !== value;
}

/** Marks the values of an extension that are there already as the service's. */
export function toBaseline<Field extends string>(
  cells: Cells<Field>,
  attributes: JsonObject,
  { urn, fields }: Pick<Combination<Field>, 'urn' | 'fields'>,
): Cells<Field> {
  const extension = toExtension(attributes, urn);
  let next = cells;
  for (const field of fields) {
    const value = extension[field];
    const isMarked = typeof value === 'number' || typeof value === 'boolean';
    next = withSource(next, field, isMarked ? { value, by: 'service' } : undefined);
  }
  return next;
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
