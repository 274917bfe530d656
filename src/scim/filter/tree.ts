import type { JsonValue } from '../../domain/values.ts';
import { foldCase } from '../../domain/values.ts';
import { badRequest, invalidFilter } from '../errors.ts';
import type { AttributeRule } from '../schema/resource-schemas.ts';
import { findRule } from '../schema/resource-schemas.ts';

/** The operators that compare with a value. @see RFC 7644 §3.4.2.2, table 3 */
export const COMPARE_OPS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
/** One of them. */
export type CompareOp = (typeof COMPARE_OPS)[number];

/** Value that a filter compares with, as it was written. */
export type Literal = string | number | boolean | null;

/** The attribute that a filter looks at; `keys` are property names out of a schema. */
export interface FilterTarget {
  readonly keys: readonly string[];
  readonly rule: AttributeRule;
}

/** One comparison. */
export interface Comparison {
  readonly kind: 'compare';
  readonly target: FilterTarget;
  readonly op: CompareOp;
  /** As written, with the type of the attribute: what an element made from the filter would hold. */
  readonly literal: string | number | boolean;
  /** Made comparable once: folded where the attribute ignores case, epoch milliseconds for a dateTime. */
  readonly comparable: string | number | boolean;
}

/** A parsed filter. `some`: an element of the list fulfils `part`, whose targets start at the element. `nothing`: an attribute that no schema has. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'some'; readonly target: FilterTarget; readonly part: Filter }
  | { readonly kind: 'present'; readonly target: FilterTarget }
  | { readonly kind: 'nothing' }
  | Comparison;

/** Most comparisons with each user of a group, because a group may hold all users. */
const PEOPLE_COMPARISONS_MAX = 20;

/** Counts the comparisons of a filter. */
export function countComparisons(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.reduce((sum, part) => sum + countComparisons(part), 0);
    case 'not':
    case 'some':
      return countComparisons(filter.part);
    default:
      return 1;
  }
}

/** The ids of `value eq "x" or value eq "y"`; undefined for any other filter of a list of users. */
export function listIds(filter: Filter): string[] | undefined {
  if (filter.kind === 'or') {
    const ids = filter.parts.map(listIds);
    return ids.includes(undefined) ? undefined : ids.flatMap((some) => some ?? []);
  }
  if (filter.kind !== 'compare' || filter.op !== 'eq') return undefined;
  const { target, literal } = filter;
  return target.rule.name === 'value' && typeof literal === 'string' ? [literal] : undefined;
}

/** Stops a filter that would compare whole groups too often. @param scimType of a search or of a path (RFC 7644, table 9) @throws ScimError 400 */
export function assertFewOfUsers(comparisons: number, scimType: 'tooMany' | 'invalidFilter'): void {
  if (comparisons <= PEOPLE_COMPARISONS_MAX) return;
  const detail = `Members and admins are compared with more than ${PEOPLE_COMPARISONS_MAX} values; name them by "value eq".`;
  throw badRequest(scimType, detail);
}

/** A comparison with a value that no resource can have: `ne`, and `eq null`, hold everywhere. */
export function toComparisonWithNothing(op: CompareOp, literal: Literal): Filter {
  const nothing: Filter = { kind: 'nothing' };
  const holds = literal === null ? op === 'eq' : op === 'ne';
  return holds ? { kind: 'not', part: nothing } : nothing;
}

/** A comparison as it was read. `text`: its value as it was written; `at`: the place of that, for the error. */
interface RawComparison {
  readonly target: FilterTarget;
  readonly op: CompareOp;
  readonly literal: Literal;
  readonly text: string;
  readonly at: number;
}

/** A number in quotes, which some clients send. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const ORDER: ReadonlySet<CompareOp> = new Set(['gt', 'ge', 'lt', 'le']);
const PART: ReadonlySet<CompareOp> = new Set(['co', 'sw', 'ew']);
/** Most characters that are searched for inside of a text: the search for more is quadratic. */
const CONTAINED_MAX = 250;
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+ -]\d\d:?\d\d)?)?$/i;
/** Offset of a moment that lacks its colon, or whose plus sign an address has made a space. @see RFC 7643 §2.3.5 */
export const ODD_OFFSET = /T.*(?: \d\d:?\d\d|[+-]\d{4})$/i;

/** Makes a comparison ready. A complex attribute stands for its `value`; a value that the attribute cannot hold equals none. @throws ScimError 400 `invalidFilter` */
export function toComparison({ target, op, literal, text, at }: RawComparison): Filter {
  if (literal === null) return toNullComparison(target, op, at);
  const leaf = toLeaf(target);
  if (!leaf) return toComparisonWithNothing(op, literal);
  const { type } = leaf.rule;
  if (ORDER.has(op) && (type === 'boolean' || type === 'binary')) {
    throw invalidFilter(`"${op}" does not apply to this attribute`, at);
  }
  if (PART.has(op) && (typeof literal !== 'string' || type === 'boolean' || leaf.rule.isNumber)) {
    throw invalidFilter(`"${op}" does not apply to this attribute and value`, at);
  }
  const typed = toTyped(leaf.rule, literal, text);
  if (typed === undefined) return toComparisonWithNothing(op, literal);
  const comparable = toComparable(leaf.rule, op, typed);
  if (Number.isNaN(comparable)) throw invalidFilter('a date that is none', at);
  if (op === 'co' && String(comparable).length > CONTAINED_MAX) {
    throw invalidFilter(`more than ${CONTAINED_MAX} characters behind "co"`, at);
  }
  return { kind: 'compare', target: leaf, op, literal: typed, comparable };
}

/** Null stands for "no value" (RFC 7643 §2.5). */
function toNullComparison(target: FilterTarget, op: CompareOp, at: number): Filter {
  const present: Filter = { kind: 'present', target };
  if (op === 'ne') return present;
  if (op === 'eq') return { kind: 'not', part: present };
  throw invalidFilter(`"${op}" does not apply to null`, at);
}

/** What is compared: `emails eq` and `manager eq` mean the sub-attribute `value` (RFC 7643 §2.4). */
export function toLeaf({ keys, rule }: FilterTarget): FilterTarget | undefined {
  if (rule.type !== 'complex') return { keys, rule };
  const value = findRule(rule.subAttributes, 'value');
  return value && { keys: [...keys, value.name], rule: value };
}

function toTyped(
  { type, isNumber }: AttributeRule,
  literal: string | number | boolean,
  text: string,
): string | number | boolean | undefined {
  if (type === 'boolean') return toBoolean(literal);
  if (isNumber) return toNumber(literal);
  // Ids made of digits are sent without quotes. As a number a long one would become another id.
  return typeof literal === 'boolean' ? undefined : text;
}

function toNumber(literal: string | number | boolean): number | undefined {
  if (typeof literal === 'string') return NUMBER.test(literal) ? Number(literal) : undefined;
  return typeof literal === 'number' ? literal : undefined;
}

/** The boolean that a value is or names; undefined: none. Entra writes the texts "True" and "False". */
export function toBoolean(value: JsonValue): boolean | undefined {
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

function toComparable(
  rule: AttributeRule,
  op: CompareOp,
  typed: string | number | boolean,
): string | number | boolean {
  if (typeof typed !== 'string') return typed;
  if (rule.type === 'dateTime' && !PART.has(op)) return toMoment(typed);
  const text = rule.isUnique && !PART.has(op) ? typed.trim() : typed;
  return rule.caseExact ? text : foldCase(text);
}

/** Epoch milliseconds, or NaN. A moment without a zone is in UTC, wherever the bridge runs. */
export function toMoment(text: string): number {
  const [, date, time = '00:00', zone = 'Z'] = MOMENT.exec(text) ?? [];
  const offset = zone.replace(' ', '+').replace(/(\d\d):?(\d\d)$/, '$1:$2');
  return Date.parse(`${date}T${time}${offset}`);
}
