import type { Directory } from '../directory.ts';
import { addGroup, updateGroup } from '../directory-groups.ts';
import type { SandboxGroup } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { type Answer, type Call, getParam, parseBody } from './exchange.ts';
import { parseScimPage } from './paging.ts';
import { parseText } from './parse-values.ts';
import { toGroupUpdate } from './scim-group-patch.ts';
import { parseOperations } from './scim-operations.ts';
import {
  findScimGroup,
  toScimGroup,
  toScimGroupWithMembers,
  toScimList,
} from './scim-resources.ts';

/** POST /scim/v2/Groups. */
export function addScimGroup(directory: Directory, call: Call): Answer {
  const name = parseText(parseBody(call).displayName, 'displayName');
  const group = addGroup(directory, call.author, { name, face: 'scim' });
  return { status: 200, body: toScimGroup(directory, call.baseUrl, group) };
}

/** GET /scim/v2/Groups/{group_id}. */
export function getScimGroup(directory: Directory, call: Call): Answer {
  const group = getGroup(directory, call);
  return { status: 200, body: toScimGroupWithMembers(directory, call.baseUrl, group) };
}

/** GET /scim/v2/Groups. A `filter` is not documented for groups and therefore ignored. */
export function listScimGroups(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const page = parseScimPage(call.query, 'scimGroups', shape);
  const { groups } = directory.state;
  const toResource = shape.listCarriesMembers ? toScimGroupWithMembers : toScimGroup;
  const resources = groups
    .page(page.offset, page.limit, shape.listOrder)
    .map((group) => toResource(directory, call.baseUrl, group));
  return { status: 200, body: toScimList(resources, { ...page, totalResults: groups.size }) };
}

/** PATCH /scim/v2/Groups/{group_id}. */
export function updateScimGroup(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const { id } = getGroup(directory, call);
  const { name, links } = toGroupUpdate(parseOperations(parseBody(call), shape), shape);
  const update = name === undefined ? { links } : { name, links };
  const group = updateGroup(directory, call.author, id, { ...update, face: 'scim' });
  const toResource = shape.patchAnswersMembers ? toScimGroupWithMembers : toScimGroup;
  return { status: shape.updateStatus, body: toResource(directory, call.baseUrl, group) };
}

function getGroup(directory: Directory, call: Call): SandboxGroup {
  const id = getParam(call, 'group_id');
  const group = findScimGroup(directory, id);
  if (group === undefined) throw new Refusal('not-found', `no group ${id}`);
  return group;
}
