import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { enterpriseDefinition } from '../schema/enterprise-schema.ts';

/**
 * The attributes with the `$ref` of the manager as it is stored: relative where it leads to a resource of this bridge, so
 * that it outlives the public address. Answers make it absolute (`renderUser`), and what was answered may be sent back.
 * @param baseUrl of SCIM, without a slash at its end
 */
export function withStoredManagerRef(attributes: JsonObject, baseUrl: string): JsonObject {
  const extension = attributes[enterpriseDefinition.id];
  const manager = isJsonObject(extension) ? extension.manager : undefined;
  if (!isJsonObject(extension) || !isJsonObject(manager)) return attributes;
  const { $ref } = manager;
  if (typeof $ref !== 'string' || !$ref.startsWith(`${baseUrl}/`)) return attributes;
  const stored = { ...manager, $ref: `..${$ref.slice(baseUrl.length)}` };
  return { ...attributes, [enterpriseDefinition.id]: { ...extension, manager: stored } };
}
