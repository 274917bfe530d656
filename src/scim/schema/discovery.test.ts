import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import { toSchemas, toServiceProviderConfig } from './discovery.ts';

const baseUrl = 'https://bridge.example/scim/v2';

function listNulls(value: JsonValue, path = '$'): string[] {
  if (value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((item, i) => listNulls(item, `${path}[${i}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => listNulls(item, `${path}.${key}`));
}

function listRequired(urn: string): JsonValue[] {
  const found = toSchemas(baseUrl).find(({ id }) => id === urn);
  const attributes = [found?.attributes].flat().map(Object);
  return attributes.flatMap(({ name, required }) => (required ? [name] : []));
}

describe('ServiceProviderConfig', () => {
  test('every member a strict reader needs is there', () => {
    expect(toServiceProviderConfig(baseUrl)).toMatchObject({
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 1_000, maxPayloadSize: 1_048_576 },
      filter: { supported: true, maxResults: 1_000 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [
        { type: 'oauthbearertoken', name: expect.any(String) },
        { type: 'oauth2', name: expect.any(String) },
      ],
      pagination: {
        ...{ cursor: true, index: true, defaultPaginationMethod: 'index' },
        ...{ defaultPageSize: 100, maxPageSize: 1_000 },
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

  test('what cannot be blank is required', () => {
    expect(listRequired(userUrn)).toEqual(['userName']);
    expect(listRequired(groupUrn)).toEqual(['displayName']);
  });
});
