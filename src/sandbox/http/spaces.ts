import type { Directory } from '../directory.ts';
import type { SandboxSpace } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { getGroupByUid } from './company-groups.ts';
import { type Answer, type Call, getId } from './exchange.ts';
import { cutPage, parseInteger, parseRestPage } from './paging.ts';
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
  const { id } = getGroupByUid(directory, call);
  const spaces = directory.state.spaces.all().filter(({ groupIds }) => groupIds.includes(id));
  const body = spaces.map(({ uid, title }) => ({
    ...{ uid, title, path: `/${uid}`, entity_type: 'space', own_role_ids: [] },
  }));
  return { status: 200, body };
}

/** A space: fields of the documents' SPC. */
function toRestSpace({ ownerId }: Directory, { id, uid, title }: SandboxSpace) {
  return {
    ...{ id, uid, title, archived: false, access: 'by_invite', entity_type: 'space' },
    ...{ path: `/${uid}`, parent_entity_uid: null, entity_uid: uid, user_id: ownerId, boards: [] },
  };
}
