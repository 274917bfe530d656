import type { JsonObject, JsonValue } from './json.ts';

/**
 * The document that is stored and shown: `schemas` first, naming the core schema and every extension
 * that has a value, then the attributes.
 */
export function withSchemas(core: string, attributes: JsonObject): JsonObject {
  const extensions = Object.keys(attributes).filter((name) => name.startsWith('urn:'));
  const { schemas: _, ...rest } = attributes;
  const schemas: JsonValue = [core, ...extensions];
  return { schemas, ...rest };
}
