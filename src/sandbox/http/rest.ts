import { z } from 'zod';
import type { AuditEvent, LinkKind, SandboxGroup, SandboxUser } from '../model.ts';
import { parse, Refusal, text } from '../refusal.ts';
import { type GroupUpdate, takesLicence, type WantedLink } from '../service.ts';
import { type Call, cutPage, getId, type Handler, hasFlag, parseRestPage } from './call.ts';

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
    const fields = groupFields.partial();
    const { add_to_cards_and_spaces_enabled: shown, ...rest } = parse(fields, call.body);
    const update: GroupUpdate = { ...rest, addToCardsAndSpacesEnabled: shown };
    return toGroup(call.service.updateGroup(groupOf(call).id, update));
  },
  'groups.removeGroup': (call) => toGroup(call.service.deleteGroup(groupOf(call).id)),
  'groupUsers.addUserToGroup': (call) => addPerson(call, 'member'),
  'groupUsers.getListOfGroupUsers': (call) => listPeople(call, 'member'),
  'groupUsers.removeUserFromGroup': (call) => removePerson(call, 'member'),
  'groupAdmins.addAdminToGroup': (call) => addPerson(call, 'admin'),
  'groupAdmins.getListOfGroupAdmins': (call) => listPeople(call, 'admin'),
  'groupAdmins.removeAdminFromGroup': (call) => removePerson(call, 'admin'),
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
    if (call.service.rolesOf(uid, groupOf(call).id) !== undefined) {
      throw new Refusal(409, 'the group has the entity already');
    }
    return setRoles(call, uid, role_ids);
  },
  'groupEntities.updateGroupEntity': (call) => {
    const { role_ids } = parse(z.object({ role_ids: roleIds }), call.body);
    return setRoles(call, getEntityUid(call), role_ids);
  },
  'groupEntities.removeEntity': (call) => setRoles(call, getEntityUid(call), []),
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
  'users.retrieveCurrentUser': (call) => ({
    ...toListedUser(call, call.service.owner),
    has_password: true,
  }),
  'auditLogs.retrieveAuditLogEvents': listAuditEvents,
} satisfies Readonly<Record<string, Handler>>;

/** Paged only on request, and never together with tree entities. */
function listGroups(call: Call) {
  const { query, state, shape } = call;
  const all = state.groups.all(shape.listOrder);
  const withEntities = hasFlag(query, 'with_tree_entities');
  const isPaged = !withEntities && (query.has('limit') || query.has('offset'));
  const groups = isPaged ? cutPage(all, parseRestPage(call, 'groups')) : all;
  const withCount = hasFlag(query, 'with_users_count');
  return groups.map((group) => ({
    ...toGroup(group),
    ...(withEntities && { tree_entities: [] }),
    ...(withCount && { users_count: state.links.member.usersOf(group.id).size }),
  }));
}

function addPerson(call: Call, link: LinkKind) {
  const { user_id: userId } = parse(z.object({ user_id: z.int() }), call.body);
  return setPerson(call, { link, userId, present: true });
}

/** All of them, without pages. */
function listPeople(call: Call, link: LinkKind) {
  const userIds = call.state.links[link].usersOf(groupOf(call).id);
  return [...userIds].map((userId) => toUser(call.service.getUser(userId)));
}

function removePerson(call: Call, link: LinkKind) {
  const { id: userId } = call.service.getUser(getId({ params: call.params.slice(1) }));
  return setPerson(call, { link, userId, present: false });
}

function setPerson(call: Call, wanted: WantedLink) {
  const { link, userId, present } = wanted;
  const { id } = groupOf(call);
  const isSo = call.state.links[link].has(id, userId) === present;
  if (isSo && call.shape.repeatedMember === 'refused') {
    throw new Refusal(present ? 409 : 404, `user ${userId} is ${present ? '' : 'not '}there`);
  }
  call.service.updateGroup(id, { links: [wanted] });
  return toUser(call.service.getUser(userId));
}

/** The entity of the path, in which the group has roles. */
function getEntityUid(call: Call): string {
  const [, uid = ''] = call.params;
  if (call.service.rolesOf(uid, groupOf(call).id) !== undefined) return uid;
  throw new Refusal(404, 'the group does not have the entity');
}

function setRoles(call: Call, uid: string, roles: readonly string[]) {
  const { id } = groupOf(call);
  call.service.setRoles(uid, id, roles);
  const access = { access_mod: 'all', own_access_mod: 'all', role_permissions: {} };
  return { ...access, group_id: id, entity_uid: uid, own_role_ids: roles, role_ids: roles };
}

function listCompanyUsers(call: Call) {
  const { query, state, shape } = call;
  const all = state.users.all(shape.listOrder);
  const word = query.get('query')?.toLowerCase() ?? '';
  const isSection = hasFlag(query, 'for_members_section');
  const onlyVirtual = hasFlag(query, 'only_virtual');
  const found = all.filter(
    ({ email, fullName, virtual }) =>
      (virtual || !onlyVirtual) &&
      (!isSection || `${email}\n${fullName.toLowerCase()}`.includes(word)),
  );
  const isPaged = isSection || onlyVirtual || shape.companyUsersPaging === 'always';
  const whole =
    shape.companyUsersPaging === 'section-else-all' ? undefined : shape.pages.companyUsers.default;
  const page = isPaged
    ? cutPage(found, parseRestPage(call, 'companyUsers'))
    : found.slice(0, whole);
  return page.map((user) => toListedUser(call, user));
}

/** `from` and `to` are inclusive. */
function listAuditEvents(call: Call) {
  const { offset, limit } = parseRestPage(call, 'auditLogs');
  const fromMs = parseTime(call.query, 'from') ?? Number.NEGATIVE_INFINITY;
  const toMs = parseTime(call.query, 'to') ?? Number.POSITIVE_INFINITY;
  const { events } = call.state;
  const found: AuditEvent[] = [];
  // Walks from the end that comes first and stops when the page is full: the log may be long.
  for (let step = 0; step < events.length && found.length < offset + limit; step += 1) {
    const event = events.at(call.shape.auditOrder === 'desc' ? -1 - step : step);
    const atMs = Date.parse(event?.created ?? '');
    if (event && atMs >= fromMs && atMs <= toMs) found.push(event);
  }
  return found.slice(offset).map((event) => toEvent(call, event));
}

function parseTime(query: URLSearchParams, name: string): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const atMs = Date.parse(given);
  if (Number.isNaN(atMs)) throw new Refusal(400, `${name} should be date-time`);
  return atMs;
}

/** The group whose uid is the first parameter of the path. */
function groupOf({ params: [uid = ''], state }: Call): SandboxGroup {
  const group = state.groups.findBy('uid', uid);
  if (group === undefined) throw new Refusal(404, `no group ${uid}`);
  return group;
}

function toGroup({ addToCardsAndSpacesEnabled, scimId: _, ...group }: SandboxGroup) {
  return { ...group, add_to_cards_and_spaces_enabled: addToCardsAndSpacesEnabled };
}

/** What is known of a user everywhere. */
function toUser({ id, uid, fullName, email, userName, created, updated, virtual }: SandboxUser) {
  const initials = fullName.slice(0, 2).toUpperCase();
  const account = { id, uid, full_name: fullName, email, username: userName, virtual };
  return { ...account, initials, created, updated, activated: true };
}

/** A company user; `role` 3 is a deactivated account. */
function toCompanyUser({ state }: Call, user: SandboxUser) {
  return {
    ...toUser(user),
    user_id: user.id,
    // A company has a numeric id too; it is derived from the uid, so that it need not be stored.
    company_id: Number.parseInt(state.company.uid.slice(0, 6), 16) || 1,
    role: user.active ? user.role : 3,
    permissions: user.permissions,
    apps_permissions: user.appsPermissions,
    temporarily_inactive: user.temporarilyInactive,
  };
}

/** A company user in the list, whose `permissions` include those of groups. */
function toListedUser(call: Call, user: SandboxUser) {
  const { groups, links } = call.state;
  const joined = links.member.groupsOf(user.id).flatMap((id) => groups.find(id) ?? []);
  return {
    ...toCompanyUser(call, user),
    own_permissions: user.permissions,
    permissions: joined.reduce((mask, group) => mask | group.permissions, user.permissions),
    spaces: [],
    groups: joined.map(({ id, uid, name }) => ({ id, uid, name })),
    take_licence: takesLicence(user),
  };
}

/** Author fields are as of the event, `author` is the account as it is now. */
function toEvent({ state, shape }: Call, event: AuditEvent) {
  const author = state.users.find(event.authorId ?? 0);
  const { id, category, action, message, details, created } = event;
  const forms = { object: details, string: JSON.stringify(details), null: null };
  return {
    ...{ id, category, action, message, created, details: forms[shape.auditDetails] },
    company_uid: state.company.uid,
    author_id: event.authorId,
    author_uid: event.authorUid,
    author_username: event.authorUserName,
    author_remote_address: event.authorAddress,
    author: author
      ? { id: author.id, uid: author.uid, username: author.userName, full_name: author.fullName }
      : null,
  };
}
