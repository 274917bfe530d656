import { assertNever } from '../../domain/values.ts';
import type { Selector } from '../../store/resources/views.ts';
import type { Comparison, Filter } from './tree.ts';

/** Answer of an index to a filter. */
export interface Selection {
  /** Finds at least everything the filter matches; undefined: everything must be looked at. */
  readonly selector: Selector | undefined;
  /** True when it finds nothing else, so that nothing is left to check. */
  readonly exact: boolean;
}

const SCAN: Selection = { selector: undefined, exact: false };
/** Most conditions that a database compares each resource with. */
const CONDITIONS_MAX = 10;

/** Translates a filter into a selector for an index. One of too many conditions scans all, because a database cannot be interrupted. */
export function toSelector(filter: Filter | undefined): Selection {
  if (filter === undefined) return { selector: undefined, exact: true };
  const selection = select(filter, '');
  const { selector } = selection;
  return selector && countConditions(selector) > CONDITIONS_MAX ? SCAN : selection;
}

/** A list of names counts once where it stands alone or beside other conditions: an index finds each. */
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
    case 'or': {
      const { kind } = filter;
      const selections = filter.parts.map((part) => select(part, list));
      const parts = selections.flatMap(({ selector }) => selector ?? []);
      const [only] = parts;
      if (only === undefined || (kind === 'or' && parts.length < selections.length)) return SCAN;
      // Inside a list, one element must fulfil all parts; an index finds those where each part has its own.
      const isWhole = kind === 'or' || list === '';
      const exact = isWhole && selections.every((selection) => selection.exact);
      return { selector: parts.length === 1 ? only : { kind, parts }, exact };
    }
    case 'some':
      return select(filter.part, `${filter.target.keys.join('.')}.`);
    case 'compare': {
      const selector = toLeaf(filter, `${list}${filter.target.keys.join('.')}`);
      return selector ? { selector, exact: true } : SCAN;
    }
    case 'nothing':
      return { selector: { kind: 'or', parts: [] }, exact: true };
    case 'not':
    case 'present':
      return SCAN;
    default:
      return assertNever(filter);
  }
}

type Indexed = 'id' | 'externalId' | 'userName' | 'displayName' | 'email' | 'member';

/** Indexed texts by the names of their attributes. */
const TEXTS: ReadonlyMap<string, Indexed> = new Map([
  ['id', 'id'],
  ['externalId', 'externalId'],
  ['userName', 'userName'],
  ['displayName', 'displayName'],
  ['emails.value', 'email'],
  ['members.value', 'member'],
  ['groups.value', 'member'],
]);
const MOMENT_OPS = ['eq', 'gt', 'ge', 'lt', 'le'] as const;

function toLeaf({ op, comparable: value }: Comparison, name: string): Selector | undefined {
  if (name === 'meta.lastModified' && typeof value === 'number') {
    const momentOp = MOMENT_OPS.find((one) => one === op);
    return momentOp && { kind: 'lastModified', op: momentOp, value };
  }
  if (op !== 'eq') return undefined;
  if (typeof value === 'boolean') {
    return name === 'active' ? { kind: 'active', op, value } : undefined;
  }
  const kind = TEXTS.get(name);
  return kind && typeof value === 'string' ? { kind, op, value } : undefined;
}
