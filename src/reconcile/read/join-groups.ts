import { toSpelling } from '../../domain/name.ts';
import type { SeenGroup } from '../../store/groups/observations.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { GroupScimId } from '../quirks.ts';

/** Group that both interfaces show. */
export interface GroupPair {
  readonly seen: SeenGroup;
  readonly rest: RestGroup;
}

/** Join of the groups of the two interfaces. */
export interface GroupJoin {
  /** Meaning of the SCIM ids, undefined when no group tells. */
  readonly scimId: GroupScimId | undefined;
  readonly pairs: readonly GroupPair[];
  /** Groups that SCIM does not show. */
  readonly restOnly: readonly RestGroup[];
  /** Groups with several possible partners: they stay without REST ids. */
  readonly ambiguous: readonly SeenGroup[];
}

/**
 * Joins the groups of the SCIM list with those of the REST list. "The SCIM id is the REST id" (or the uid) counts only
 * while id and name agree for every group that both lists show. After a single contradiction groups are joined by names
 * that are unique in both lists. Nothing is guessed.
 * @param deleted uids of groups that were deleted through SCIM: a list whose pages were read before shows them beside those
 *   that were founded in their place
 */
export function joinGroups(
  scim: readonly SeenGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): GroupJoin {
  const byName = joinByName(scim, rest, deleted);
  let hasEvidence = byName.pairs.length > 0;
  for (const form of ['restId', 'uid'] as const) {
    const pairs = joinById(scim, rest, form);
    hasEvidence ||= pairs.length > 0;
    if (pairs.length > 0 && [...pairs, ...byName.pairs].every((pair) => agrees(pair, form))) {
      return { scimId: form, pairs, restOnly: withoutPaired(rest, pairs), ambiguous: [] };
    }
  }
  return { ...byName, scimId: hasEvidence ? 'unrelated' : undefined };
}

function agrees({ seen, rest }: GroupPair, form: 'restId' | 'uid'): boolean {
  return toScimId(rest, form) === seen.scimId && toKey(seen) === toKey(rest);
}

function joinById(
  scim: readonly SeenGroup[],
  rest: readonly RestGroup[],
  form: 'restId' | 'uid',
): GroupPair[] {
  const byId = new Map(rest.map((group) => [toScimId(group, form), group]));
  return scim.flatMap((seen) => {
    const group = seen.scimId === undefined ? undefined : byId.get(seen.scimId);
    return group === undefined ? [] : [{ seen, rest: group }];
  });
}

function toScimId(group: RestGroup, form: 'restId' | 'uid'): string {
  return form === 'restId' ? String(group.id) : group.uid;
}

function joinByName(
  scim: readonly SeenGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): Omit<GroupJoin, 'scimId'> {
  const scimByName = Map.groupBy(scim, toKey);
  const restByName = Map.groupBy(rest, toKey);
  const pairs: GroupPair[] = [];
  const ambiguous: SeenGroup[] = [];
  for (const [name, seenGroups] of scimByName) {
    const restGroups = preferLiving(restByName.get(name) ?? [], deleted);
    const [[seen], [group]] = [seenGroups, restGroups];
    if (seen === undefined || group === undefined) continue;
    if (seenGroups.length > 1 || restGroups.length > 1) ambiguous.push(...seenGroups);
    else pairs.push({ seen, rest: group });
  }
  const restOnly = rest.filter((group) => !scimByName.has(toKey(group)));
  return { pairs, ambiguous, restOnly };
}

function preferLiving(list: readonly RestGroup[], deleted: ReadonlySet<string>) {
  return list.length > 1 ? list.filter(({ uid }) => !deleted.has(uid)) : list;
}

function withoutPaired(rest: readonly RestGroup[], pairs: readonly GroupPair[]): RestGroup[] {
  const paired = new Set(pairs.map((pair) => pair.rest));
  return rest.filter((group) => !paired.has(group));
}

function toKey({ name }: { readonly name: string }): string {
  return toSpelling(name);
}
