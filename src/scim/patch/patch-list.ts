import { assertNever } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { USER_LIST_MAX } from '../dialect/coerce.ts';
import { weigh, withoutNulls } from '../dialect/elements.ts';
import type { AttributeStep, PatchTarget } from '../dialect/patch-step.ts';
import type { ValueList } from '../dialect/value-list.ts';
import { badRequest, invalidValue } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { countComparisons, type Filter } from '../filter/tree.ts';
import type { Repairs } from '../repairs.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';

/** Cost of one change of a value, in looks at it. */
const CHANGE_COST = 4;
/** Attributes that a step may filter by where no value fits: providers expect that a value of this kind is made. */
const KINDS: ReadonlySet<string> = new Set(['type', 'primary']);

/**
 * Changes a list by one step. Where no value fits the filter, add and replace make one for a filter that names its
 * kind alone (`type`, `primary`). A value that becomes primary takes that from the others.
 * @throws ScimError 400 `noTarget`: as `applyUserPatch`
 */
export function patchList(list: ValueList, step: AttributeStep, repairs: Repairs): void {
  const { path, where } = step.target;
  if (where || path.sub) {
    patchValues(list, step, repairs);
    return;
  }
  switch (step.kind) {
    case 'set':
      setList(list, step);
      break;
    case 'clear':
      list.fill([]);
      break;
    case 'exclude':
      for (const value of step.values) {
        list.spend(weigh(value));
        list.exclude(value);
      }
      break;
    default:
      assertNever(step);
  }
}

/**
 * The list without empty elements, and each element once.
 * @throws ScimError 400 `invalidValue`: more than `USER_LIST_MAX` elements are left
 */
export function tidyList({ name }: AttributeRule, list: ValueList): JsonObject[] {
  list.dropEmpty();
  list.unite();
  const tidy = list.list().map(([, value]) => value);
  if (tidy.length <= USER_LIST_MAX) return tidy;
  throw invalidValue(`${name} would have more than ${USER_LIST_MAX} values.`);
}

function setList(
  list: ValueList,
  { op, value }: { readonly op: 'add' | 'replace'; readonly value: JsonValue },
): void {
  const given = Array.isArray(value) ? value.filter(isJsonObject) : [];
  if (op === 'replace') {
    list.fill(given);
    return;
  }
  const touched: number[] = [];
  for (const element of given) {
    list.spend(weigh(element));
    touched.push(list.merge(element));
  }
  list.keepPrimary(touched);
}

function patchValues(list: ValueList, step: AttributeStep, repairs: Repairs): void {
  const { where } = step.target;
  const comparisons = where ? countComparisons(where) : 1;
  const touched: number[] = [];
  let found = 0;
  for (const [number, value] of list.listCandidates(where)) {
    list.spend(weigh(value) * comparisons);
    if (where && !matches(where, value)) continue;
    found += 1;
    const changed = patchElement(value, step);
    list.spend(CHANGE_COST * weigh(changed ?? value));
    list.set(number, changed);
    if (changed) touched.push(number);
  }
  if (repairs.isStrict && where && found > 1)
    throw badRequest('invalidFilter', 'The filter of a path finds several values.');
  if (found === 0 && step.kind === 'set') {
    touched.push(list.insert(toNewElement(step)));
    if (where) repairs.count('value-made');
  }
  list.keepPrimary(touched);
}

/** undefined: the element is gone. */
function patchElement(element: JsonObject, step: AttributeStep): JsonObject | undefined {
  const { sub } = step.target.path;
  if (step.kind === 'set') return withoutNulls({ ...element, ...toParts(step.target, step.value) });
  if (!sub) return undefined;
  const { [sub.name]: _, ...others } = element;
  return others;
}

function toNewElement({
  target,
  value,
}: Pick<AttributeStep, 'target'> & { value: JsonValue }): JsonObject {
  const named = target.where ? toNamedParts(target.where) : {};
  // A filter finds values and invents none (RFC 7644 §3.5.2.3).
  const isKind = Object.keys(named ?? {}).every((name) => KINDS.has(name));
  if (named && isKind) return withoutNulls({ ...named, ...toParts(target, value) });
  throw badRequest('noTarget', `No value of ${target.path.attribute.name} fits the filter.`);
}

function toParts({ path: { sub } }: PatchTarget, value: JsonValue): JsonObject {
  if (sub) return { [sub.name]: value };
  return isJsonObject(value) ? value : {};
}

/** Parts that an element needs to fulfil the filter; undefined when the filter does not name them exactly. */
function toNamedParts(filter: Filter): JsonObject | undefined {
  if (filter.kind === 'compare' && filter.op === 'eq') {
    return { [filter.target.rule.name]: filter.literal };
  }
  if (filter.kind !== 'and') return undefined;
  let named: JsonObject | undefined = {};
  for (const part of filter.parts) {
    const parts = toNamedParts(part);
    named = named && parts && { ...named, ...parts };
  }
  return named;
}
