import { z } from 'zod';
import type { AuditEvent, LinkKind, SandboxGroup, SandboxUser } from '../model.ts';
import { takesLicence } from '../model.ts';
import { parse, Refusal, text } from '../refusal.ts';
import type { SandboxList } from '../shape.ts';
import type { Call, Handler } from './call.ts';
import { cutPage, getId, parseInteger } from './call.ts';

const groupFields = z.object({
  name: text(512),
  permissions: z.int().optional(),
  add_to_cards_and_spaces_enabled: z.boolean().optional(),
});
const roleIds = z.array(z.string()).min(1);
const userChange = z
  .object({ apps_permissions: z.literal([0, 1, 2, 4, 5, 6]), temporarily_inactive: z.boolean() })
  .partial();

/** Operations of the REST interface. */
export const restHandlers = {
  'groups.createGroup': ({ service, body }) => {
    const { add_to_cards_and_spaces_enabled: shown, ...fields } = parse(groupFields, body);
    return toGroup(service.createGroup({ ...fields, addToCardsAndSpacesEnabled: shown }));
  },
  'groups.getListOfGroups': listGroups,
  'groups.getGroup': (call) => toGroup(groupOf(call)),
  'groups.updateGroup': (call) => {
    const fields = parse(groupFields.partial(), call.body);
    const { add_to_cards_and_spaces_enabled: shown, ...rest } = fields;
    const update = { ...rest, addToCardsAndSpacesEnabled: shown };
    return toGroup(call.service.updateGroup(groupOf(call).id, update));
  },
  'groups.removeGroup': (call) => toGroup(call.service.deleteGroup(groupOf(call).id)),
  'groupUsers.addUserToGroup': (call) => setPerson(call, 'member', parsePerson(call)),
  'groupUsers.getListOfGroupUsers': (call) => listPeople(call, 'member'),
  'groupUsers.removeUserFromGroup': (call) => setPerson(call, 'member', getId(call, 1), false),
  'groupAdmins.addAdminToGroup': (call) => setPerson(call, 'admin', parsePerson(call)),
  'groupAdmins.getListOfGroupAdmins': (call) => listPeople(call, 'admin'),
  'groupAdmins.removeAdminFromGroup': (call) => setPerson(call, 'admin', getId(call, 1), false),
  'groupEntities.getListOfGroupEntities': (call) => {
    const { id } = groupOf(call);
    return call.state.spaces.all().flatMap(({ uid, title }) => {
      const roles = call.service.rolesOf(uid, id);
      const place = { uid, title, path: `/${uid}`, entity_type: 'space' };
      return roles === undefined ? [] : [{ ...place, own_role_ids: roles }];
    });
  },
  'groupEntities.addEntity': (call) => {
    const fields = z.object({ entity_uid: text(), role_ids: roleIds });
    const { entity_uid: uid, role_ids } = parse(fields, call.body);
    return setRoles(call, { uid, roles: role_ids, isNew: true });
  },
  'groupEntities.updateGroupEntity': (call) => {
    const { role_ids: roles } = parse(z.object({ role_ids: roleIds }), call.body);
    return setRoles(call, { uid: call.params[1], roles });
  },
  'groupEntities.removeEntity': (call) => setRoles(call, { uid: call.params[1], roles: [] }),
  'companyUsers.getListOfUsers': listCompanyUsers,
  'companyUsers.updateUser': (call) => {
    const fields = parse(userChange, call.body);
    const { apps_permissions: appsPermissions, temporarily_inactive: temporarilyInactive } = fields;
    if (appsPermissions === undefined && temporarilyInactive === undefined) {
      throw new Refusal(400, "User should have required property '.apps_permissions'");
    }
    const update = { appsPermissions, temporarilyInactive };
    return toCompanyUser(call, call.service.updateUser(getId(call), update));
  },
  'companyUsers.removeVirtualUser': (call) => {
    const id = getId(call);
    call.service.removeUser(id);
    return { id };
  },
  'users.retrieveCurrentUser': (call) => toListedUser(call, call.service.owner),
  'auditLogs.retrieveAuditLogEvents': listAuditEvents,
} satisfies Readonly<Record<string, Handler>>;

/** The page that `limit` and `offset` ask for; a limit of 0 is the default. @throws Refusal 400 when either is no integer */
function toPage<Item>(call: Call, list: SandboxList, items: readonly Item[]): Item[] {
  const limit = parseInteger(call.query, 'limit') || undefined;
  const offset = parseInteger(call.query, 'offset') ?? 0;
  return cutPage(call, [list, items], { offset, limit });
}

/** True for a flag that is present and not `false` or `0`. */
function hasFlag({ query }: Call, name: string): boolean {
  return !['false', '0', null].includes(query.get(name));
}

/** Paged only on request, and never together with tree entities. */
function listGroups(call: Call) {
  const { query, state } = call;
  const all = state.groups.all();
  const withEntities = hasFlag(call, 'with_tree_entities');
  const isPaged = !withEntities && (query.has('limit') || query.has('offset'));
  const groups = isPaged ? toPage(call, 'groups', all) : all;
  const withCount = hasFlag(call, 'with_users_count');
  return groups.map((group) => ({
    ...toGroup(group),
    ...(withEntities && { tree_entities: [] }),
    ...(withCount && { users_count: state.usersOf('member', group.id).size }),
  }));
}

function parsePerson({ body }: Call): number {
  return parse(z.object({ user_id: z.int() }), body).user_id;
}

function setPerson(call: Call, link: LinkKind, userId: number, present = true) {
  const { id } = groupOf(call);
  if (call.state.usersOf(link, id).has(userId) === present) {
    throw new Refusal(present ? 409 : 404, `user ${userId} is ${present ? '' : 'not '}there`);
  }
  call.service.updateGroup(id, { links: [{ link, userId, present }] });
  return toUser(call.service.getUser(userId));
}

/** All of them, without pages. */
function listPeople(call: Call, link: LinkKind) {
  const userIds = call.state.usersOf(link, groupOf(call).id);
  return [...userIds].map((userId) => toUser(call.service.getUser(userId)));
}

/** @throws Refusal 409 for a new entity that the group has, 404 for another one that it does not have */
function setRoles(
  call: Call,
  {
    uid = '',
    roles,
    isNew = false,
  }: { uid?: string | undefined; roles: string[]; isNew?: boolean },
) {
  const { id } = groupOf(call);
  if ((call.service.rolesOf(uid, id) === undefined) !== isNew) {
    throw new Refusal(isNew ? 409 : 404, `the group ${isNew ? 'has' : 'does not have'} the entity`);
  }
  call.service.setRoles(uid, id, roles);
  return { group_id: id, entity_uid: uid, own_role_ids: roles, role_ids: roles };
}

function listCompanyUsers(call: Call) {
  const word = call.query.get('query')?.toLowerCase() ?? '';
  const isSection = hasFlag(call, 'for_members_section');
  const onlyVirtual = hasFlag(call, 'only_virtual');
  const found = call.state.users
    .all()
    .filter(
      ({ email, fullName, virtual }) =>
        (virtual || !onlyVirtual) &&
        (!isSection || `${email}\n${fullName.toLowerCase()}`.includes(word)),
    );
  return toPage(call, 'companyUsers', found).map((user) => toListedUser(call, user));
}

/** `from` and `to` are inclusive. */
function listAuditEvents(call: Call) {
  const from = parseTime(call.query, 'from', Number.NEGATIVE_INFINITY);
  const to = parseTime(call.query, 'to', Number.POSITIVE_INFINITY);
  const found = call.state.events.filter(({ created }) => {
    const atMs = Date.parse(created);
    return atMs >= from && atMs <= to;
  });
  if (call.shape.auditOrder === 'desc') found.reverse();
  return toPage(call, 'auditLogs', found).map((event) => toEvent(call, event));
}

function parseTime(query: URLSearchParams, name: string, fallback: number): number {
  const given = query.get(name);
  const atMs = given === null ? fallback : Date.parse(given);
  if (Number.isNaN(atMs)) throw new Refusal(400, `${name} should be date-time`);
  return atMs;
}

/** The group whose uid is the first parameter of the path. */
function groupOf({ params: [uid = ''], state }: Call): SandboxGroup {
  const group = state.groups.all().find((each) => each.uid === uid);
  if (group === undefined) throw new Refusal(404, `no group ${uid}`);
  return group;
}

function toGroup({ addToCardsAndSpacesEnabled, ...group }: SandboxGroup) {
  return { ...group, add_to_cards_and_spaces_enabled: addToCardsAndSpacesEnabled };
}

/** What is known of a user everywhere. */
function toUser({ id, uid, fullName, email, userName, created, updated, virtual }: SandboxUser) {
  return { id, uid, full_name: fullName, email, username: userName, virtual, created, updated };
}

/** A company user; `role` 3 is a deactivated account. */
function toCompanyUser({ state }: Call, user: SandboxUser) {
  return {
    ...toUser(user),
    user_id: user.id,
    company_id: Number.parseInt(state.company.uid.slice(0, 6), 16) || 1,
    role: user.active ? user.role : 3,
    permissions: user.permissions,
    apps_permissions: user.appsPermissions,
    temporarily_inactive: user.temporarilyInactive,
  };
}

/** A company user in the list, whose `permissions` include those of groups. */
function toListedUser(call: Call, user: SandboxUser) {
  const joined = call.state.groupsOf('member', user.id);
  return {
    ...toCompanyUser(call, user),
    own_permissions: user.permissions,
    permissions: joined.reduce((mask, group) => mask | group.permissions, user.permissions),
    groups: joined.map(({ id, uid, name }) => ({ id, uid, name })),
    take_licence: takesLicence(user),
  };
}

/** The author is as of the event. */
function toEvent({ state, shape }: Call, event: AuditEvent) {
  const { id, category, action, details, created } = event;
  const forms = { object: details, string: JSON.stringify(details), null: null };
  return {
    id,
    category,
    action,
    message: action,
    created,
    details: forms[shape.auditDetails],
    company_uid: state.company.uid,
    author_id: event.authorId,
    author_uid: event.authorUid,
    author_username: event.authorUserName,
    author_remote_address: event.authorAddress,
  };
}
