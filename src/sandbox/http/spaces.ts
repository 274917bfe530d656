import type { Directory } from '../directory.ts';
import { findRoles, getSpace, setRoles } from '../directory-spaces.ts';
import type { SandboxSpace } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { getGroupByUid } from './company-groups.ts';
import { type Answer, type Call, getId, getParam, parseBody } from './exchange.ts';
import { cutPage, parseInteger, parseRestPage } from './paging.ts';
import { parseText } from './parse-values.ts';
import { toRestUser } from './rest-resources.ts';

/** GET /spaces. */
export function listSpaces(directory: Directory, call: Call): Answer {
  const { offset, limit } = parseRestPage(call.query, 'groups', directory.shape());
  const spaces = directory.state.spaces.page(offset, limit);
  return { status: 200, body: spaces.map((space) => toRestSpace(directory, space)) };
}

/** GET /spaces/{space_id}/users: those who entered it directly, behind `last_user_id`. */
export function listSpaceUsers(directory: Directory, call: Call): Answer {
  const { spaces, users } = directory.state;
  const space = spaces.find(getId(call, 'space_id'));
  if (space === undefined) throw new Refusal('not-found', 'no such space');
  const last = parseInteger(call.query, 'last_user_id') ?? 0;
  const { limit } = parseRestPage(call.query, 'groups', directory.shape());
  const ids = space.userIds.filter((id) => id > last).toSorted((a, b) => a - b);
  const found = cutPage(ids, { offset: 0, limit }).flatMap((id) => users.find(id) ?? []);
  return { status: 200, body: found.map(toRestUser) };
}

/** GET /company/groups/{group_uid}/entities: all of them, without pages. */
export function listGroupEntities(directory: Directory, call: Call): Answer {
  const group = getGroupByUid(directory, call);
  const body = directory.state.spaces.all().flatMap((space) => {
    const own_role_ids = findRoles(space, group);
    if (own_role_ids === undefined) return [];
    const { uid, title } = space;
    return [{ uid, title, path: `/${uid}`, entity_type: 'space', own_role_ids }];
  });
  return { status: 200, body };
}

/** POST /company/groups/{group_uid}/entities. */
export function addGroupEntity(directory: Directory, call: Call): Answer {
  const group = getGroupByUid(directory, call);
  const { entity_uid: uid, role_ids } = parseBody(call);
  const space = getSpace(directory, parseText(uid, 'entity_uid'));
  if (findRoles(space, group) !== undefined) {
    throw new Refusal('conflict', 'the group has the entity already');
  }
  return {
    status: 200,
    body: change(directory, call, { space, group, roleIds: parseRoles(role_ids) }),
  };
}

/** PATCH /company/groups/{group_uid}/entities/{uid}. */
export function updateGroupEntity(directory: Directory, call: Call): Answer {
  const { space, group } = getHeld(directory, call);
  const roleIds = parseRoles(parseBody(call).role_ids);
  const status = directory.shape().updateStatus;
  return { status, body: change(directory, call, { space, group, roleIds }) };
}

/** DELETE /company/groups/{group_uid}/entities/{uid}. */
export function removeGroupEntity(directory: Directory, call: Call): Answer {
  const body = change(directory, call, { ...getHeld(directory, call), roleIds: [] });
  return { status: directory.shape().deleteStatus, body };
}

/** The entity of the path, in which the group has roles. @throws Refusal 404 */
function getHeld(directory: Directory, call: Call) {
  const group = getGroupByUid(directory, call);
  const space = getSpace(directory, getParam(call, 'uid'));
  if (findRoles(space, group) === undefined) {
    throw new Refusal('not-found', 'the group does not have the entity');
  }
  return { space, group };
}

function parseRoles(value: unknown): string[] {
  const roles = Array.isArray(value) ? value : [];
  if (roles.length === 0 || roles.some((role) => typeof role !== 'string')) {
    throw new Refusal('bad-request', "Body should have required property '.role_ids'");
  }
  return roles.map(String);
}

/** Sets the roles, and returns the fields of the documents' GEN. */
function change(directory: Directory, { author }: Call, wanted: Parameters<typeof setRoles>[2]) {
  setRoles(directory, author, wanted);
  const { space, group, roleIds } = wanted;
  return {
    ...{ group_id: group.id, entity_uid: space.uid, role_permissions: {}, access_mod: 'all' },
    ...{ own_role_ids: roleIds, own_access_mod: 'all', role_ids: roleIds },
  };
}

/** A space: fields of the documents' SPC. */
function toRestSpace({ ownerId }: Directory, { id, uid, title }: SandboxSpace) {
  return {
    ...{ id, uid, title, archived: false, access: 'by_invite', entity_type: 'space' },
    ...{ path: `/${uid}`, parent_entity_uid: null, entity_uid: uid, user_id: ownerId, boards: [] },
  };
}
