import type { Directory } from '../directory.ts';
import { addGroup, removeGroup, updateGroup } from '../directory-groups.ts';
import type { SandboxGroup } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { type Answer, type Call, getParam, parseBody } from './exchange.ts';
import { cutPage, hasFlag, parseRestPage } from './paging.ts';
import { parseText } from './parse-values.ts';
import { toRestGroup } from './rest-resources.ts';

/** POST /company/groups. */
export function createGroup(directory: Directory, call: Call): Answer {
  const body = parseBody(call);
  const { name = parseText(body.name, 'name', { max: 512 }), ...fields } = parseFields(body);
  const group = addGroup(directory, call.author, { ...fields, name, face: 'rest' });
  return { status: 200, body: toRestGroup(group) };
}

/** GET /company/groups. Paged only on request, and never together with tree entities. */
export function listGroups(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const { query } = call;
  // The service has inactive groups (2); their cause is not known, so there are none here.
  const all = query.get('condition') === '2' ? [] : directory.state.groups.all(shape.listOrder);
  const text = query.get('query')?.toLowerCase() ?? '';
  const matching = text === '' ? all : all.filter(({ name }) => name.toLowerCase().includes(text));
  const isPaged = query.has('limit') || query.has('offset');
  const withEntities = hasFlag(query, 'with_tree_entities');
  const page = isPaged && !withEntities ? parseRestPage(query, 'groups', shape) : undefined;
  const body = (page ? cutPage(matching, page) : matching).map((group) => ({
    ...toRestGroup(group),
    ...(withEntities ? { tree_entities: [] } : {}),
    ...(hasFlag(query, 'with_users_count')
      ? { users_count: directory.state.members.usersOf(group.id).size }
      : {}),
  }));
  return { status: 200, body };
}

/** GET /company/groups/{group_uid}. */
export function getGroup(directory: Directory, call: Call): Answer {
  return { status: 200, body: toRestGroup(getGroupByUid(directory, call)) };
}

/** PATCH /company/groups/{group_uid}. */
export function patchGroup(directory: Directory, call: Call): Answer {
  const { id } = getGroupByUid(directory, call);
  const fields = parseFields(parseBody(call));
  const group = updateGroup(directory, call.author, id, { ...fields, face: 'rest' });
  return { status: directory.shape().updateStatus, body: toRestGroup(group) };
}

/** DELETE /company/groups/{group_uid}. */
export function deleteGroup(directory: Directory, call: Call): Answer {
  const group = removeGroup(directory, call.author, getGroupByUid(directory, call).id);
  return { status: directory.shape().deleteStatus, body: toRestGroup(group) };
}

/** The group of the path. @throws Refusal 404 when there is none. */
export function getGroupByUid(directory: Directory, call: Call): SandboxGroup {
  const uid = getParam(call, 'group_uid');
  const group = directory.state.findGroupByUid(uid);
  if (group === undefined) throw new Refusal('not-found', `no group ${uid}`);
  return group;
}

function parseFields(body: Record<string, unknown>) {
  const { name, permissions, add_to_cards_and_spaces_enabled: addTo } = body;
  if (permissions !== undefined && !Number.isSafeInteger(permissions)) {
    throw new Refusal('bad-request', "Group should match '.permissions' integer");
  }
  if (addTo !== undefined && typeof addTo !== 'boolean') {
    throw new Refusal(
      'bad-request',
      "Group should match '.add_to_cards_and_spaces_enabled' boolean",
    );
  }
  return {
    ...(name === undefined ? {} : { name: parseText(name, 'name', { max: 512 }) }),
    ...(permissions === undefined ? {} : { permissions: Number(permissions) }),
    ...(addTo === undefined ? {} : { addToCardsAndSpacesEnabled: addTo }),
  };
}
