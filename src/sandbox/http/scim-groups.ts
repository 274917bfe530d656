import { z } from 'zod';
import type { SandboxGroup } from '../model.ts';
import { isObject, parse, Refusal, text } from '../refusal.ts';
import type { GroupUpdate } from '../service.ts';
import type { SandboxShape } from '../shape.ts';
import { type Call, getId, type Handler } from './call.ts';
import {
  listPage,
  notAvailable,
  type PatchOperation,
  parseOperations,
  toGroupId,
  toHead,
} from './scim.ts';

/** Operations of groups in the SCIM interface. */
export const scimGroupHandlers = {
  'scim.addGroup': (call) => {
    const { displayName: name } = parse(z.object({ displayName: text() }), call.body);
    return toGroup(call, call.service.createGroup({ name }, 'scim'), false);
  },
  'scim.getGroup': (call) => toGroup(call, findGroup(call), true),
  // A `filter` is not documented for groups and therefore ignored.
  'scim.getGroups': (call) => {
    const { listOrder, listCarriesMembers } = call.shape;
    return listPage(call, 'scimGroups', call.state.groups.all(listOrder), (group) =>
      toGroup(call, group, listCarriesMembers),
    );
  },
  'scim.updateGroup': (call) => {
    const { service, shape } = call;
    const update = toUpdate(parseOperations(call), shape);
    const group = service.updateGroup(findGroup(call).id, update, 'scim');
    return toGroup(call, group, shape.patchAnswersMembers);
  },
} satisfies Readonly<Record<string, Handler>>;

/** The group of the path, in the shape's form of ids. */
function findGroup({ params, state: { groups }, shape }: Call): SandboxGroup {
  const [id = ''] = params;
  const { groupId } = shape;
  const group =
    groupId === 'uid' || groupId === 'own'
      ? groups.findBy(groupId === 'uid' ? 'uid' : 'scimId', id)
      : groups.find(getId({ params }));
  if (group === undefined) throw new Refusal(404, `no group ${id}`);
  return group;
}

/** A group, with its members or without. */
function toGroup(call: Call, group: SandboxGroup, hasMembers: boolean) {
  const { state, shape, baseUrl } = call;
  const head = toHead(call, 'Group', { ...group, id: toGroupId(call, group) });
  const shown = { ...head, displayName: group.name };
  if (!hasMembers) return shown;
  const members = [...state.links.member.usersOf(group.id)]
    .flatMap((userId) => state.users.find(userId) ?? [])
    .map(({ id, fullName }) => ({
      value: shape.memberValue === 'string' ? String(id) : id,
      $ref: `${baseUrl}/scim/v2/Users/${id}`,
      display: fullName,
    }));
  return { ...shown, members };
}

/**
 * Result of the operations together; of several about one user the last wins.
 * @throws Refusal 400 when one of them has a form that the service does not take
 */
function toUpdate(operations: readonly PatchOperation[], shape: SandboxShape): GroupUpdate {
  let name: string | undefined;
  const presence = new Map<number, boolean>();
  const { memberPatch } = shape;
  const isRefused =
    memberPatch === 'none' ||
    (memberPatch === 'one-operation-per-request' && operations.length > 1);
  if (isRefused && operations.some(({ path }) => path === 'members')) {
    throw new Refusal(400, 'this form of member operations is not supported');
  }
  for (const operation of operations) {
    const { op, path, value } = operation;
    if (path === 'displayName' && op !== 'remove') name = parse(text(), value);
    else if (path === 'members' && op !== 'replace') {
      for (const userId of parseMembers(value, shape)) presence.set(userId, op === 'add');
    } else throw notAvailable(operation);
  }
  const links = [...presence].map(([userId, present]) => {
    return { link: 'member' as const, userId, present };
  });
  return { links, name };
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
