import type { Fields, Operation, QueryStyle } from '../../src/upstream/operations/operation.ts';
import { isFileType, toName } from '../../src/upstream/operations/part.ts';
import { toSentence } from '../../src/upstream/operations/row.ts';
import { type Answers, type Declaration, type Groups, toAnswers } from './answers.ts';

/** A JSON Schema (draft 2020-12), or another part of a document of OpenAPI 3.1. */
type Schema = { readonly [key: string]: unknown };

/** The operations of the service as an OpenAPI 3.1 document, as JSON text. */
export function toOpenApiText(groups: Groups, version: string): string {
  const answers = toAnswers(groups);
  const schemas = answers.declarations.map((each) => [each.name, toDeclaredSchema(each)]);
  const document = {
    openapi: '3.1.0',
    info: { title: 'The work-management service, as scim-bridge calls it', version, description },
    servers: [
      { url: '{base_url}', variables: { base_url: { default: 'https://company.example' } } },
    ],
    security: [{ bearer: [] }],
    tags: Object.keys(groups).map((name) => ({ name })),
    paths: toPaths(groups, answers),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(schemas),
      responses: { Failure: { description: 'The service refused, or failed.' } },
    },
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

const description = `Written from the operations of scim-bridge by \`npm run build:client\`; do not edit.

Fields of answers have a type only where one is known, or follows from their names and from parameters (\`x-inferred\`).
\`x-source\` is where an operation is described, \`field-notes\` one that only the running service shows; \`x-safe-to-repeat\`
says that sending it twice does no more than sending it once.

Where two groups share a path but for the names of its parameters, the path of the second ends in \`#\` and the name of its group,
which is not sent: OpenAPI has no other way to tell them apart.`;

function toPaths(groups: Groups, answers: Answers): Schema {
  const paths = new Map<string, Record<string, Schema>>();
  const patterns = new Map<string, string>();
  for (const [group, operations] of Object.entries(groups)) {
    for (const operation of Object.values(operations)) {
      const path = operation.api === 'scim' ? operation.path : `/api/latest${operation.path}`;
      const pattern = path.replace(/\{\w+\}/g, '{}');
      const first = patterns.get(pattern) ?? path;
      patterns.set(pattern, first);
      const key = first === path ? path : `${path}#${group}`;
      const item = paths.get(key) ?? {};
      item[operation.method.toLowerCase()] = toOpenApiOperation(operation, group, answers);
      paths.set(key, item);
    }
  }
  return Object.fromEntries(paths);
}

function toOpenApiOperation(operation: Operation, group: string, answers: Answers): Schema {
  const { id, about, body, stage, paging, repeat, source } = operation;
  const { pathParameters = {}, query = {}, queryStyle = {} } = operation;
  const parameters = [
    ...Object.entries(pathParameters).map(([name, type]) => ({
      name,
      in: 'path',
      required: true,
      schema: toSchema(type),
    })),
    ...Object.entries(query).map(([written, type]) => {
      const [name, required] = [toName(written), isRequired(written)];
      return { in: 'query', required, ...toQueryParameter(name, type, queryStyle[name]) };
    }),
  ];
  return {
    operationId: id,
    summary: toSentence(id.slice(id.indexOf('.') + 1)),
    description: about,
    tags: [group],
    deprecated: stage === 'deprecated',
    parameters,
    ...(body === undefined ? {} : { requestBody: toRequestBody(operation, body) }),
    responses: toResponses(operation, answers.types.get(operation)),
    'x-source': source,
    'x-safe-to-repeat': repeat === 'safe',
    'x-beta': stage === 'beta',
    'x-paging': paging,
  };
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

function toRequestBody({ content = 'json', deprecated }: Operation, body: Fields): Schema {
  const fileless = Object.fromEntries(Object.entries(body).filter(([, type]) => !isFileType(type)));
  const json = { 'application/json': { schema: toFieldsSchema(fileless, deprecated) } };
  const form = { 'multipart/form-data': { schema: toFieldsSchema(body, deprecated) } };
  return {
    required: Object.keys(body).some(isRequired),
    content: { ...(content !== 'multipart' && json), ...(content !== 'json' && form) },
  };
}

/** The schema of a part of a call: its parameters and which of them are required; nothing else may be sent. */
function toFieldsSchema(fields: Fields, deprecated: readonly string[] = []): Schema {
  const properties = Object.entries(fields).map(([written, type]) => {
    const name = toName(written);
    return [name, { ...toSchema(type), ...(deprecated.includes(name) && { deprecated: true }) }];
  });
  return {
    type: 'object',
    required: Object.keys(fields).filter(isRequired).map(toName),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

function toResponses({ response, paging }: Operation, type: string | undefined): Schema {
  const location = { Location: { schema: { type: 'string' } } };
  return {
    '2XX': type === undefined ? { description: 'Done, without a body.' } : toDone(),
    ...(response.kind === 'redirect' && {
      '302': { description: 'With `redirect: true`: where the file is.', headers: location },
    }),
    default: { $ref: '#/components/responses/Failure' },
  };

  function toDone(): Schema {
    const entry = toSchema(type ?? 'unknown');
    const list = { type: 'array', items: entry };
    const positioned = { type: 'object', properties: { result: list, position: {} } };
    const whole = paging === 'start-position' ? { oneOf: [list, positioned] } : list;
    const schema = response.kind === 'array' ? whole : entry;
    return { description: 'Done.', content: { 'application/json': { schema } } };
  }
}

/** Types are known of few fields, and an answer may have others. */
function toDeclaredSchema({ base, fields }: Declaration): Schema {
  const properties = [...fields].map(([name, { type, isInferred }]) => {
    return [name, { ...toSchema(type), ...(isInferred && { 'x-inferred': true }) }];
  });
  const own = { type: 'object', properties: Object.fromEntries(properties) };
  return base === undefined ? own : { allOf: [toSchema(base), own] };
}

/** The schema of a type in the notation of operations, or of a declared answer by its name. */
export function toSchema(type: string): Schema {
  const list = /^\(([^()]+)\)\[\]$/.exec(type)?.[1];
  if (list !== undefined) return { type: 'array', items: toSchema(list) };
  const alternatives = type.split(' | ');
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) return toSingle(only);
  if (alternatives.every((one) => isWord(one) || one === 'null')) {
    return { enum: alternatives.map((one) => (one === 'null' ? null : toWord(one))) };
  }
  if (alternatives.every((one) => /^[a-z]+$/.test(one) && one !== 'unknown' && one !== 'file')) {
    return { type: alternatives };
  }
  return { anyOf: alternatives.map(toSchema) };
}

function toSingle(type: string): Schema {
  const item = /^(.+)\[\]$/.exec(type)?.[1];
  if (item !== undefined) return { type: 'array', items: toSingle(item) };
  if (type === 'unknown') return {};
  if (type === 'file') return { contentMediaType: 'application/octet-stream' };
  if (/^[A-Z]/.test(type)) return { $ref: `#/components/schemas/${type}` };
  return isWord(type) ? { const: toWord(type) } : { type };
}

/** True for the name of a required part, as a row has it. */
function isRequired(name: string): boolean {
  return name.endsWith('*');
}

function isWord(type: string): boolean {
  return /^'.*'$|^\d+$/.test(type);
}

function toWord(type: string): string | number {
  return type.startsWith("'") ? type.slice(1, -1) : Number(type);
}
