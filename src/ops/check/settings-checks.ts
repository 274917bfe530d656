import { normaliseName } from '../../domain/name.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { Evidence } from './evidence.ts';
import type { ListSample } from './list-sample.ts';
import { findSeen, type Look } from './look.ts';
import { toPageLimit } from './page-limit.ts';
import type { CheckResult } from './report.ts';

/** Checks of settings that contradict the answers of the service; a setting that fits is left out. Pure. */
export function listSettingChecks(evidence: Evidence): CheckResult[] {
  return [...checkPageSize(evidence), ...checkGroupScimId(evidence)];
}

/** A page size that is too large only costs calls. */
function checkPageSize({ survey, settings: { pageSize } }: Evidence): CheckResult[] {
  const { users, groups, company } = survey;
  const looks: readonly Look<ListSample<unknown>>[] = [
    users,
    groups.scimList,
    groups.restList,
    company.users,
    company.audit,
  ];
  const cut = looks.flatMap((look) => {
    const limit = look.kind === 'seen' ? toPageLimit(look.value) : undefined;
    return limit?.kind === 'limit' ? [limit.entries] : [];
  });
  const smallest = Math.min(...cut);
  if (smallest >= pageSize) return [];
  return [
    {
      id: 'settings.pageSize',
      title: 'upstream.pageSize',
      status: 'warning',
      detail: `set to ${pageSize}, and a page of ${smallest} was cut`,
      remedy: `Set it to ${smallest}.`,
    },
  ];
}

/** A group id that was fixed by hand and is wrong would write to another group. */
function checkGroupScimId({ survey: { groups }, settings }: Evidence): CheckResult[] {
  const set = settings.groupScimId;
  const form = findGroupIdForm(
    findSeen(groups.scimList)?.items ?? [],
    findSeen(groups.restList)?.items ?? [],
  );
  if (set === 'auto' || form === undefined || set === form) return [];
  return [
    {
      id: 'settings.groupScimId',
      title: 'upstream.groupScimId',
      status: 'failed',
      detail: `set to ${set}, which is not what the service shows: groups would be mixed up`,
      remedy: form === 'unrelated' ? 'Set it to auto.' : `Set it to ${form}, or to auto.`,
    },
  ];
}

/** Finds the form of all groups that both lists show under a name of their own; undefined when there is none. */
function findGroupIdForm(
  scimGroups: readonly ScimGroup[],
  restGroups: readonly RestGroup[],
): 'restId' | 'uid' | 'unrelated' | undefined {
  const byName = toUnique(restGroups, ({ name }) => name);
  const pairs = [...toUnique(scimGroups, ({ displayName }) => displayName)].flatMap(
    ([name, { id }]) => {
      const rest = byName.get(name);
      return rest ? [{ id, rest }] : [];
    },
  );
  if (pairs.length === 0) return undefined;
  if (pairs.every(({ id, rest }) => id === `${rest.id}`)) return 'restId';
  return pairs.every(({ id, rest }) => id === rest.uid) ? 'uid' : 'unrelated';
}

/** Entries by folded name, without names that occur more than once. */
function toUnique<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, T> {
  const grouped = Map.groupBy(items, (item) => normaliseName(nameOf(item)));
  return new Map(
    [...grouped].flatMap(([name, [only, ...others]]) =>
      only !== undefined && others.length === 0 ? [[name, only] as const] : [],
    ),
  );
}
