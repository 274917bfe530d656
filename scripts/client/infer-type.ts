import type { Operation, OperationGroup } from '../../src/upstream/operations/operation.ts';
import { toTypes } from '../../src/upstream/operations/part.ts';

/** Surroundings of an answer: its operation, the operations of its group, and all of them. */
export interface AnswerPlace {
  readonly operation: Operation;
  readonly group: OperationGroup;
  readonly operations: readonly Operation[];
  /** The fields of the object that holds the field. */
  readonly fields: readonly string[];
}

/** The type of an id that no parameter is called after. */
export const UNKNOWN_ID = 'number | string';

/**
 * Infers the type of a field of an answer. Ids follow parameters of the same name, times follow from names, and what
 * the bodies of the group take as plain values is read as such. Undefined when nothing says more than `unknown`.
 */
export function inferType(name: string, place: AnswerPlace): string | undefined {
  const { operation, group } = place;
  if (name === 'id') return inferOwnId(place);
  if (name === 'uid') return 'string';
  if (/_uu?id$/.test(name)) return `string${orNull(name, operation)}`;
  if (name.endsWith('_uids')) return 'string[] | null';
  if (name.endsWith('_id')) return `${inferId(name, place)}${orNull(name, operation)}`;
  if (name.endsWith('_ids')) return toListType(inferId(name.slice(0, -1), place));
  if (/^(created|updated)$/.test(name)) return 'string';
  if (/_(at|date)$/.test(name)) return 'string | null';
  const bodies = Object.values(group).map(({ body = {} }) => ({ body }));
  const plain = toPlainTypes(listTypes(name, bodies));
  return plain.length === 0 ? undefined : `${plain.join(' | ')} | null`;
}

function toListType(type: string): string {
  return `${type.includes('|') ? `(${type})` : type}[] | null`;
}

/** The id of the object itself: what the operations of its group that are about one such object take. */
function inferOwnId({ operation, group, operations, fields }: AnswerPlace): string {
  const singular = operation.id.replace(/s?\..*$/, '').toLowerCase();
  for (const { path, pathParameters = {} } of Object.values(group)) {
    const [, last = ''] = /\{(\w+)\}$/.exec(path) ?? [];
    if (last === `${singular}_uid` && !fields.includes('uid')) return 'string';
    if (last === '' || last === 'email' || /uu?id$/.test(last)) continue;
    return toIdType([pathParameters[last] ?? '']) ?? UNKNOWN_ID;
  }
  const byName = toIdType(listTypes('id', [operation]));
  return byName ?? toIdType(listTypes(`${singular}_id`, operations)) ?? UNKNOWN_ID;
}

/** Parameters nearby say more than those of other groups, where a name may mean something else. */
function inferId(name: string, { operation, group, operations }: AnswerPlace): string {
  const nearby = [[operation], Object.values(group), operations];
  const types = nearby.map((some) => toIdType(listTypes(name, some)));
  return types.find((type) => type !== undefined) ?? UNKNOWN_ID;
}

/** An id that the call itself needs is always there. */
function orNull(name: string, { pathParameters = {}, body = {} }: Operation): string {
  return name in pathParameters || `${name}*` in body ? '' : ' | null';
}

type Parts = Pick<Operation, 'pathParameters' | 'query' | 'body'>;

function listTypes(name: string, operations: readonly Parts[]): string[] {
  return operations.flatMap(({ pathParameters = {}, query = {}, body = {} }) =>
    [pathParameters, query, body].flatMap((fields) => toTypes(fields).get(name) ?? []),
  );
}

/** The type that all of them allow between them; undefined when one of them is no number or text. */
function toIdType(types: readonly string[]): string | undefined {
  return (
    toPlainTypes(types)
      .filter((word) => word !== 'boolean')
      .join(' | ') || undefined
  );
}

/** The plain types among the alternatives; none when one of them is something else. */
function toPlainTypes(types: readonly string[]): string[] {
  const words = new Set(types.flatMap((type) => type.split(' | ')).map(toPlainType));
  if (words.has(undefined)) return [];
  return ['boolean', 'number', 'string'].filter((word) => words.has(word));
}

/** The type of one alternative, undefined when it is no plain value. */
function toPlainType(type: string): string | undefined {
  if (type === 'integer' || type === 'number' || /^\d+$/.test(type)) return 'number';
  if (type === 'string' || type.startsWith("'")) return 'string';
  return type === 'boolean' || type === 'null' ? type : undefined;
}
