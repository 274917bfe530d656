import type { Operation, QueryStyle } from '../../src/upstream/operations/operation.ts';
import { isFileType, toName } from '../../src/upstream/operations/part.ts';
import { toSentence } from '../../src/upstream/operations/row.ts';
import { isRequired, type Schema, toAnswerSchema, toFieldsSchema, toSchema } from './to-schema.ts';

/** One operation as OpenAPI has it, for the group that it stands in. */
export function toOpenApiOperation(operation: Operation, group: string): Schema {
  const { id, about, body, stage, paging, repeat, source } = operation;
  const parameters = [...listPathParameters(operation), ...listQueryParameters(operation)];
  return {
    operationId: id,
    summary: toSentence(id.slice(id.indexOf('.') + 1)),
    description: about,
    tags: [group],
    ...(stage === 'deprecated' ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: toRequestBody(operation, body) }),
    responses: toResponses(operation),
    'x-source': source,
    'x-safe-to-repeat': repeat === 'safe',
    ...(stage === 'beta' ? { 'x-beta': true } : {}),
    ...(paging === undefined ? {} : { 'x-paging': paging }),
  };
}

function listPathParameters({ pathParameters = {} }: Operation): Schema[] {
  return Object.entries(pathParameters).map(([name, type]) => ({
    name,
    in: 'path',
    required: true,
    schema: toSchema(type),
  }));
}

function listQueryParameters({ query = {}, queryStyle = {} }: Operation): Schema[] {
  return Object.entries(query).map(([written, type]) => {
    const name = toName(written);
    const required = isRequired(written) ? { required: true } : {};
    return { in: 'query', ...required, ...toQueryParameter(name, type, queryStyle[name]) };
  });
}

function toQueryParameter(name: string, type: string, style: QueryStyle | undefined): Schema {
  const schema = toSchema(type);
  switch (style) {
    case 'brackets':
      return { name: `${name}[]`, schema, style: 'form', explode: true };
    case 'json':
      return { name, content: { 'application/json': { schema } } };
    case 'base64-json':
      return { name, description: 'Base64 of JSON text in UTF-8.', schema: { type: 'string' } };
    default:
      return schema.type === 'array'
        ? { name, schema, style: 'form', explode: false }
        : { name, schema };
  }
}

function toRequestBody(
  { content = 'json', deprecated }: Operation,
  body: Readonly<Record<string, string>>,
) {
  const schema = toFieldsSchema(body, deprecated);
  const isFileless = ([, type]: [string, string]) => !isFileType(type);
  const withoutFiles = Object.fromEntries(Object.entries(body).filter(isFileless));
  const json = { 'application/json': { schema: toFieldsSchema(withoutFiles, deprecated) } };
  const form = { 'multipart/form-data': { schema } };
  return {
    required: Object.keys(body).some(isRequired),
    content: {
      ...(content === 'multipart' ? {} : json),
      ...(content === 'json' ? {} : form),
    },
  };
}

function toResponses({ response, paging }: Operation): Schema {
  const schema = toAnswerSchema(response, paging === 'start-position');
  const done = { description: schema === undefined ? 'Done, without a body.' : 'Done.' };
  const content = schema === undefined ? {} : { content: { 'application/json': { schema } } };
  const location = { Location: { schema: { type: 'string' } } };
  return {
    '2XX': { ...done, ...content },
    ...(response.kind === 'redirect'
      ? { '302': { description: 'With `redirect: true`: where the file is.', headers: location } }
      : {}),
    default: { $ref: '#/components/responses/Failure' },
  };
}
