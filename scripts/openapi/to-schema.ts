import type {
  EntryShape,
  Fields,
  Operation,
  ResponseShape,
} from '../../src/upstream/operations/operation.ts';
import { toName } from '../../src/upstream/operations/part.ts';

/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). */
export type Schema = { readonly [key: string]: unknown };

/** The schema of a type in the notation of operations. */
export function toSchema(type: string): Schema {
  const list = /^\(([^()]+)\)\[\]$/.exec(type)?.[1];
  if (list !== undefined) return { type: 'array', items: toSchema(list) };
  const alternatives = type.split(' | ');
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) return toSingle(only);
  return toUnion(alternatives);
}

/** The schema of a part of a call: its parameters and which of them are required; nothing else may be sent. */
export function toFieldsSchema(fields: Fields, deprecated: readonly string[] = []): Schema {
  const required = Object.keys(fields).filter(isRequired).map(toName);
  const properties = Object.entries(fields).map(([written, type]) => {
    const name = toName(written);
    const schema = toSchema(type);
    return [name, deprecated.includes(name) ? { ...schema, deprecated: true } : schema];
  });
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
}

/** True for the name of a required part, as a row has it. */
export function isRequired(name: string): boolean {
  return name.endsWith('*');
}

/** The schema of an answer; undefined where there is none. */
export function toAnswerSchema(response: ResponseShape, isPositioned: boolean): Schema | undefined {
  if (response.kind === 'none') return undefined;
  const entry = toReference(response.entries ?? response);
  const list = { type: 'array', items: entry };
  switch (response.kind) {
    case 'array':
      return isPositioned ? { oneOf: [list, toObject({ result: list, position: {} })] } : list;
    case 'list':
      return toObject({ ...toProperties(response), Resources: list });
    default:
      return entry;
  }
}

/** The shapes that have names, by these. */
export function toNamedSchemas(operations: readonly Operation[]): Schema {
  const schemas: Record<string, Schema> = {};
  for (const { response } of operations) {
    let shape: EntryShape | undefined = response.entries ?? response;
    for (; shape; shape = shape.base) {
      if (shape.name !== undefined) schemas[shape.name] = toEntrySchema(shape);
    }
  }
  return schemas;
}

/** A shape by its name, or written out where it has none. */
function toReference(shape: EntryShape): Schema {
  const { name } = shape;
  return name === undefined ? toEntrySchema(shape) : { $ref: `#/components/schemas/${name}` };
}

/** Types are known of few fields, and an answer may have others. */
function toEntrySchema({ fields, types = {}, base }: EntryShape): Schema {
  if (base === undefined || base.fields.length === 0)
    return toObject(toProperties({ fields, types }));
  const isOwn = (name: string) => !base.fields.includes(name) || types[name] !== base.types?.[name];
  const own = toObject(toProperties({ fields: fields.filter(isOwn), types }));
  return { allOf: [toReference(base), own] };
}

function toObject(properties: Schema): Schema {
  return { type: 'object', properties };
}

function toProperties({ fields, types = {} }: EntryShape): Schema {
  return Object.fromEntries(fields.map((name) => [name, toSchema(types[name] ?? 'unknown')]));
}

function toSingle(type: string): Schema {
  const item = /^(.+)\[\]$/.exec(type)?.[1];
  if (item !== undefined) return { type: 'array', items: toSingle(item) };
  switch (type) {
    case 'unknown':
      return {};
    case 'file':
      return { contentMediaType: 'application/octet-stream' };
    default:
      return isWord(type) ? { const: toWord(type) } : { type };
  }
}

/** Words and null together are one list; types that are only names are one too. */
function toUnion(alternatives: readonly string[]): Schema {
  if (alternatives.every((one) => isWord(one) || one === 'null')) {
    return { enum: alternatives.map((one) => (one === 'null' ? null : toWord(one))) };
  }
  if (alternatives.every((one) => /^[a-z]+$/.test(one) && one !== 'unknown' && one !== 'file')) {
    return { type: alternatives };
  }
  return { anyOf: alternatives.map(toSingle) };
}

function isWord(type: string): boolean {
  return /^'.*'$|^\d+$/.test(type);
}

function toWord(type: string): string | number {
  return type.startsWith("'") ? type.slice(1, -1) : Number(type);
}
