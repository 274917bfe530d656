import {
  REMAINS_PARTS,
  type Remainder,
  type Remains,
  type RemainsLook,
  type RemainsPart,
} from '../../domain/leaver.ts';
import type { UserState } from '../../domain/user.ts';
import { listManagedUids } from '../../store/audit/leavers.ts';
import { groupEntities } from '../../upstream/operations/people.ts';
import { spaces, spaceUsers } from '../../upstream/operations/spaces.ts';
import { type PageOptions, paginate } from '../../upstream/paginate.ts';
import {
  type CompanyUser,
  DEACTIVATED_ROLE,
  OWNER_ROLE,
} from '../../upstream/shapes/company-user.ts';
import { toInteger, unreadable } from '../../upstream/shapes/reader.ts';
import {
  type JoinedGroup,
  parseGroupEntities,
  parseJoinedGroup,
  parseSpace,
} from '../../upstream/shapes/space.ts';
import type { ReconcileDeps } from '../deps.ts';
import { toReason } from '../verdict.ts';
import { findCompanyUser, toSearchText } from './find-company-user.ts';

/** Spaces that one look goes through; more are too many calls. */
const SPACES_MAX = 200;
/** Groups of one person whose spaces and documents are listed. */
const GROUPS_MAX = 20;

/** Result of the look at one person. */
interface RemainsFound {
  readonly remains: Remains;
  /** True when another look may see what this one could not. */
  readonly mayComplete: boolean;
}

type LookDeps = Pick<ReconcileDeps, 'upstream' | 'policy' | 'store' | 'clock'>;

const KEYS: RemainsLook = {
  part: 'keys',
  why: "the service's interface does not show the API keys of others",
  found: [],
};

/**
 * Makes the function that looks what remains of somebody's access, for looks of one time: what concerns everybody is read
 * once for all. It never rejects because of the service; `left` is undefined where nothing is known of the person any
 * more, and without an account where another user has it by now. @throws StoreError
 */
export function openRemainsLooks(
  deps: LookDeps,
  signal: AbortSignal,
): (left: Pick<UserState, 'upstreamId' | 'observed'> | undefined) => Promise<RemainsFound> {
  const call = { class: 'look', key: 'leavers', signal } as const;
  const options: PageOptions = { ...call, pageSize: deps.policy.pageSize };
  const entities = new Map<string, Promise<Remainder[]>>();
  let rooms: Promise<SpaceMembers[]> | undefined;

  const listEntities = ({ uid }: JoinedGroup) => {
    const known = entities.get(uid) ?? readEntities(deps, uid, call);
    entities.set(uid, known);
    return known;
  };

  return async (left) => {
    if (left?.upstreamId === undefined) return toUnknown(deps);
    const { upstreamId, observed } = left;
    const search = { upstreamId, text: toSearchText(observed) };
    const user = await attempt(async () => getShown(await findCompanyUser(deps, call, search)));
    const groups = await attempt(async () => listUnmanaged(deps, await user()));
    const looks = [
      await toLook('account', async () => listWorking(await user())),
      await toLook('role', async () => listRole(await user())),
      await toLook('rights', async () => listRights(await user())),
      await toLook('groups', async () => (await groups()).map(toGroup)),
      await toLook('entities', async () => {
        const joined = await groups();
        if (joined.length > GROUPS_MAX) throw new TooMany(`more than ${GROUPS_MAX} groups`);
        return (await Promise.all(joined.map(listEntities))).flat();
      }),
      await toLook('spaces', async () => {
        rooms ??= readSpaces(deps, options);
        return (await rooms).flatMap(({ space, users }) => (users.has(upstreamId) ? space : []));
      }),
    ];
    const parts = [...looks.map(({ look }) => look), KEYS];
    return {
      remains: { at: Math.round(deps.clock.now()), parts },
      mayComplete: looks.some((one) => one.mayComplete),
    };
  };
}

function toUnknown({ clock }: LookDeps): RemainsFound {
  const why = 'nobody is known by the account any more';
  const parts = REMAINS_PARTS.map((part): RemainsLook => ({ part, why, found: [] }));
  return { remains: { at: Math.round(clock.now()), parts }, mayComplete: false };
}

/** A look that would take too many calls. */
class TooMany extends Error {}

/** Keeps a result that is asked for more than once, an error as well. */
async function attempt<Value>(read: () => Promise<Value>): Promise<() => Promise<Value>> {
  const result = read();
  await result.catch(() => undefined);
  return () => result;
}

/** Makes a look of what is listed, or of why nobody could look. */
async function toLook(
  part: RemainsPart,
  list: () => Promise<Remainder[]>,
): Promise<{ readonly look: RemainsLook; readonly mayComplete: boolean }> {
  try {
    return { look: { part, why: null, found: await list() }, mayComplete: false };
  } catch (error) {
    if (error instanceof TooMany) {
      return { look: { part, why: error.message, found: [] }, mayComplete: false };
    }
    const { problem, verdict } = toReason(error);
    if (verdict === undefined) throw error;
    const isFinal = verdict === 'forbidden' || verdict === 'missing' || verdict === 'refused';
    // The code alone: the words of the service may name somebody.
    const why = `the service did not show it (${problem.code})`;
    return { look: { part, why, found: [] }, mayComplete: !isFinal };
  }
}

/** @throws UpstreamError where the list of company users does not show the account */
function getShown(user: CompanyUser | undefined): CompanyUser {
  if (user !== undefined) return user;
  throw unreadable('companyUsers.getListOfUsers', 'the list does not show the account');
}

function listWorking({ id, role, temporarilyInactive }: CompanyUser): Remainder[] {
  if (role === undefined) throw unreadable('company user', 'role is not there');
  if (role === DEACTIVATED_ROLE || temporarilyInactive === true) return [];
  if (temporarilyInactive === undefined) {
    throw unreadable('company user', 'temporarily_inactive is not there');
  }
  return [{ id: String(id), name: 'works' }];
}

function listRole({ role }: CompanyUser): Remainder[] {
  if (role === undefined) throw unreadable('company user', 'role is not there');
  return role === OWNER_ROLE ? [{ id: String(role), name: 'owner' }] : [];
}

function listRights({ ownPermissions }: CompanyUser): Remainder[] {
  if (ownPermissions === undefined)
    throw unreadable('company user', 'own_permissions is not there');
  return ownPermissions === 0 ? [] : [{ id: String(ownPermissions), name: null }];
}

async function listUnmanaged({ store }: LookDeps, { groups }: CompanyUser): Promise<JoinedGroup[]> {
  if (!Array.isArray(groups)) throw unreadable('company user', 'groups is not a list');
  const joined = groups.map(parseJoinedGroup);
  const managed = await listManagedUids(
    store.read,
    joined.map(({ uid }) => uid),
  );
  return joined.filter(({ uid }) => !managed.has(uid));
}

function toGroup({ uid, name }: JoinedGroup): Remainder {
  return { id: uid, name: name ?? null };
}

async function readEntities(
  { upstream }: LookDeps,
  group_uid: string,
  call: Omit<PageOptions, 'pageSize'>,
): Promise<Remainder[]> {
  const operation = groupEntities.getListOfGroupEntities;
  const listed = await upstream.call(operation, { path: { group_uid } }, call);
  return parseGroupEntities(listed).map(({ uid, title = null }) => ({ id: uid, name: title }));
}

/** A space with those who entered it directly. */
interface SpaceMembers {
  readonly space: Remainder;
  readonly users: ReadonlySet<number>;
}

/** Reads who entered which space directly, one call a page of a space. @throws UpstreamError, TooMany */
async function readSpaces(deps: LookDeps, options: PageOptions): Promise<SpaceMembers[]> {
  const pages = paginate(deps.upstream, spaces.retrieveListOfSpaces, {}, options);
  const listed: { readonly id: number; readonly title: string | undefined }[] = [];
  for await (const { items } of pages) {
    listed.push(...items.map(parseSpace));
    if (listed.length > SPACES_MAX) throw new TooMany(`more than ${SPACES_MAX} spaces`);
  }
  assertComplete(spaces.retrieveListOfSpaces.id, pages.result);
  const found: SpaceMembers[] = [];
  for (const { id, title = null } of listed) {
    const users = await readSpaceUsers(deps, id, options);
    found.push({ space: { id: String(id), name: title }, users });
  }
  return found;
}

async function readSpaceUsers(
  { upstream }: LookDeps,
  space_id: number,
  options: PageOptions,
): Promise<Set<number>> {
  const query = { include_inherited_access: false, inactive: true };
  const args = { path: { space_id }, query };
  const pages = paginate(upstream, spaceUsers.getListOfUsers, args, options);
  const users = new Set<number>();
  for await (const { items } of pages) {
    for (const item of items) {
      const id = toInteger(Object(item).id);
      if (id === undefined) throw unreadable('space user', 'id is not a whole number');
      users.add(id);
    }
  }
  assertComplete(spaceUsers.getListOfUsers.id, pages.result);
  return users;
}

/** "Could not look" is never "nothing". @throws UpstreamError */
function assertComplete(what: string, result: { readonly complete: boolean }): void {
  if (!result.complete) throw unreadable(what, 'the list is incomplete');
}
