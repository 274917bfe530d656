import { BridgeError } from '../domain/errors.ts';
import type { OwnCallKind, OwnChange } from '../domain/own-call.ts';

/** Arguments of a call as the ledger reads them; the transport has checked them against the row. */
interface Args {
  readonly path: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

type Reader = (args: Args) => OwnChange[];

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['scim.addUser', () => [{ kind: 'user.create' }]],
  ['scim.updateUser', readUserOperations],
  ['companyUsers.updateUser', readCompanyUser],
  ['users.updateUser', ({ path }) => [change('user.rename', path.id)]],
  ['companyUsers.removeVirtualUser', ({ path }) => [change('user.delete', path.id)]],
  ['scim.addGroup', () => [{ kind: 'group.create' }]],
  ['scim.updateGroup', readGroupOperations],
  ['groups.createGroup', () => [{ kind: 'group.create' }]],
  ['groups.updateGroup', readGroup],
  ['groups.removeGroup', ({ path }) => [change('group.delete', path.uid)]],
  ['groupUsers.addUserToGroup', toLinkReader('member.add')],
  ['groupUsers.removeUserFromGroup', toLinkReader('member.remove')],
  ['groupAdmins.addAdminToGroup', toLinkReader('admin.add')],
  ['groupAdmins.removeAdminFromGroup', toLinkReader('admin.remove')],
]);

/**
 * Lists the changes that a mutating call makes, one entry for each resource, kind and member.
 * @throws BridgeError `bug` for an operation that the ledger does not know
 */
export function toOwnChanges(operation: string, args: unknown): OwnChange[] {
  const changes = findOwnChanges(operation, args);
  if (changes === undefined) throw new BridgeError('bug', `the ledger does not know ${operation}`);
  return changes;
}

/** Lists the same, or undefined for an operation that changes nothing which the bridge keeps. */
export function findOwnChanges(operation: string, args: unknown): OwnChange[] | undefined {
  return readers.get(operation)?.(parseArgs(args));
}

function readUserOperations({ path, body }: Args): OwnChange[] {
  const kinds = listOperations(body).map((operation): OwnCallKind => {
    if (operation.path === 'active')
      return operation.value === true ? 'user.activate' : 'user.deactivate';
    return operation.path === 'name' ? 'user.rename' : 'user.address';
  });
  return [...new Set(kinds)].map((kind) => change(kind, path.user_id));
}

function readCompanyUser({ path, body }: Args): OwnChange[] {
  const { temporarily_inactive: suspended, apps_permissions: licence } = body;
  return [
    ...(suspended === undefined
      ? []
      : [change(suspended === true ? 'user.deactivate' : 'user.activate', path.id)]),
    ...(licence === undefined ? [] : [change('user.access', path.id)]),
  ];
}

function readGroup({ path, body }: Args): OwnChange[] {
  const { name, ...rights } = body;
  return [
    ...(name === undefined ? [] : [change('group.rename', path.uid)]),
    ...(Object.keys(rights).length === 0 ? [] : [change('group.permissions', path.uid)]),
  ];
}

function readGroupOperations({ path, body }: Args): OwnChange[] {
  return listOperations(body).flatMap(({ op, path: attribute, value }) => {
    if (attribute !== 'members') return [change('group.rename', path.group_id)];
    const kind = op === 'add' ? 'member.add' : 'member.remove';
    return listMembers(value).map((memberId) => ({ ...change(kind, path.group_id), memberId }));
  });
}

/** Reads one id, or the array of objects of the other form. */
function listMembers(value: unknown): string[] {
  if (!Array.isArray(value)) return [String(value)];
  return value.map((member) => String(parseRecord(member).value));
}

function toLinkReader(kind: OwnCallKind): Reader {
  return ({ path, body }) => [
    { ...change(kind, path.group_uid), memberId: String(path.user_id ?? body.user_id) },
  ];
}

function change(kind: OwnCallKind, upstreamId: unknown): OwnChange {
  return { kind, upstreamId: String(upstreamId) };
}

function listOperations(body: Args['body']): Readonly<Record<string, unknown>>[] {
  return Array.isArray(body.Operations) ? body.Operations.map(parseRecord) : [];
}

function parseArgs(args: unknown): Args {
  const { path, body } = parseRecord(args);
  return { path: parseRecord(path), body: parseRecord(body) };
}

function parseRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Largest number of names of a call; a longer list is cut. */
const NAMES_MAX = 1_000;
const NAME_LENGTH_MAX = 256;
const DEPTH_MAX = 8;
/** Parameters that name a resource. */
const NAMING = /(id|email|value|name)s?$/i;

/**
 * Lists the names in a call by an operator, one entry each, because the call may appear in the audit log under any of
 * them.
 */
export function toOperatorChanges(args: unknown): OwnChange[] {
  const names = new Set(listNames({ value: args, isNaming: false, depth: 0 }));
  return [...names]
    .slice(0, NAMES_MAX)
    .map((upstreamId): OwnChange => ({ kind: 'operator', upstreamId }));
}

interface Place {
  readonly value: unknown;
  /** True when the parameter that holds the value names a resource. */
  readonly isNaming: boolean;
  readonly depth: number;
}

function listNames({ value, isNaming, depth }: Place): string[] {
  if (typeof value === 'string' || typeof value === 'number') {
    const name = String(value);
    return isNaming && name !== '' && name.length <= NAME_LENGTH_MAX ? [name] : [];
  }
  if (typeof value !== 'object' || value === null || depth === DEPTH_MAX) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    listNames({
      value: inner,
      isNaming: Array.isArray(value) ? isNaming : NAMING.test(name),
      depth: depth + 1,
    }),
  );
}
