import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import { toResourceTypes, toSchemas, toServiceProviderConfig } from './discovery.ts';

const baseUrl = 'https://bridge.example/scim/v2';
const policy = { pageSize: 100, pageSizeMax: 200, bulkOperationsMax: 50 };

function listNulls(value: JsonValue, path = '$'): string[] {
  if (value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((item, i) => listNulls(item, `${path}[${i}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => listNulls(item, `${path}.${key}`));
}

function findAttributes(urn: string): JsonValue[] {
  const found = toSchemas(baseUrl).find(({ id }) => id === urn);
  return Array.isArray(found?.attributes) ? found.attributes : [];
}

function listNames(
  attributes: JsonValue[],
  having: (attribute: JsonValue) => boolean,
): JsonValue[] {
  return attributes
    .filter(having)
    .map((attribute) => (isJsonObject(attribute) ? (attribute.name ?? null) : null));
}

describe('ServiceProviderConfig', () => {
  test('every member a strict reader needs is there', () => {
    expect(toServiceProviderConfig({ baseUrl, policy })).toMatchObject({
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 50, maxPayloadSize: 1_048_576 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [
        { type: 'oauthbearertoken', name: expect.any(String) },
        { type: 'oauth2', name: expect.any(String) },
      ],
      pagination: {
        ...{ cursor: true, index: true, defaultPaginationMethod: 'index' },
        ...{ defaultPageSize: 100, maxPageSize: 200 },
      },
      meta: { location: `${baseUrl}/ServiceProviderConfig` },
    });
  });
});

describe('Schemas', () => {
  const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
  const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';

  test('hold no null and are found below the base URL', () => {
    for (const schema of toSchemas(baseUrl)) {
      expect(listNulls(schema)).toEqual([]);
      expect(schema.meta).toEqual({
        resourceType: 'Schema',
        location: `${baseUrl}/Schemas/${schema.id}`,
      });
    }
  });

  test('what does not come back is not advertised', () => {
    const names = listNames(findAttributes(userUrn), () => true);
    expect(names).toContain('emails');
    expect(names).not.toContain('password');
  });

  test('what cannot be blank is required', () => {
    const isRequired = (attribute: JsonValue) =>
      isJsonObject(attribute) && attribute.required === true;
    expect(listNames(findAttributes(userUrn), isRequired)).toEqual(['userName', 'emails']);
    expect(listNames(findAttributes(groupUrn), isRequired)).toEqual(['displayName']);
  });
});

test('a resource type names its extensions, none of them required', () => {
  expect(toResourceTypes(baseUrl)).toMatchObject([
    {
      id: 'User',
      endpoint: '/Users',
      schemaExtensions: [
        { schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', required: false },
        { schema: 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User' },
      ],
    },
    { id: 'Group', endpoint: '/Groups', meta: { location: `${baseUrl}/ResourceTypes/Group` } },
    { id: 'Role', endpoint: '/Roles', schemaExtensions: [{ required: false }] },
    { id: 'Entitlement', endpoint: '/Entitlements', schemaExtensions: [{ required: false }] },
  ]);
});
