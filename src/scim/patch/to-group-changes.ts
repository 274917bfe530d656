import { assertNever } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { UserList } from '../dialect/entries.ts';
import type { AttributeStep, PatchStep } from '../dialect/patch-step.ts';
import type { Filter } from '../filter/tree.ts';

/**
 * One change of a group by a PATCH.
 * - `set`: attributes, an extension's below its URN; null clears one; attributes that are not named stay
 * - `members`, `admins`: the ids of users, each once; `replace` by none empties the list
 * - `removeWhere`: the users that the filter on the list's element finds
 */
export type GroupChange =
  | { readonly kind: 'set'; readonly attributes: JsonObject }
  | {
      readonly kind: UserList;
      readonly op: 'add' | 'remove' | 'replace';
      readonly ids: readonly string[];
    }
  | { readonly kind: UserList; readonly op: 'removeWhere'; readonly filter: Filter };

/**
 * The changes that the steps make, in order; neighbours that do the same are one change, because some
 * providers send an operation for each member. Linear in the number of ids.
 */
export function toGroupChanges(steps: readonly PatchStep[]): GroupChange[] {
  const runs: Run[] = [];
  for (const step of steps) {
    const last = runs.at(-1);
    if (last && isSameChange(last[0], step)) last.push(step);
    else runs.push([step]);
  }
  return runs.map(toChange);
}

/** Neighbouring steps that become one change. */
type Run = [PatchStep, ...PatchStep[]];

function isSameChange(a: PatchStep, b: PatchStep): boolean {
  if (isAttributeStep(a)) return isAttributeStep(b);
  if (a.kind !== 'users' || b.kind !== 'users') return false;
  return a.list === b.list && a.op === b.op && a.op !== 'replace';
}

function isAttributeStep(step: PatchStep): step is AttributeStep {
  return step.kind !== 'users' && step.kind !== 'users-where';
}

function toChange(run: Run): GroupChange {
  const [first] = run;
  if (isAttributeStep(first)) {
    return { kind: 'set', attributes: toAttributes(run.filter(isAttributeStep)) };
  }
  if (first.kind === 'users-where') {
    return { kind: first.list, op: 'removeWhere', filter: first.filter };
  }
  const ids = run.flatMap((step) => (step.kind === 'users' ? step.ids : []));
  return { kind: first.list, op: first.op, ids: [...new Set(ids)] };
}

function toAttributes(steps: readonly AttributeStep[]): JsonObject {
  const attributes: JsonObject = {};
  for (const step of steps) {
    const { extension, attribute } = step.target.path;
    const held = extension === undefined ? attributes : attributes[extension];
    const container = isJsonObject(held) ? held : {};
    if (extension !== undefined) attributes[extension] = container;
    container[attribute.name] = toValue(step);
  }
  return attributes;
}

function toValue(step: AttributeStep) {
  switch (step.kind) {
    case 'set':
      return step.value;
    case 'clear':
    case 'exclude':
      return null;
    default:
      return assertNever(step);
  }
}
