import { type SeenEntities, toEntityField, toRoleText } from '../../domain/entity.ts';
import {
  GROUP_EXTENSION,
  GROUP_SCHEMA_URI,
  toKnownExtension,
  withSchemas,
} from '../../domain/extensions.ts';
import type { ObservedGroup } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { limitMarks } from '../../domain/text.ts';
import { toGroupColumns } from '../../store/engine/columns.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import { groupAdmins, groupEntities, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseGroupUsers, type RestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup, type ScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseGroupEntities } from '../../upstream/shapes/space.ts';
import type { ReconcileDeps } from '../deps.ts';
import { assertAbout } from '../step-call.ts';
import { classify } from '../verdict.ts';

/** Names under which both interfaces show the members of a group. */
export interface MemberListIds {
  readonly uid: string;
  /** Undefined: SCIM cannot be asked. */
  readonly scimId: string | undefined;
}

/**
 * Fetches the members of a group, by account. Where REST has no list of them (it needs another right than the list of
 * groups, or the answer is without content, which is no empty group), SCIM is asked.
 * @throws UpstreamError when neither shows them; `not-found` where REST does not find them: the group is gone
 */
export async function fetchMemberIds(
  deps: Pick<ReconcileDeps, 'upstream'>,
  { uid: group_uid, scimId }: MemberListIds,
): Promise<readonly number[]> {
  const { upstream } = deps;
  let unlisted: unknown;
  try {
    const path = { group_uid };
    const answer = await upstream.call(groupUsers.getListOfGroupUsers, { path });
    try {
      return toIds(answer);
    } catch (cause) {
      unlisted = cause;
    }
  } catch (error) {
    // An answer that breaks off may be whole the next time.
    if (classify(error).verdict !== 'forbidden') throw error;
    unlisted = error;
  }
  try {
    const shown = scimId === undefined ? undefined : await fetchScimMembers(deps, scimId);
    if (shown !== undefined) return shown;
  } catch (error) {
    if (classify(error).verdict !== 'missing') throw error;
  }
  throw unlisted;
}

/** Fetches the members of a group through SCIM; undefined when the answer does not list them. @throws UpstreamError */
export async function fetchScimMembers(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  scimId: string,
): Promise<readonly number[] | undefined> {
  const answer = await upstream.call(scim.getGroup, { path: { group_id: scimId } });
  return parseScimGroupOf(scimId, answer).memberIds;
}

/** Fetches the admins of a group, by account. @throws UpstreamError */
export async function fetchAdminIds(
  { upstream }: Pick<ReconcileDeps, 'upstream'>,
  group_uid: string,
): Promise<number[]> {
  const args = { path: { group_uid } };
  return toIds(await upstream.call(groupAdmins.getListOfGroupAdmins, args));
}

/** Fetches the entities of a group, with its own roles in each. @throws UpstreamError */
export async function fetchEntities(
  { upstream, clock }: Pick<ReconcileDeps, 'upstream' | 'clock'>,
  group_uid: string,
): Promise<SeenEntities> {
  const operation = groupEntities.getListOfGroupEntities;
  const listed = await upstream.call(operation, { path: { group_uid } });
  const roles = parseGroupEntities(listed).map(
    (entity) => [toEntityField(entity.uid), toRoleText(entity.roles)] as const,
  );
  return { at: clock.now(), roles: Object.fromEntries(roles) };
}

function toIds(answer: unknown): number[] {
  return parseGroupUsers(answer).map(({ id }) => id);
}

/** The group that was asked for. @throws UpstreamError `unreadable`, also where the answer is about another one */
export function parseScimGroupOf(id: string, answer: unknown): ScimGroup {
  const group = parseScimGroup(answer);
  assertAbout('SCIM group', group.id, id);
  return group;
}

/** Attributes of an unmanaged group without its members, as the service holds it. */
export function toUnmanagedGroupAttributes(observed: ObservedGroup): JsonObject {
  const { permissions, addToCardsAndSpacesEnabled } = observed;
  return withSchemas(GROUP_SCHEMA_URI, {
    displayName: limitMarks(observed.displayName),
    ...toKnownExtension(GROUP_EXTENSION, { permissions, addToCardsAndSpacesEnabled }),
  });
}

/** Observation of a group in an answer of REST; `by` is the call. */
export function observeRestGroup(
  { clock }: Pick<ReconcileDeps, 'clock'>,
  group: RestGroup,
  { id: by }: { readonly id: string },
): ObservedGroup {
  const { name: displayName, permissions, addToCardsAndSpacesEnabled, created } = group;
  const at = clock.now();
  return {
    displayName,
    ...(permissions === undefined ? {} : { permissions }),
    ...(addToCardsAndSpacesEnabled === undefined ? {} : { addToCardsAndSpacesEnabled }),
    ...(created === undefined ? {} : { created }),
    listedAt: at,
    at,
    by,
  };
}

/** Row of a group whose adoption was refused: unmanaged again, and shown as the service holds it. */
export function toUnmanagedGroup(row: GroupRow): GroupRow {
  const observed = toObservedGroup(row);
  const shown = observed ? toGroupColumns(toUnmanagedGroupAttributes(observed)) : {};
  return { ...row, ...shown, origin: null, cells: '{}', entities: null, deleted_at: null };
}
