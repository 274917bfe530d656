import { isJsonObject, type JsonObject } from './json.ts';

/** What the service has beyond the core schemas, for users. */
export const USER_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
/** What the service has beyond the core schemas, for groups. */
export const GROUP_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group';

/** Name of an attribute as a write names it: one of an extension stands below its URN. */
export function toWrittenName(extension: string | undefined, attribute: string): string {
  return extension === undefined ? attribute : `${extension}:${attribute}`;
}

/** A whole number of an extension, or undefined when nobody set it. */
export function findExtensionNumber(
  attributes: JsonObject,
  urn: string,
  name: string,
): number | undefined {
  const value = findExtension(attributes, urn)?.[name];
  return typeof value === 'number' ? value : undefined;
}

/** A flag of an extension, or undefined when nobody set it. */
export function findExtensionFlag(
  attributes: JsonObject,
  urn: string,
  name: string,
): boolean | undefined {
  const value = findExtension(attributes, urn)?.[name];
  return typeof value === 'boolean' ? value : undefined;
}

function findExtension(attributes: JsonObject, urn: string): JsonObject | undefined {
  const extension = attributes[urn];
  return isJsonObject(extension) ? extension : undefined;
}
