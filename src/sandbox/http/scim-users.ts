import { z } from 'zod';
import type { SandboxUser } from '../model.ts';
import { isObject, parse, Refusal, text } from '../refusal.ts';
import type { UserUpdate } from '../service.ts';
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

const wantedUser = z.object({
  emails: z.array(z.unknown()).min(1),
  userName: text().optional(),
  name: z.unknown().optional(),
});

/** Operations of users in the SCIM interface. */
export const scimUserHandlers = {
  'scim.addUser': addUser,
  'scim.getUser': (call) => toUserWithGroups(call, call.service.getUser(getId(call))),
  'scim.getUsers': (call) => {
    const { query, shape, state } = call;
    const filter = query.get('filter');
    if (filter !== null && shape.filter === 'refused') {
      throw new Refusal(400, 'filter is not supported');
    }
    const isFiltered = filter !== null && shape.filter === 'honoured';
    const users = isFiltered ? listFiltered(call, filter) : state.users.all(shape.listOrder);
    return listPage(call, 'scimUsers', users, (user) => toUser(call, user));
  },
  'scim.updateUser': (call) => {
    const { service, shape } = call;
    const before = service.getUser(getId(call));
    const update = toUpdate(before, parseOperations(call), shape);
    return toUserWithGroups(call, service.updateUser(before.id, update));
  },
} satisfies Readonly<Record<string, Handler>>;

function addUser(call: Call) {
  const { shape, service } = call;
  const { emails, userName, name } = parse(wantedUser, call.body);
  const email = parseEmails(emails, shape);
  if (userName !== undefined && shape.createUserName === 'refused') {
    throw new Refusal(400, "User should not have property '.userName'");
  }
  const isNamed = name !== undefined && shape.createName === 'used';
  const fullName = isNamed ? joinName({ ...noName, ...parse(nameParts, name) }) : '';
  const user = service.addUser({
    email,
    userName: shape.createUserName === 'used' ? userName : undefined,
    fullName: fullName || undefined,
  });
  return toUser(call, user);
}

/** A user as lists and addUser show it. */
function toUser(call: Call, user: SandboxUser) {
  const { userId, emailsReturned } = call.shape;
  const { email: value, userName, active } = user;
  return {
    ...toHead(call, 'User', user),
    id: userId === 'string' ? String(user.id) : user.id,
    name: splitName(user.fullName),
    userName,
    active,
    emails: [emailsReturned === 'strings' ? value : { value, type: 'work', primary: true }],
  };
}

/** A user as getUser and updateUser show it: with its groups. */
function toUserWithGroups(call: Call, user: SandboxUser) {
  const { groups, links } = call.state;
  const joined = links.member.groupsOf(user.id).flatMap((id) => groups.find(id) ?? []);
  const isNumber = call.shape.memberValue === 'number' && call.shape.groupId.startsWith('rest-id');
  return {
    ...toUser(call, user),
    groups: joined.map((group) => ({
      value: isNumber ? group.id : String(toGroupId(call, group)),
      display: group.name,
      $ref: `${call.baseUrl}/scim/v2/Groups/${toGroupId(call, group)}`,
    })),
  };
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

const emailEntry = z.object({ value: z.string(), primary: z.unknown().optional() });

/**
 * The one address that the service takes from `emails`: the primary one, or else the first.
 * @throws Refusal 400 when there is none or an entry has a form that the shape does not accept
 */
function parseEmails(value: unknown, { emailsAccepted }: SandboxShape): string {
  const entries = parse(z.array(z.unknown()).min(1), value).map((entry) => {
    const refused = isObject(entry) ? 'strings' : 'objects';
    if (emailsAccepted === refused) throw new Refusal(400, `emails should not be ${refused}`);
    return parse(emailEntry, typeof entry === 'string' ? { value: entry } : entry);
  });
  const chosen = entries.find(({ primary }) => primary === true) ?? entries[0];
  return chosen?.value ?? '';
}

const COMPARISON = /^\s*(id|userName|emails|emails\.value)\s+eq\s+"?([^"]*)"?\s*$/i;

/**
 * The users that a filter names. The service documents a `filter` and no grammar; its clients send one comparison
 * with `eq`. Text compares without case. @throws Refusal 400 for anything else
 */
function listFiltered({ state: { users } }: Call, filter: string): readonly SandboxUser[] {
  const [, attribute, literal = ''] = COMPARISON.exec(filter) ?? [];
  if (attribute === undefined) throw new Refusal(400, `filter not understood: ${filter}`);
  const wanted = literal.toLowerCase();
  if (attribute === 'id') return [users.find(Number(wanted)) ?? []].flat();
  return [users.findBy(attribute === 'userName' ? 'userName' : 'email', wanted) ?? []].flat();
}

type Draft = { -readonly [Key in keyof UserUpdate]: UserUpdate[Key] } & { name?: NameParts };

/** Result of the operations together; the account is not touched. @throws Refusal 400 when one is not available */
function toUpdate(
  user: SandboxUser,
  operations: readonly PatchOperation[],
  shape: SandboxShape,
): UserUpdate {
  const draft: Draft = {};
  for (const operation of operations) {
    const { op, path, value } = operation;
    const [attribute] = path.split('.');
    if (!shape.updatable.some((name) => name === attribute)) throw notAvailable(operation);
    if (path === 'active') {
      if (op !== 'replace') throw notAvailable(operation); // The only op that the service documents for it.
      draft.active = parseBoolean(value, shape);
    } else if (path === 'userName') draft.userName = parse(text(), value);
    else if (path === 'emails') draft.email = parseEmails(value, shape);
    else draft.name = toName(draft.name ?? splitName(user.fullName), operation);
  }
  const { name, ...update } = draft;
  return name === undefined ? update : { ...update, fullName: joinName(name) };
}

const lenientBoolean = z.stringbool({ truthy: ['true'], falsy: ['false'] });

/** A boolean; the lenient shape takes text too. */
function parseBoolean(value: unknown, { patchSyntax }: SandboxShape): boolean {
  const schema = patchSyntax === 'lenient' ? z.union([z.boolean(), lenientBoolean]) : z.boolean();
  return parse(schema, value);
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
