import type { JsonObject, JsonValue } from './values.ts';
import { isJsonObject } from './values.ts';

/** The core schema of users. @see RFC 7643 §4.1 */
export const USER_SCHEMA_URI = 'urn:ietf:params:scim:schemas:core:2.0:User';
/** The core schema of groups. @see RFC 7643 §4.2 */
export const GROUP_SCHEMA_URI = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** Name of a type of SCIM resource. */
export type ResourceName = 'User' | 'Group' | 'Role' | 'Entitlement';

/** Extension schema of users: attributes of the service beyond the core schema. */
export const USER_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
/** Extension schema of groups: attributes of the service beyond the core schema. */
export const GROUP_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group';

/** The extension of each type. */
export const OWN_EXTENSION = { user: USER_EXTENSION, group: GROUP_EXTENSION } as const;

/** Name of an attribute as a write names it: one of an extension stands below its URN. */
export const toWrittenName = (extension: string | undefined, attribute: string) =>
  extension === undefined ? attribute : `${extension}:${attribute}`;

/** An extension of a resource; empty when it has none. */
export function toExtension(attributes: JsonObject, urn: string): JsonObject {
  const extension = attributes[urn];
  return isJsonObject(extension) ? extension : {};
}

/** Attributes with an extension of these values, as far as they are known; without any it is left out. */
export function withExtension(
  attributes: JsonObject,
  urn: string,
  values: { readonly [name: string]: JsonValue | undefined },
): JsonObject {
  const { [urn]: _, ...rest } = attributes;
  const known = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return known.length === 0 ? rest : { ...rest, [urn]: Object.fromEntries(known) };
}

/** The stored and shown document: `schemas` of the core and of every extension with a value, then the attributes. */
export function withSchemas(type: 'user' | 'group', attributes: JsonObject): JsonObject {
  const core = type === 'user' ? USER_SCHEMA_URI : GROUP_SCHEMA_URI;
  const extensions = Object.keys(attributes).filter((name) => name.startsWith('urn:'));
  const { schemas: _, ...rest } = attributes;
  const schemas: JsonValue = [core, ...extensions];
  return { schemas, ...rest };
}
