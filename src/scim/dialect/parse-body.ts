import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Work } from '../../domain/turns.ts';
import { invalidSyntax } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { findTable, type ResourceSchema } from '../schema/resource-schemas.ts';
import { assertAcceptable } from './assert-acceptable.ts';

/**
 * A body as a JSON object that holds nothing a store could not keep.
 * @throws ScimError 400 `invalidSyntax`, `invalidValue` (see `assertAcceptable`)
 */
export function* openBody(body: unknown): Work<JsonObject> {
  if (!isJsonObject(body)) throw invalidSyntax('The body is not a JSON object.');
  yield* assertAcceptable(body);
  return body;
}

/** Counts what is wrong with `schemas`. Nothing depends on it: providers send it wrong or not at all. */
export function countSchemas(
  { schemas }: JsonObject,
  isKnown: (urn: string) => boolean,
  repairs: Repairs,
): void {
  const urns = Array.isArray(schemas) ? schemas : [];
  if (urns.length === 0) repairs.count('schemas-missing');
  for (const urn of urns) {
    if (typeof urn !== 'string' || !isKnown(urn)) repairs.count('schemas-unknown');
  }
}

/** Whether the URN is one of the resource's schemas, as the schema spells it. */
export function isSchemaOf(schema: ResourceSchema, urn: string): boolean {
  return findTable(schema, urn)?.urn === urn;
}
