import { normaliseName } from '../../domain/name.ts';
import { groupAdmins, groups, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import {
  type GroupUser,
  parseGroupUsers,
  parseRestGroup,
  type RestGroup,
} from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup, type ScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import type { Transport } from '../../upstream/transport.ts';
import { type ListSample, parseArrayPage, sampleList } from './list-sample.ts';
import { findSeen, type Look, look, skipped } from './look.ts';

/** Answers of both interfaces about groups. */
export interface GroupSurvey {
  readonly scimList: Look<ListSample<ScimGroup>>;
  readonly restList: Look<ListSample<RestGroup>>;
  /** Of the same group where both lists show it; of none that exists when there is no group. */
  readonly members: Look<readonly GroupUser[]>;
  readonly admins: Look<readonly GroupUser[]>;
  /** False when members and admins were asked of a group that cannot exist, to see whether that is refused. */
  readonly hasGroup: boolean;
}

const reading = { class: 'look' } as const;
/** RFC 9562 §5.9: no group has it. */
const nilUid = '00000000-0000-0000-0000-000000000000';
const nothing = skipped('not asked');

/** The survey before any call. */
export const unseenGroups: GroupSurvey = {
  scimList: nothing,
  restList: nothing,
  members: nothing,
  admins: nothing,
  hasGroup: false,
};

/** Looks at groups, their members and their administrators. */
export async function surveyGroups(transport: Transport): Promise<GroupSurvey> {
  const scimList = await sampleScimGroups(transport);
  const restList = await sampleRestGroups(transport);
  const sample = findSample(findSeen(scimList)?.items ?? []);
  const restGroup = findSameGroup(findSeen(restList)?.items ?? [], sample);
  const path = { group_uid: restGroup?.uid ?? nilUid };
  return {
    scimList,
    restList,
    members: await look(async () =>
      parseGroupUsers(await transport.call(groupUsers.getListOfGroupUsers, { path }, reading)),
    ),
    admins: await look(async () =>
      parseGroupUsers(await transport.call(groupAdmins.getListOfGroupAdmins, { path }, reading)),
    ),
    hasGroup: restGroup !== undefined,
  };
}

function sampleScimGroups(transport: Transport): Promise<Look<ListSample<ScimGroup>>> {
  return sampleList({
    fetch: ({ offset, limit }) =>
      transport.call(scim.getGroups, { query: { startIndex: offset + 1, count: limit } }, reading),
    toPage: parseScimList,
    parse: parseScimGroup,
  });
}

function sampleRestGroups(transport: Transport): Promise<Look<ListSample<RestGroup>>> {
  return sampleList({
    fetch: (query) => transport.call(groups.getListOfGroups, { query: { ...query } }, reading),
    toPage: parseArrayPage,
    parse: parseRestGroup,
  });
}

function findSample(scimGroups: readonly ScimGroup[]): ScimGroup | undefined {
  return scimGroups.find(({ memberIds }) => memberIds?.length) ?? scimGroups[0];
}

function findSameGroup(
  restGroups: readonly RestGroup[],
  sample: ScimGroup | undefined,
): RestGroup | undefined {
  const name = sample && normaliseName(sample.displayName);
  return restGroups.find((group) => normaliseName(group.name) === name) ?? restGroups[0];
}
