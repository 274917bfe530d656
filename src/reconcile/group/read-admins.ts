import { BridgeError } from '../../domain/errors.ts';
import type { GroupId } from '../../domain/ids.ts';
import { observeLinks } from '../../store/links/links.ts';
import {
  endObserved,
  type GroupRow,
  LIVE,
  listRows,
  lockRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { toGroupState } from '../../store/resources/state.ts';
import { type BoundedWait, lookWithin } from '../bounded-wait.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { decideMerge } from '../merge-decision.ts';
import { withCalls } from '../step-call.ts';
import { classify } from '../verdict.ts';
import { lookAtGroup } from './look.ts';
import { fetchAdminIds, fetchEntities } from './observe.ts';

/** Reads of one list at most: it is read again where the group was changed meanwhile. */
const READS_MAX = 3;

/**
 * Reads the admin list of a group that may be adopted: one with admins is privileged. An unmanaged group that the
 * service does not have is forgotten instead.
 * @throws BridgeError `could-not-look` when the list could not be read: that is not an empty list
 */
export async function readAdmins(
  deps: ReconcileDeps,
  id: GroupId,
  wait: BoundedWait,
): Promise<void> {
  for (let reads = 0; reads < READS_MAX; reads += 1) {
    const [row] = await listRows(deps.store.read, 'group', { id, ...LIVE });
    if (row === undefined) return;
    const askedAt = deps.clock.now();
    const upstreamUserIds = await findAdminIds(deps, row, wait);
    if (upstreamUserIds === undefined) return endGone(deps, id);
    const isKnown = await deps.store.write(async (tx) => {
      const locked = await lockRow(tx, { type: 'group', id });
      // Another request that asked for the same list, or a sweep, was faster.
      if (locked === undefined || (locked.admins_read_at ?? 0) >= askedAt) return true;
      if (decideMerge(locked, askedAt) !== 'merge') return false;
      const baseline = locked.origin === null ? null : 0;
      await observeLinks(tx, locked, { list: 'admin', upstreamUserIds, baseline });
      await updateRow(tx, { type: 'group', id }, { admins_read_at: deps.clock.now() });
      return true;
    });
    if (isKnown) return;
  }
  throw new BridgeError('could-not-look', 'the group was changed whenever its admins were read');
}

/** Reads the admin list; undefined when a look says that the service does not have the group. */
async function findAdminIds(
  deps: ReconcileDeps,
  row: GroupRow,
  wait: BoundedWait,
): Promise<number[] | undefined> {
  try {
    return await lookUpAdminIds(deps, row, wait);
  } catch (error) {
    if (row.origin !== null || !mayBeGone(row, error)) throw error;
    const looking = withCalls(deps, { class: wait.class, key: `group:${row.id}` });
    const outcome = await lookAtGroup(looking, toGroupState(row));
    if (outcome.kind === 'done' && outcome.known.missing) return undefined;
    throw error;
  }
}

/** True when the service does not know the group by its uid, or never showed one: a list may have shown it while it went. */
function mayBeGone({ upstream_uid }: GroupRow, error: unknown): boolean {
  if (!(error instanceof BridgeError)) return false;
  return error.cause === undefined
    ? upstream_uid === null
    : classify(error.cause).verdict === 'missing';
}

async function endGone({ store, clock }: ReconcileDeps, id: GroupId): Promise<void> {
  await store.write(async (tx) => {
    const row = await lockRow(tx, { type: 'group', id });
    if (row?.origin === null) await endObserved(tx, row, clock.now());
  });
}

/** Makes a look at one list of a group, which takes `waitMs` at most, queue included. @throws BridgeError `could-not-look` */
function createListLook<Found>(
  what: string,
  fetch: (deps: LookDeps, uid: string) => Promise<Found>,
) {
  return async (
    deps: LookDeps,
    { id, upstream_uid: uid }: Pick<GroupRow, 'id' | 'upstream_uid'>,
    { class: callClass, waitMs }: Pick<BoundedWait, 'waitMs'> & Pick<CallContext, 'class'>,
  ): Promise<Found> => {
    if (uid === null) {
      const words = `the group has no REST uid, so its ${what} are unknown`;
      throw new BridgeError('could-not-look', words);
    }
    return lookWithin(deps.clock, { waitMs, about: `the ${what} of the group` }, (signal) =>
      fetch(withCalls(deps, { class: callClass, key: `group:${id}`, signal }), uid),
    );
  };
}

type LookDeps = Pick<ReconcileDeps, 'upstream' | 'clock'>;

/** Fetches the admin list of a group, by account. */
export const lookUpAdminIds = createListLook('admins', fetchAdminIds);
/** Fetches the entities of a group. */
export const lookUpEntities = createListLook('entities', fetchEntities);
