import { assertNever } from '../../domain/errors.ts';
import type { MomentOp, Selector } from '../../domain/selector.ts';
import type { Comparison, Filter } from './tree.ts';

/** Answer of an index to a filter. */
export interface Selection {
  /** Finds at least everything the filter matches; undefined: everything must be looked at. */
  readonly selector: Selector | undefined;
  /** True when it finds nothing else, so that nothing is left to check. */
  readonly exact: boolean;
}

const SCAN: Selection = { selector: undefined, exact: false };
const MOMENT_OPS: ReadonlySet<string> = new Set(['eq', 'gt', 'ge', 'lt', 'le']);

/** Translates a filter into a selector for an index. One of too many conditions scans all, because a database cannot be interrupted. */
export function toSelector(filter: Filter | undefined): Selection {
  if (filter === undefined) return { selector: undefined, exact: true };
  const selection = select(filter, '');
  return selection.selector === undefined || isLight(selection.selector) ? selection : SCAN;
}

const CONDITIONS_MAX = 10;

/** A list of names counts once where it stands alone or beside other conditions: an index finds each. */
function isLight(selector: Selector): boolean {
  return countConditions(selector) <= CONDITIONS_MAX;
}

function countConditions(selector: Selector, isInList = false): number {
  if (selector.kind !== 'and' && selector.kind !== 'or') return 1;
  const { kind, parts } = selector;
  if (kind === 'or' && !isInList && parts.every(isName)) return 1;
  return parts.reduce((sum, part) => sum + countConditions(part, isInList || kind === 'or'), 0);
}

function isName({ kind }: Selector): boolean {
  return kind !== 'and' && kind !== 'or' && kind !== 'active' && kind !== 'lastModified';
}

/** @param list the list whose elements the filter looks at, with a dot; '' for the resource itself */
function select(filter: Filter, list: string): Selection {
  switch (filter.kind) {
    case 'and':
      return selectAnd(filter.parts, list);
    case 'or':
      return selectOr(filter.parts, list);
    case 'some':
      return select(filter.part, `${filter.target.keys.join('.')}.`);
    case 'compare':
      return selectLeaf(filter, list);
    case 'nothing':
      return { selector: { kind: 'or', parts: [] }, exact: true };
    case 'not':
    case 'present':
      return SCAN;
    default:
      return assertNever(filter);
  }
}

function selectAnd(filters: readonly Filter[], list: string): Selection {
  const selections = filters.map((filter) => select(filter, list));
  const parts = selections.flatMap(({ selector }) => selector ?? []);
  if (parts.length === 0) return SCAN;
  // Inside a list, one element must fulfil all parts; an index finds those where each part has its own.
  const exact = list === '' && selections.every((selection) => selection.exact);
  return { selector: join('and', parts), exact };
}

function selectOr(filters: readonly Filter[], list: string): Selection {
  const selections = filters.map((filter) => select(filter, list));
  const parts = selections.flatMap(({ selector }) => selector ?? []);
  if (parts.length < selections.length) return SCAN;
  return { selector: join('or', parts), exact: selections.every(({ exact }) => exact) };
}

function join(kind: 'and' | 'or', parts: readonly Selector[]): Selector {
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind, parts };
}

function selectLeaf(comparison: Comparison, list: string): Selection {
  const selector = toLeaf(comparison, `${list}${comparison.target.keys.join('.')}`);
  return selector ? { selector, exact: true } : SCAN;
}

function toLeaf({ op, comparable: value }: Comparison, name: string): Selector | undefined {
  if (name === 'meta.lastModified' && typeof value === 'number') {
    return isMomentOp(op) ? { kind: 'lastModified', op, value } : undefined;
  }
  if (op !== 'eq') return undefined;
  if (typeof value === 'boolean') {
    return name === 'active' ? { kind: 'active', op, value } : undefined;
  }
  return typeof value === 'string' ? toTextLeaf(name, value) : undefined;
}

function toTextLeaf(name: string, value: string): Selector | undefined {
  switch (name) {
    case 'id':
    case 'externalId':
    case 'userName':
    case 'displayName':
      return { kind: name, op: 'eq', value };
    case 'emails.value':
      return { kind: 'email', op: 'eq', value };
    case 'members.value':
    case 'groups.value':
      return { kind: 'member', op: 'eq', value };
    default:
      return undefined;
  }
}

function isMomentOp(op: string): op is MomentOp {
  return MOMENT_OPS.has(op);
}
