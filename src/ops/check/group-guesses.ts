import { normaliseName } from '../../domain/name.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { Evidence } from './evidence.ts';
import {
  classifySeen,
  classifyTypes,
  confirmed,
  type Guess,
  refuted,
  unknown,
  type Verdict,
} from './guess.ts';
import { findField } from './list-sample.ts';
import { findSeen } from './look.ts';

/** Guesses about groups, which two interfaces show. */
export const groupGuesses: readonly Guess[] = [
  {
    id: 'group-id',
    guess: 'ids of groups in SCIM are text',
    classify: ({ survey: { groups } }) =>
      classifySeen(groups.scimList, ({ raw }) =>
        classifyTypes(
          raw.map((group) => findField(group, 'id')),
          'text',
          'there is no group',
        ),
      ),
  },
  {
    id: 'group-scim-id',
    guess: 'the SCIM id of a group is its REST id',
    setting: 'upstream.groupScimId',
    classify: classifyGroupScimId,
  },
  {
    id: 'member-value',
    guess: 'members are shown with numbers as values',
    classify: ({ survey: { groups } }) =>
      classifySeen(groups.scimList, ({ raw }) =>
        classifyTypes(raw.flatMap(listMemberValues), 'number', 'no list shows a member'),
      ),
  },
  {
    id: 'members-in-list',
    guess: 'lists of groups show the members',
    classify: classifyMembersInList,
  },
];

/** The kind of the SCIM ids of groups, as far as groups are seen in both lists under a name of their own. */
export type GroupIdForm = 'restId' | 'uid' | 'unrelated';

/**
 * The form that holds for every group seen in both lists; one contradiction makes it `unrelated`. Undefined when no group
 * is in both. Names that occur twice in a list cannot be joined. Pure.
 */
export function findGroupIdForm(
  scimGroups: readonly ScimGroup[],
  restGroups: readonly RestGroup[],
): GroupIdForm | undefined {
  const byName = toUnique(restGroups, ({ name }) => name);
  const pairs = [...toUnique(scimGroups, ({ displayName }) => displayName)].flatMap(
    ([name, scimGroup]) => {
      const restGroup = byName.get(name);
      return restGroup ? [{ scimGroup, restGroup }] : [];
    },
  );
  if (pairs.length === 0) return undefined;
  const isRestId = pairs.every(({ scimGroup, restGroup }) => scimGroup.id === `${restGroup.id}`);
  if (isRestId) return 'restId';
  return pairs.every(({ scimGroup, restGroup }) => scimGroup.id === restGroup.uid)
    ? 'uid'
    : 'unrelated';
}

function classifyGroupScimId({ survey: { groups }, settings }: Evidence): Verdict {
  const scimGroups = findSeen(groups.scimList)?.items;
  const restGroups = findSeen(groups.restList)?.items;
  if (!scimGroups || !restGroups) return unknown('one of the two lists could not be read');
  const form = findGroupIdForm(scimGroups, restGroups);
  if (form === undefined) return unknown('no group is seen in both lists');
  const set = settings.groupScimId;
  const fits = set === 'auto' || set === form;
  if (form === 'unrelated') return refuted('it is an id of its own', 'auto');
  if (form === 'uid') return refuted('it is the uid', 'uid');
  return fits ? confirmed() : { ...confirmed(), value: 'restId' };
}

function classifyMembersInList({ survey: { groups } }: Evidence): Verdict {
  return classifySeen(groups.scimList, ({ items }) => {
    if (items.some(({ memberIds }) => memberIds?.length)) return confirmed();
    const alone = findSeen(groups.scimOne)?.memberIds?.length ?? 0;
    const inRest = groups.hasGroup ? (findSeen(groups.members)?.length ?? 0) : 0;
    return alone > 0 || inRest > 0
      ? refuted(`none in the list, ${Math.max(alone, inRest)} in the group itself`)
      : unknown('no group with members was seen');
  });
}

function listMemberValues(group: unknown): unknown[] {
  const members = findField(group, 'members');
  if (!Array.isArray(members)) return [];
  return members.map((entry: unknown) => findField(entry, 'value') ?? entry);
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
