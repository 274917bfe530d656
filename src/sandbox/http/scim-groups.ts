import { z } from 'zod';
import type { SandboxGroup } from '../model.ts';
import { isObject, parse, Refusal, text } from '../refusal.ts';
import type { GroupUpdate } from '../service.ts';
import type { SandboxShape } from '../shape.ts';
import { type Call, cutPage, getId, parseScimPage } from './call.ts';
import {
  type PatchOperation,
  parseOperations,
  toGroupId,
  toHead,
  toNotAvailable,
  toScimList,
} from './scim.ts';

const wantedGroup = z.object({ displayName: text() });

/** POST /scim/v2/Groups. */
export function addScimGroup(call: Call) {
  const { displayName: name } = parse(wantedGroup, call.body);
  return toScimGroup(call, call.service.createGroup({ name }, 'scim'));
}

/** GET /scim/v2/Groups/{group_id}. */
export function getScimGroup(call: Call) {
  return toScimGroupWithMembers(call, getGroup(call));
}

/** GET /scim/v2/Groups. A `filter` is not documented for groups and therefore ignored. */
export function listScimGroups(call: Call) {
  const { shape, state } = call;
  const page = parseScimPage(call, 'scimGroups');
  const toResource = shape.listCarriesMembers ? toScimGroupWithMembers : toScimGroup;
  const groups = state.groups.all(shape.listOrder);
  const resources = cutPage(groups, page).map((group) => toResource(call, group));
  return toScimList(resources, { ...page, totalResults: groups.length });
}

/** PATCH /scim/v2/Groups/{group_id}. */
export function updateScimGroup(call: Call) {
  const { service, shape } = call;
  const { id } = getGroup(call);
  const group = service.updateGroup(id, toUpdate(parseOperations(call), shape), 'scim');
  const toResource = shape.patchAnswersMembers ? toScimGroupWithMembers : toScimGroup;
  return toResource(call, group);
}

/** The group of the path, in the shape's form of ids. */
function getGroup({ params, state, shape }: Call): SandboxGroup {
  const [id = ''] = params;
  const { groups } = state;
  const key = { uid: 'uid', own: 'scimId' } as const;
  const group =
    shape.groupId === 'uid' || shape.groupId === 'own'
      ? groups.findBy(key[shape.groupId], id)
      : groups.find(getId({ params }));
  if (group === undefined) throw new Refusal(404, `no group ${id}`);
  return group;
}

/** A group as addGroup shows it, without its members. */
function toScimGroup(call: Call, group: SandboxGroup) {
  return {
    ...toHead(call, 'Group', { ...group, id: toGroupId(call, group) }),
    displayName: group.name,
  };
}

/** A group with all its members; costs as much as the group is large. */
function toScimGroupWithMembers(call: Call, group: SandboxGroup) {
  const { users, links } = call.state;
  const { memberValue } = call.shape;
  const people = [...links.member.usersOf(group.id)].flatMap((userId) => users.find(userId) ?? []);
  return {
    ...toScimGroup(call, group),
    members: people.map((user) => ({
      value: memberValue === 'string' ? String(user.id) : user.id,
      $ref: `${call.baseUrl}/scim/v2/Users/${user.id}`,
      display: user.fullName,
    })),
  };
}

/**
 * Result of the operations together; of several about one user the last wins.
 * @throws Refusal 400 when one of them has a form that the service does not take
 */
function toUpdate(operations: readonly PatchOperation[], shape: SandboxShape): GroupUpdate {
  let name: string | undefined;
  const presence = new Map<number, boolean>();
  if (operations.some(({ path }) => path === 'members') && !takesMembers(operations, shape)) {
    throw new Refusal(400, 'this form of member operations is not supported');
  }
  for (const operation of operations) {
    const { op, path, value } = operation;
    if (path === 'displayName' && op !== 'remove') name = parse(text(), value);
    else if (path === 'members' && op !== 'replace') {
      for (const userId of parseMembers(value, shape)) presence.set(userId, op === 'add');
    } else throw toNotAvailable(operation);
  }
  const links = [...presence].map(([userId, present]) => {
    return { link: 'member' as const, userId, present };
  });
  return name === undefined ? { links } : { links, name };
}

function takesMembers(
  operations: readonly PatchOperation[],
  { memberPatch }: SandboxShape,
): boolean {
  if (memberPatch === 'none') return false;
  return memberPatch !== 'one-operation-per-request' || operations.length === 1;
}

function parseMembers(value: unknown, shape: SandboxShape): number[] {
  const { memberPatch } = shape;
  if (Array.isArray(value) && (memberPatch === 'array' || memberPatch === 'both')) {
    return value.map((entry) => parseMemberId(isObject(entry) ? entry.value : undefined, shape));
  }
  if (memberPatch === 'array') throw new Refusal(400, 'value should be array');
  return [parseMemberId(value, shape)];
}

function parseMemberId(value: unknown, { memberValueAccepted }: SandboxShape): number {
  if (Number.isSafeInteger(value) && memberValueAccepted !== 'string') return Number(value);
  const isText = typeof value === 'string' && /^\d{1,15}$/.test(value);
  if (isText && memberValueAccepted !== 'number') return Number(value);
  throw new Refusal(400, `value should be ${memberValueAccepted}`);
}
