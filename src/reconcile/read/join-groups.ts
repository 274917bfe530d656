import { toSpelling } from '../../domain/name.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { GroupScimId } from '../quirks.ts';
import type { ListedScimGroup } from './reading.ts';

/** A group as the two interfaces show it; absent: that one does not. */
export interface ListedGroup {
  readonly scim?: ListedScimGroup;
  readonly rest?: RestGroup;
}

/** Join of the groups of the two interfaces. */
export interface GroupJoin {
  /** Meaning of the SCIM ids, undefined when no group tells. */
  readonly scimId: GroupScimId | undefined;
  readonly groups: readonly ListedGroup[];
  /** Names of groups with several possible partners, which stay without REST ids. */
  readonly ambiguous: readonly string[];
}

interface Pair {
  readonly scim: ListedScimGroup;
  readonly rest: RestGroup;
}

/**
 * Joins the groups of the SCIM list with those of the REST list. "The SCIM id is the REST id" (or the uid) counts only
 * while id and name agree for every group that both lists show. After a single contradiction groups are joined by names
 * that are unique in both lists. Nothing is guessed.
 * @param deleted uids of groups that were deleted through SCIM: a list whose pages were read before shows them beside those
 *   that were founded in their place
 */
export function joinGroups(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): GroupJoin {
  const named = pairByName(scim, rest, deleted);
  let hasEvidence = named.pairs.length > 0;
  for (const form of ['restId', 'uid'] as const) {
    const pairs = pairById(scim, rest, form);
    hasEvidence ||= pairs.length > 0;
    if (pairs.length > 0 && [...pairs, ...named.pairs].every((pair) => agrees(pair, form))) {
      return { scimId: form, groups: withUnpaired(pairs, scim, rest), ambiguous: [] };
    }
  }
  const names = new Set(scim.map(({ displayName }) => toSpelling(displayName)));
  const restOnly = rest.filter(({ name }) => !names.has(toSpelling(name)));
  const groups = withUnpaired(named.pairs, scim, restOnly);
  const { ambiguous } = named;
  return { groups, ambiguous, scimId: hasEvidence ? 'unrelated' : undefined };
}

function agrees({ scim, rest }: Pair, form: 'restId' | 'uid'): boolean {
  return toScimId(rest, form) === scim.id && toSpelling(scim.displayName) === toSpelling(rest.name);
}

function pairById(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  form: 'restId' | 'uid',
): Pair[] {
  const byId = new Map(rest.map((group) => [toScimId(group, form), group]));
  return scim.flatMap((group) => {
    const partner = byId.get(group.id);
    return partner === undefined ? [] : [{ scim: group, rest: partner }];
  });
}

function toScimId(rest: RestGroup, form: 'restId' | 'uid'): string {
  return form === 'restId' ? String(rest.id) : rest.uid;
}

function pairByName(
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
  deleted: ReadonlySet<string>,
): { readonly pairs: Pair[]; readonly ambiguous: string[] } {
  const restByName = Map.groupBy(rest, ({ name }) => toSpelling(name));
  const [pairs, ambiguous]: [Pair[], string[]] = [[], []];
  for (const [name, same] of Map.groupBy(scim, ({ displayName }) => toSpelling(displayName))) {
    const all = restByName.get(name) ?? [];
    const partners = all.length > 1 ? all.filter(({ uid }) => !deleted.has(uid)) : all;
    const [[group], [partner]] = [same, partners];
    if (group === undefined || partner === undefined) continue;
    if (same.length === 1 && partners.length === 1) pairs.push({ scim: group, rest: partner });
    else ambiguous.push(...same.map(({ displayName }) => displayName));
  }
  return { pairs, ambiguous };
}

function withUnpaired(
  pairs: readonly Pair[],
  scim: readonly ListedScimGroup[],
  rest: readonly RestGroup[],
): ListedGroup[] {
  const paired = new Set<unknown>(pairs.flatMap((pair) => [pair.scim, pair.rest]));
  return [
    ...pairs,
    ...scim.filter((group) => !paired.has(group)).map((group) => ({ scim: group })),
    ...rest.filter((group) => !paired.has(group)).map((group) => ({ rest: group })),
  ];
}
