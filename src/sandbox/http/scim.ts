import { z } from 'zod';
import type { SandboxGroup, SandboxUser } from '../model.ts';
import { parse, Refusal, text } from '../refusal.ts';
import type { GroupUpdate, UserUpdate } from '../service.ts';
import type { SandboxList, SandboxShape } from '../shape.ts';
import type { Call, Handler } from './call.ts';
import { cutPage, getId, parseInteger } from './call.ts';

/** Operations of the SCIM interface. */
export const scimHandlers = {
  'scim.addUser': addUser,
  'scim.getUser': (call) => toUserWithGroups(call, call.service.getUser(getId(call))),
  'scim.getUsers': (call) =>
    listPage(call, 'scimUsers', listUsers(call), (user) => toUser(call, user)),
  'scim.updateUser': (call) => {
    const before = call.service.getUser(getId(call));
    const update = toUserUpdate(before, call);
    return toUserWithGroups(call, call.service.updateUser(before.id, update));
  },
  'scim.addGroup': (call) => {
    const { displayName: name } = parse(z.object({ displayName: text() }), call.body);
    return toGroup(call, call.service.createGroup({ name }), false);
  },
  'scim.getGroup': (call) => toGroup(call, findGroup(call), true),
  // A `filter` is not documented for groups and therefore ignored.
  'scim.getGroups': (call) =>
    listPage(call, 'scimGroups', call.state.groups.all(), (group) =>
      toGroup(call, group, call.shape.listCarriesMembers),
    ),
  'scim.updateGroup': (call) => {
    const update = toGroupUpdate(call);
    const group = call.service.updateGroup(findGroup(call).id, update);
    return toGroup(call, group, call.shape.listCarriesMembers);
  },
} satisfies Readonly<Record<string, Handler>>;

const wantedUser = z.object({
  emails: z.unknown(),
  userName: text().optional(),
  name: z.unknown().optional(),
});

function addUser(call: Call) {
  const { shape, service } = call;
  const { emails, userName, name } = parse(wantedUser, call.body);
  const email = parseEmails(emails, shape);
  if (userName !== undefined && shape.createUserName === 'refused') {
    throw new Refusal(400, "User should not have property '.userName'");
  }
  const isNamed = name !== undefined && shape.createName === 'used';
  const fullName = isNamed ? joinName({ ...noName, ...parse(nameParts, name) }) : '';
  return toUser(call, service.addUser({ email, userName, fullName: fullName || undefined }));
}

const COMPARISON = /^\s*(id|userName|emails|emails\.value)\s+eq\s+"?([^"]*)"?\s*$/i;

/**
 * The users that a filter names. The service documents a `filter` and no grammar; its clients send one comparison
 * with `eq`. Text compares without case. @throws Refusal 400 for anything else
 */
function listUsers({ query, shape, state }: Call): readonly SandboxUser[] {
  const filter = query.get('filter');
  if (filter === null || shape.filter === 'ignored') return state.users.all();
  const [, attribute, literal = ''] = COMPARISON.exec(filter) ?? [];
  if (attribute === undefined || shape.filter === 'refused') {
    throw new Refusal(400, `filter not understood: ${filter}`);
  }
  const by = attribute.toLowerCase() === 'username' ? 'userName' : 'email';
  const user = attribute === 'id' ? state.users.find(Number(literal)) : state.findUser(by, literal);
  return user === undefined ? [] : [user];
}

/** A user as lists and addUser show it. */
function toUser(call: Call, user: SandboxUser) {
  const { email: value, userName, active } = user;
  const isText = call.shape.emailsAccepted === 'strings';
  return {
    ...toHead(call, 'User', user),
    id: toUserId(call, user),
    name: splitName(user.fullName),
    userName,
    active,
    emails: [isText ? value : { value, type: 'work', primary: true }],
  };
}

/** A user as getUser and updateUser show it: with its groups. */
function toUserWithGroups(call: Call, user: SandboxUser) {
  const isNumber = call.shape.userId === 'number' && call.shape.groupId === 'rest-id';
  return {
    ...toUser(call, user),
    groups: call.state.groupsOf('member', user.id).map((group) => ({
      value: isNumber ? group.id : toGroupId(call, group),
      display: group.name,
      $ref: `${call.baseUrl}/scim/v2/Groups/${toGroupId(call, group)}`,
    })),
  };
}

/** A group, with its members or without. */
function toGroup(call: Call, group: SandboxGroup, hasMembers: boolean) {
  const { state, baseUrl } = call;
  const head = toHead(call, 'Group', { ...group, id: toGroupId(call, group) });
  const shown = { ...head, displayName: group.name };
  if (!hasMembers) return shown;
  const members = [...state.usersOf('member', group.id)]
    .flatMap((userId) => state.users.find(userId) ?? [])
    .map((user) => ({
      value: toUserId(call, user),
      $ref: `${baseUrl}/scim/v2/Users/${user.id}`,
      display: user.fullName,
    }));
  return { ...shown, members };
}

function toUserId({ shape }: Call, { id }: SandboxUser): string | number {
  return shape.userId === 'string' ? String(id) : id;
}

/** What every resource begins with. */
function toHead(
  { baseUrl }: Call,
  type: 'User' | 'Group',
  { id, created, updated }: { id: string | number; created: string; updated: string },
) {
  const location = `${baseUrl}/scim/v2/${type}s/${id}`;
  return {
    schemas: [`urn:ietf:params:scim:schemas:core:2.0:${type}`],
    id,
    meta: { resourceType: type, created, lastModified: updated, location },
  };
}

/** The id of a group in SCIM, in the form that the shape gives it. */
function toGroupId({ shape }: Call, { id, uid }: SandboxGroup): string {
  const forms = { 'rest-id': String(id), uid, own: `scim-${id}` };
  return forms[shape.groupId];
}

/** The group of the path, in the shape's form of ids. */
function findGroup(call: Call): SandboxGroup {
  const [id] = call.params;
  const group = call.state.groups.all().find((each) => toGroupId(call, each) === id);
  if (group === undefined) throw new Refusal(404, `no group ${id}`);
  return group;
}

/** The page that `startIndex` (from 1) and `count` ask for. @throws Refusal 400 when either is no integer @see RFC 7644 §3.4.2 */
function listPage<Row>(
  call: Call,
  list: SandboxList,
  rows: readonly Row[],
  toResource: (row: Row) => object,
) {
  const startIndex = Math.max(1, parseInteger(call.query, 'startIndex') ?? 1);
  const asked = { offset: startIndex - 1, limit: parseInteger(call.query, 'count') };
  const resources = cutPage(call, [list, rows], asked).map(toResource);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    Resources: resources,
    totalResults: rows.length,
    itemsPerPage: resources.length,
    startIndex,
  };
}

const patch = z.object({
  Operations: z
    .array(
      z.object({
        op: z.enum(['add', 'replace', 'remove']),
        path: z.string(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(10_000),
});

/** One operation of a SCIM PATCH. The service knows only `op` in lower case with a `path`. */
type PatchOperation = z.infer<typeof patch>['Operations'][number];

function notAvailable({ op, path }: PatchOperation): Refusal {
  return new Refusal(400, `operation '${op}' is not available for path '${path}'`);
}

type Draft = { -readonly [Key in keyof UserUpdate]: UserUpdate[Key] } & { name?: NameParts };

/** Result of the operations together; the account is not touched. @throws Refusal 400 when one is not available */
function toUserUpdate(user: SandboxUser, { body, shape }: Call): UserUpdate {
  const draft: Draft = {};
  for (const operation of parse(patch, body).Operations) {
    const { op, path, value } = operation;
    const [attribute] = path.split('.');
    if (!shape.updatable.some((name) => name === attribute)) throw notAvailable(operation);
    if (path === 'active') {
      if (op !== 'replace') throw notAvailable(operation); // The only op that the service documents for it.
      draft.active = parse(z.boolean(), value);
    } else if (path === 'userName') draft.userName = parse(text(), value);
    else if (path === 'emails') draft.email = parseEmails(value, shape);
    else draft.name = toName(draft.name ?? splitName(user.fullName), operation);
  }
  const { name, ...update } = draft;
  return name === undefined ? update : { ...update, fullName: joinName(name) };
}

const namePart = text(128, 0);
const nameParts = z.object({
  givenName: namePart.exactOptional(),
  familyName: namePart.exactOptional(),
});
/** The parts of a name that SCIM shows; the service itself holds one string. */
type NameParts = Required<z.output<typeof nameParts>>;

const noName: NameParts = { givenName: '', familyName: '' };

/** Cuts a full name at its first space. */
function splitName(fullName: string): NameParts {
  const [givenName = '', ...rest] = fullName.split(' ');
  return { givenName, familyName: rest.join(' ').trim() };
}

function joinName({ givenName, familyName }: NameParts): string {
  return `${givenName.trim()} ${familyName.trim()}`.trim();
}

function toName(name: NameParts, operation: PatchOperation): NameParts {
  const { op, path, value } = operation;
  if (path === 'name' && op !== 'remove') {
    return { ...(op === 'add' ? name : noName), ...parse(nameParts, value) };
  }
  if (path !== 'name.givenName' && path !== 'name.familyName') throw notAvailable(operation);
  const part = op === 'remove' ? '' : parse(namePart, value);
  return path === 'name.givenName' ? { ...name, givenName: part } : { ...name, familyName: part };
}

const emailObject = z.object({ value: z.string(), primary: z.unknown().optional() });
const emailString = z.string().transform((value) => ({ value, primary: undefined }));
const emailEntry = {
  strings: emailString,
  objects: emailObject,
  both: emailObject.or(emailString),
};

/**
 * The one address that the service takes from `emails`: the primary one, or else the first.
 * @throws Refusal 400 when there is none or an entry has a form that the shape does not accept
 */
function parseEmails(value: unknown, { emailsAccepted }: SandboxShape): string {
  const entries = parse(z.array(emailEntry[emailsAccepted]).min(1), value);
  return (entries.find(({ primary }) => primary === true) ?? entries[0])?.value ?? '';
}

/**
 * Result of the operations together; of several about one user the last wins.
 * @throws Refusal 400 when one of them has a form that the service does not take
 */
function toGroupUpdate({ body, shape }: Call): GroupUpdate {
  const { Operations: operations } = parse(patch, body);
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

const memberId = z.int();

function parseMembers(value: unknown, { memberPatch }: SandboxShape): number[] {
  const takesArrays = memberPatch === 'array' || memberPatch === 'both';
  if (takesArrays && (Array.isArray(value) || memberPatch === 'array')) {
    return parse(z.array(z.object({ value: memberId })), value).map((entry) => entry.value);
  }
  return [parse(memberId, value)];
}
