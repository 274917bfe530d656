import { Open, type Value } from './notation.ts';

/** One value of each kind. */
const CANDIDATES = ['no such word', 7, 1.5, true, null, { no: 'such' }, ['no such']];

/** Values that a parameter must not take, as far as the documents say what it takes. */
export function listWrong(value: Value): unknown[] {
  if (!(value instanceof Open)) return [...listOtherKinds([value]), ...listWrongLists(value)];
  switch (value.kind) {
    case 'either':
      return listOtherKinds(value.values);
    case 'travels':
      return listOtherKinds(value.values);
    case 'words':
      // A number among the words that has a fraction stands for every number.
      return CANDIDATES.filter((candidate) => !takes(value.values, candidate));
    case 'any-word':
      return [true, null, { no: 'such' }, ['no such']];
    case 'files':
      return [7, true, null, { no: 'such' }];
    case 'opaque':
      return [];
  }
}

function takes(values: readonly unknown[], candidate: unknown): boolean {
  const takesNumbers = values.some((value) => toKind(value) === 'number');
  return values.includes(candidate) || (takesNumbers && typeof candidate === 'number');
}

function listOtherKinds(values: readonly unknown[]): unknown[] {
  const kinds = new Set(values.map(toKind));
  if (kinds.has('number')) kinds.add('integer');
  return CANDIDATES.filter((candidate) => !kinds.has(toKind(candidate)));
}

/** The list with one wrong item, where its items have a type. */
function listWrongLists(value: unknown): unknown[] {
  if (!Array.isArray(value) || value[0] instanceof Open) return [];
  return listOtherKinds([value[0]]).map((wrong) => [...value, wrong]);
}

function toKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
