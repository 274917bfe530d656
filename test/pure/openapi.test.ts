import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toOpenApiText, toSchema } from '../../scripts/client/to-open-api.ts';
import { allOperations } from '../../src/ops/api/routes.ts';
import { operationGroups } from '../../src/upstream/operations/all.ts';
import { isFileType, toTypes } from '../../src/upstream/operations/part.ts';

const page = toOpenApiText(operationGroups, '1.0.0');

const bodySchema = z.object({
  schema: z.object({
    required: z.array(z.string()).default([]),
    properties: z.record(z.string(), z.unknown()),
  }),
});
const described = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.object({ content: z.record(z.string(), bodySchema) }).optional(),
});
const document = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), described)),
});

test('the description of the operations is a valid document of OpenAPI 3.1', async () => {
  const validator = new Validator();
  const valid = await validator.validate(JSON.parse(page));
  expect(valid.errors).toBeUndefined();
  expect([valid.valid, validator.version]).toEqual([true, '3.1']);

  const broken = JSON.parse(page);
  broken.paths['/scim/v2/Groups'].post.requestBody.content = 'none';
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

test('every operation is there once, at its method and path, with each brace described', () => {
  const found = Object.entries(document.parse(JSON.parse(page)).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, parameters }]) => {
      const inPath = parameters.flatMap(({ name, in: place }) => (place === 'path' ? [name] : []));
      const braces = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath, operationId).toEqual(braces);
      return `${operationId} ${method.toUpperCase()} ${path.replace(/#.*/, '')}`;
    }),
  );
  const operations = allOperations.map(({ id, api, method, path }) => {
    const prefix = api === 'scim' ? '' : '/api/latest';
    return `${id} ${method} ${prefix}${path}`;
  });
  expect(found.toSorted()).toEqual(operations.toSorted());
});

test('every parameter is described, files only where a form is', () => {
  const { paths } = document.parse(JSON.parse(page));
  const items = Object.values(paths).flatMap((item) => Object.values(item));
  const byId = new Map(items.map((item) => [item.operationId, item]));
  for (const { id, query = {}, body = {}, queryStyle = {} } of allOperations) {
    const { parameters = [], requestBody } = byId.get(id) ?? {};
    const inQuery = parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []));
    const written = [...toTypes(query).keys()].map((name) =>
      queryStyle[name] === 'brackets' ? `${name}[]` : name,
    );
    expect(inQuery, id).toEqual(written);
    const types = [...toTypes(body)];
    for (const [type, { schema }] of Object.entries(requestBody?.content ?? {})) {
      const isForm = type === 'multipart/form-data';
      const sent = types.filter(([, field]) => isForm || !isFileType(field)).map(([name]) => name);
      expect(Object.keys(schema.properties), `${id} ${type}`).toEqual(sent);
      expect(schema.required).toEqual(sent.filter((name) => `${name}*` in body));
    }
    expect(requestBody === undefined, id).toBe(types.length === 0);
  }
});

test('no two paths differ in the names of their parameters alone', () => {
  const { paths } = document.parse(JSON.parse(page));
  const patterns = Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
  expect(new Set(patterns).size).toBe(patterns.length);
});

const types = [
  { type: 'integer', schema: { type: 'integer' } },
  { type: 'string | null', schema: { type: ['string', 'null'] } },
  { type: 'unknown', schema: {} },
  { type: "'a' | 'b' | null", schema: { enum: ['a', 'b', null] } },
  { type: '1 | 2', schema: { enum: [1, 2] } },
  { type: "number | 'current'", schema: { anyOf: [{ type: 'number' }, { const: 'current' }] } },
  { type: 'object[]', schema: { type: 'array', items: { type: 'object' } } },
  { type: '(string | number)[]', schema: { type: 'array', items: { type: ['string', 'number'] } } },
  {
    type: 'object[] | null',
    schema: { anyOf: [{ type: 'array', items: { type: 'object' } }, { type: 'null' }] },
  },
  { type: 'file', schema: { contentMediaType: 'application/octet-stream' } },
];
test.each(types)('the schema of $type', ({ type, schema }) => {
  expect(toSchema(type)).toEqual(schema);
});
