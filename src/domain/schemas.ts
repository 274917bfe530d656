import type { JsonObject, JsonValue } from './json.ts';

/** The core schema of users. @see RFC 7643 §4.1 */
export const USER_SCHEMA_URI = 'urn:ietf:params:scim:schemas:core:2.0:User';
/** The core schema of groups. @see RFC 7643 §4.2 */
export const GROUP_SCHEMA_URI = 'urn:ietf:params:scim:schemas:core:2.0:Group';

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

/** Name of a type of SCIM resource. */
export type ResourceName = 'User' | 'Group' | 'Role' | 'Entitlement';
