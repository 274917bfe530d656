import { type GroupState, isAnotherGroup, type ObservedGroup } from '../../domain/kinds.ts';
import { normaliseName, toSpelling } from '../../domain/name.ts';
import { BridgeError, type GroupId, toOwnRefusal } from '../../domain/values.ts';
import { findGroupByUpstream } from '../../store/resources/find.ts';
import { deleteRow, type GroupRow, LIVE, listRows, lockRow } from '../../store/resources/rows.ts';
import { toGroupState } from '../../store/resources/state.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { paginate } from '../../upstream/paginate.ts';
import { parseRestGroup, type RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ReconcileDeps } from '../deps.ts';
import { decideMerge } from '../differences.ts';
import { classify, type Outcome } from '../outcome.ts';
import { findDoubt, lookSurely, toFailedLook } from '../sections.ts';
import { assertAbout, withCalls } from '../step-call.ts';
import { type BoundedWait, lookWithin } from '../waiters.ts';
import { findScimId } from './members.ts';
import {
  fetchAdminIds,
  fetchMemberIds,
  observeGroup,
  observeRestGroup,
  parseScimGroupOf,
} from './observe.ts';

/** Looks at one group: name, flags, members. One that is gone is looked for under another id, as ids may be given anew. */
export async function lookAtGroup(deps: ReconcileDeps, state: GroupState): Promise<Outcome> {
  const { uid, scimId } = state.ids;
  if (uid === undefined && scimId === undefined) return lookForCreated(deps, state);
  const outcome = await lookSurely(deps, 'groups', async (): Promise<Outcome> => {
    if (uid === undefined) return lookThroughScim(deps, { state, scimId: scimId ?? '' });
    const seen = await lookThroughRest(deps, uid, scimId);
    const isAnother = isAnotherGroup(state.observed, seen.known.group);
    return isAnother ? { kind: 'done', known: { missing: true } } : seen;
  });
  const { created, displayName = '' } = state.observed ?? {};
  if (outcome.kind !== 'done' || !outcome.known.missing || !created) return outcome;
  const mayBe = async (group: RestGroup) => group.uid !== uid && group.created === created;
  const moved = await lookForGroup(deps, { names: [displayName], mayBe });
  const isFound = moved.kind === 'done' && moved.known.ids !== undefined;
  return isFound || moved.kind === 'later' ? moved : outcome;
}

/** Looks for a group after a lost create, by the names that were sent. A group that another row has by now is not it. */
async function lookForCreated(
  deps: ReconcileDeps,
  { id, observed, desired, sentCreates }: GroupState,
): Promise<Outcome> {
  const name = observed?.displayName ?? desired.displayName;
  const names = sentCreates.length > 0 ? sentCreates.map((sent) => sent.name) : [name];
  async function isFree({ uid }: RestGroup): Promise<boolean> {
    const holder = await findGroupByUpstream(deps.store.read, { uid });
    return holder === undefined || holder.id === id || holder.origin === null;
  }
  const outcome = await lookForGroup(deps, {
    names,
    isFree,
    async mayBe(group) {
      return normaliseName(group.name) === normaliseName(name) || (await isFree(group));
    },
  });
  if (outcome.kind !== 'done' || outcome.known.ids !== undefined) return outcome;
  return (await findDoubt(deps, 'groups')) ?? outcome;
}

type GroupTest = (group: RestGroup) => Promise<boolean>;

interface GroupSearch {
  readonly names: readonly string[];
  readonly mayBe?: GroupTest;
  /** False for a group that another row has: of several with one of the names it is not the one that is looked for. */
  readonly isFree?: GroupTest;
  readonly adopted?: true;
}

/** Looks for a group in the complete list by name, after a create whose answer was lost, or when a name is taken. */
export async function lookForGroup(
  deps: ReconcileDeps,
  { names, mayBe, isFree, adopted }: GroupSearch,
): Promise<Outcome> {
  const { pageSize } = deps.policy;
  const pages = paginate(deps.upstream, groups.getListOfGroups, {}, { pageSize });
  const wanted = new Set(names.map(toSpelling));
  try {
    const matches: RestGroup[] = [];
    for await (const { items } of pages) {
      const named = items.map(parseRestGroup).filter(({ name }) => wanted.has(toSpelling(name)));
      matches.push(...(await filterGroups(named, mayBe)));
    }
    const [group, ...others] =
      matches.length > 1 ? await filterGroups(preferExact(matches, names), isFree) : matches;
    if (group === undefined) {
      const { complete, reason: words } = pages.result;
      if (complete) return { kind: 'done', known: {} };
      return { kind: 'later', problem: { code: 'incomplete', words } };
    }
    if (others.length > 0) {
      const problem = toOwnRefusal('several groups of the service have this name');
      return { kind: 'refused', parts: ['existence'], problem };
    }
    // It may be gone by now; then the list has to be read again.
    const { known } = await lookThroughRest(deps, group.uid);
    return { kind: 'done', known: adopted ? { ...known, adopted } : known };
  } catch (error) {
    return toFailedLook(deps, error, 'groups');
  }
}

async function filterGroups(all: readonly RestGroup[], test?: GroupTest): Promise<RestGroup[]> {
  const kept: RestGroup[] = [];
  for (const group of all) if (!test || (await test(group))) kept.push(group);
  return kept;
}

/** A service that keeps letters apart may have several groups of which one has the name exactly. */
function preferExact(matches: readonly RestGroup[], names: readonly string[]) {
  const wanted = new Set(names.map(normaliseName));
  const exact = matches.filter(({ name }) => wanted.has(normaliseName(name)));
  return exact.length > 0 ? exact : matches;
}

async function lookThroughScim(
  { upstream, clock }: ReconcileDeps,
  { state, scimId }: { state: GroupState; scimId: string },
): Promise<Outcome> {
  const args = { path: { group_id: scimId } };
  const group = parseScimGroupOf(scimId, await upstream.call(scim.getGroup, args));
  const at = clock.now();
  const seen = { shownAt: at, at, by: scim.getGroup.id };
  const observed: ObservedGroup = { ...state.observed, displayName: group.displayName, ...seen };
  return { kind: 'done', known: { group: observed, memberIds: group.memberIds } };
}

async function lookThroughRest(deps: ReconcileDeps, uid: string, scimId?: string) {
  const { upstream } = deps;
  const group = parseRestGroup(await upstream.call(groups.getGroup, { path: { uid } }));
  assertAbout('REST group', group.uid, uid);
  const observed = observeRestGroup(deps, group, groups.getGroup);
  const ids = { restId: group.id, uid: group.uid };
  const known = findScimId({ ...ids, scimId }, deps.quirks.current().groupScimId);
  const memberIds = await fetchMemberIds(deps, { ...ids, scimId: known });
  const seen = { ids, group: observed, memberIds, done: ['existence'] } as const;
  return { kind: 'done', known: seen } as const;
}

/** Reads of one list at most: it is read again where the group was changed meanwhile. */
const READS_MAX = 3;

/** Reads the admins of a group that may be adopted: with admins it is privileged. @throws BridgeError `could-not-look` */
export async function readAdmins(
  deps: ReconcileDeps,
  id: GroupId,
  wait: BoundedWait,
): Promise<void> {
  const { store, clock } = deps;
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const [row] = await listRows(store.read, 'group', { id, ...LIVE });
    if (row === undefined) return;
    const askedAt = clock.now();
    const adminIds = await findAdminIds(deps, row, wait);
    const isOver = await store.write(async (tx) => {
      const locked = await lockRow(tx, row);
      // Another request that asked for the same list, or a sweep, was faster.
      if (locked === undefined || (locked.admins_read_at ?? 0) >= askedAt) return true;
      if (adminIds === undefined) {
        if (locked.origin === null) await deleteRow(tx, locked, clock.now());
        return true;
      }
      if (decideMerge(locked, askedAt) !== 'merge') return false;
      await observeGroup(tx, locked, { adminIds }, clock.now());
      return true;
    });
    if (isOver) return;
  }
  throw new BridgeError('could-not-look', 'the group was changed whenever its admins were read');
}

/** Reads the admins; undefined: a look says that the group is not there. @throws BridgeError `could-not-look` */
async function findAdminIds(
  deps: ReconcileDeps,
  row: GroupRow,
  wait: BoundedWait,
): Promise<number[] | undefined> {
  const calls = { class: wait.class, key: `group:${row.id}` } as const;
  const { upstream_uid: uid } = row;
  try {
    if (uid === null) {
      const words = 'the group has no REST uid, so its admins are unknown';
      throw new BridgeError('could-not-look', words);
    }
    const within = { waitMs: wait.waitMs, about: 'the admins of the group' };
    return await lookWithin(deps.clock, within, (signal) =>
      fetchAdminIds(withCalls(deps, { ...calls, signal }), uid),
    );
  } catch (error) {
    if (row.origin !== null || !mayBeGone(row, error)) throw error;
    const outcome = await lookAtGroup(withCalls(deps, calls), toGroupState(row));
    if (outcome.kind === 'done' && outcome.known.missing) return undefined;
    throw error;
  }
}

/** True when the service does not know the group by its uid, or never showed one: a list may have shown it while it went. */
function mayBeGone({ upstream_uid }: GroupRow, error: unknown): boolean {
  if (!(error instanceof BridgeError)) return false;
  const { cause } = error;
  return cause === undefined ? upstream_uid === null : classify(cause).verdict === 'missing';
}
