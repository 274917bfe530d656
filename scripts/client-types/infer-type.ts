import type { Operation, OperationGroup } from '../../src/upstream/operations/operation.ts';
import { toTypes } from '../../src/upstream/operations/part.ts';

/** Type of an answer's field that no document gives, and what it follows from. */
export interface InferredType {
  /** As TypeScript has it. */
  readonly type: string;
  /** Evidence, as the end of "Inferred from …". */
  readonly from: string;
}

/** Surroundings of an answer: its operation, the operations of its group, and all of them. */
export interface AnswerPlace {
  readonly operation: Operation;
  readonly group: OperationGroup;
  readonly operations: readonly Operation[];
  /** The fields of the object that holds the field. */
  readonly fields: readonly string[];
}

/**
 * Infers the type of a field of an answer. Ids follow parameters of the same name, times follow from names, and what
 * the bodies of the group take as plain values is read as such. Undefined when nothing says more than `unknown`.
 */
export function inferType(name: string, place: AnswerPlace): InferredType | undefined {
  if (name === 'id') return inferOwnId(place);
  if (name === 'uid') return { type: 'string', from: 'its name' };
  if (/_uu?id$/.test(name)) return { type: `string${orNull(name, place)}`, from: 'its name' };
  if (name.endsWith('_uids')) return { type: 'string[] | null', from: 'its name' };
  if (/_ids?$/.test(name)) return inferId(name, place);
  if (/^(created|updated)$/.test(name)) return { type: 'string', from: 'its name: a time' };
  if (/_(at|date)$/.test(name)) return { type: 'string | null', from: 'its name: a time' };
  return inferPlain(name, place);
}

const UNKNOWN_ID = 'number | string';

/** The id of the object itself: what the operations on one such object take. */
function inferOwnId(place: AnswerPlace): InferredType {
  const { operation, group, operations, fields } = place;
  for (const { path, pathParameters = {} } of Object.values(group)) {
    const [, last] = /\{(\w+)\}$/.exec(path) ?? [];
    if (last === undefined) continue;
    const isName = /uu?id$/.test(last);
    const isOwnName = isName && !fields.includes('uid') && isNamedAfter(last, operation);
    if (isOwnName) return { type: 'string', from: `\`path.${last}\`` };
    if (isName || last === 'email') continue;
    return { type: toIdType([pathParameters[last] ?? '']) ?? UNKNOWN_ID, from: `\`path.${last}\`` };
  }
  const byName = toIdType(listTypes('id', [operation]));
  if (byName !== undefined) return { type: byName, from: '`query.id`' };
  const elsewhere = `${toSingular(operation)}_id`;
  const byGroup = toIdType(listTypes(elsewhere, operations));
  if (byGroup !== undefined)
    return { type: byGroup, from: `the parameters called \`${elsewhere}\`` };
  return { type: UNKNOWN_ID, from: 'its name' };
}

/** `automation_uid` in the group `automations`. */
function isNamedAfter(parameter: string, operation: Operation): boolean {
  return parameter.replace(/_uu?id$/, '') === toSingular(operation);
}

function toSingular({ id }: Operation): string {
  return (id.split('.')[0] ?? '').replace(/s$/, '').toLowerCase();
}

/** `…_id`, or a list of them in `…_ids`. */
function inferId(name: string, place: AnswerPlace): InferredType {
  const single = name.replace(/_ids$/, '_id');
  const found = findIdType(single, place);
  const from = found === undefined ? 'its name' : `the parameters called \`${single}\``;
  const type = found ?? UNKNOWN_ID;
  if (single === name) return { type: `${type}${orNull(name, place)}`, from };
  return { type: `${type.includes('|') ? `(${type})` : type}[] | null`, from };
}

/** Parameters nearby say more than those of other groups, where a name may mean something else. */
function findIdType(name: string, { operation, group, operations }: AnswerPlace) {
  return (
    toIdType(listTypes(name, [operation])) ??
    toIdType(listTypes(name, Object.values(group))) ??
    toIdType(listTypes(name, operations))
  );
}

/** An id that the call itself needs is always there. */
function orNull(name: string, { operation }: AnswerPlace): string {
  const { pathParameters = {}, body = {} } = operation;
  return name in pathParameters || `${name}*` in body ? '' : ' | null';
}

function listTypes(name: string, operations: readonly Operation[]): string[] {
  return operations.flatMap(({ pathParameters = {}, query = {}, body = {} }) =>
    [pathParameters, query, body].flatMap((fields) => toTypes(fields).get(name) ?? []),
  );
}

/** The type that all of them allow between them; undefined when one of them is no number or text. */
function toIdType(types: readonly string[]): string | undefined {
  const words = toPlainTypes(types);
  return words.filter((word) => word !== 'boolean').join(' | ') || undefined;
}

/** Fields that a body of the group takes as plain values; what is no list or object there is none in the answer. */
function inferPlain(name: string, { group }: AnswerPlace): InferredType | undefined {
  const types = Object.values(group).flatMap(({ body = {} }) => toTypes(body).get(name) ?? []);
  const words = toPlainTypes(types);
  if (words.length === 0) return undefined;
  return { type: `${words.join(' | ')} | null`, from: `\`body.${name}\`` };
}

/** The plain types among the alternatives; none when one of them is something else. */
function toPlainTypes(types: readonly string[]): readonly string[] {
  const words = new Set(types.flatMap((type) => type.split(' | ')).map(toPlainType));
  if (words.has(undefined)) return [];
  return (['boolean', 'number', 'string'] as const).filter((word) => words.has(word));
}

/** The type of one alternative, undefined when it is no plain value. */
function toPlainType(type: string): 'boolean' | 'number' | 'string' | 'null' | undefined {
  if (type === 'integer' || type === 'number' || /^\d+$/.test(type)) return 'number';
  if (type === 'string' || type.startsWith("'")) return 'string';
  return type === 'boolean' || type === 'null' ? type : undefined;
}
