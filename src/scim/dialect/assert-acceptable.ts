import { isStorable } from '../../domain/storable.ts';
import { invalidSyntax, invalidValue } from '../errors.ts';

/** How much structure a body may have. Its size in bytes is limited where it is read. */
const BODY_LIMITS = {
  /** Objects and lists inside each other; the deepest body of a provider needs 7. */
  depthMax: 20,
  /** Values of one list: members, operations. */
  listMax: 100_000,
  /** Attributes of one object; the widest of a provider has some dozens. */
  namesMax: 1_000,
} as const;

/**
 * Looks through a whole body, the parts that will be dropped included, for what no store can keep.
 * @throws ScimError 400 `invalidValue`: NUL, half of a surrogate pair, a list too long, an object too wide; `invalidSyntax`: nested too deep
 */
export function assertAcceptable(value: unknown, depth = 1): void {
  if (typeof value === 'string') assertStorable(value);
  if (typeof value !== 'object' || value === null) return;
  if (depth > BODY_LIMITS.depthMax) {
    throw invalidSyntax(`The body is nested deeper than ${BODY_LIMITS.depthMax} levels.`);
  }
  if (Array.isArray(value)) assertList(value, depth);
  else assertObject(value, depth);
}

function assertList(list: readonly unknown[], depth: number): void {
  if (list.length > BODY_LIMITS.listMax) {
    throw invalidValue(`A list has more than ${BODY_LIMITS.listMax} values.`);
  }
  for (const item of list) assertAcceptable(item, depth + 1);
}

function assertObject(object: object, depth: number): void {
  const entries = Object.entries(object);
  if (entries.length > BODY_LIMITS.namesMax) {
    throw invalidValue(`An object has more than ${BODY_LIMITS.namesMax} attributes.`);
  }
  for (const [name, part] of entries) {
    assertStorable(name);
    assertAcceptable(part, depth + 1);
  }
}

function assertStorable(text: string): void {
  if (isStorable(text)) return;
  throw invalidValue('The body holds a NUL character or half of a surrogate pair.');
}
