import type { JsonObject } from '../../domain/values.ts';
import { BULK_OPERATIONS_MAX } from '../bulk/parse-bulk.ts';
import { BODY_BYTES_MAX } from '../http/body.ts';
import { PAGE_SIZE, PAGE_SIZE_MAX } from '../render/paging.ts';
import type { Schemas } from './resource-schemas.ts';
import { entitlementSchema, roleSchema } from './resource-schemas.ts';

/** The ServiceProviderConfig. Complete on purpose: authentik takes a missing member for "supports nothing". @see RFC 7643 §5 */
export function toServiceProviderConfig(baseUrl: string): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    // Some providers cut their PATCH requests by `maxOperations`.
    bulk: {
      supported: true,
      maxOperations: BULK_OPERATIONS_MAX,
      maxPayloadSize: BODY_BYTES_MAX,
    },
    filter: { supported: true, maxResults: PAGE_SIZE_MAX },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: PAGE_SIZE,
      maxPageSize: PAGE_SIZE_MAX,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A token in the Authorization header of every request.',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
      {
        type: 'oauth2',
        name: 'OAuth 2 client credentials',
        description:
          'An access token from /oauth/token beside the base address, for the id and secret of a client.',
        specUri: 'https://www.rfc-editor.org/info/rfc6749',
      },
    ],
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: `${baseUrl}/ServiceProviderConfig`,
    },
  };
}

const listAll = ({ user, group }: Schemas) => [user, group, roleSchema, entitlementSchema];

/** The resource types. @param baseUrl without a slash at its end @see RFC 7643 §6 */
export function toResourceTypes(baseUrl: string, schemas: Schemas): JsonObject[] {
  return listAll(schemas).map(({ name, core, extensions, descriptions: [described] }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: described?.description ?? name,
    schema: core.urn,
    schemaExtensions: extensions.map(({ urn }) => ({ schema: urn, required: false })),
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  }));
}

/** The schemas, with the attributes that come back as they were sent. @param baseUrl without a slash at its end @see RFC 7643 §7 */
export function toSchemas(baseUrl: string, schemas: Schemas): JsonObject[] {
  const all = new Set(listAll(schemas).flatMap(({ descriptions }) => descriptions));
  return [...all].map(({ attributes, ...schema }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    attributes: attributes
      .filter(({ returned }) => returned !== 'never')
      .map(({ field: _, least: __, ...attribute }) => attribute),
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${schema.id}` },
  }));
}
