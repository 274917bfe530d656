import type { ResourceKey } from '../../domain/values.ts';
import { BridgeError, keyText } from '../../domain/values.ts';
import type { GroupRow, UserRow } from '../../store/resources/rows.ts';
import { deleteRow, findRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import {
  isRoleUnknown,
  toGroupState,
  toObservedUser,
  toUserState,
} from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import { decideMerge } from '../differences.ts';
import { lookAtGroup, observeGroup } from '../group/apply.ts';
import { fetchList } from '../group/lists.ts';
import type { Known } from '../outcome.ts';
import { classify } from '../outcome.ts';
import { withCalls } from '../step-call.ts';
import { lookUpOwner, toObservedColumns } from '../user/observe.ts';

/** Wait of one request: its remaining time in milliseconds, and its class. */
export interface BoundedWait {
  readonly waitMs: number;
  readonly class: 'remove' | 'change';
}

/**
 * Reads what no list showed before a provider takes an account or group: an owner's account, and a group with admins, is
 * privileged. What was written meanwhile stays unknown. @throws BridgeError `could-not-look`
 */
export async function readPrivilege(
  deps: ReconcileDeps,
  key: ResourceKey,
  { waitMs, class: callClass }: BoundedWait,
): Promise<void> {
  const { store, clock } = deps;
  const row = await findRow(store.read, key);
  if (row === undefined || row.deleted_at !== null) return;
  const at = clock.now();
  const about = row.type === 'user' ? 'the role of the account' : 'the admins of the group';
  const [answered, late] = [new AbortController(), new AbortController()];
  clock.sleep(waitMs, answered.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const calls = withCalls(deps, { class: callClass, key: keyText(key), signal: late.signal });
  const look = row.type === 'user' ? readRole(calls, row) : readAdmins(calls, row, at);
  const save = await look
    .catch((cause: unknown) => {
      const message = `${about} could not be read (${classify(cause).problem.code})`;
      throw new BridgeError('could-not-look', message, { cause });
    })
    .finally(() => answered.abort());
  await store.write((tx) => save(tx, clock.now()));
}

type Save = (tx: Db, now: number) => Promise<void>;

async function readRole(deps: ReconcileDeps, row: UserRow): Promise<Save> {
  const { upstreamId, observed } = toUserState(row);
  if (upstreamId === undefined || !isRoleUnknown(row)) return async () => undefined;
  const owner = await lookUpOwner(deps, upstreamId, observed);
  return async (tx) => {
    const locked = await lockRow(tx, row);
    const known = locked && isRoleUnknown(locked) ? toObservedUser(locked) : undefined;
    if (known === undefined || locked?.upstream_id !== upstreamId) return;
    await updateRow(tx, locked, toObservedColumns(locked, { ...known, owner }));
  };
}

async function readAdmins(deps: ReconcileDeps, row: GroupRow, at: number): Promise<Save> {
  const known = await lookAtAdmins(deps, row);
  return async (tx, now) => {
    const locked = await lockRow(tx, row);
    // Another request that asked for the same list, or a sweep, was faster.
    if (locked === undefined || (locked.admins_read_at ?? 0) >= at) return;
    if (known.missing) {
      if (locked.origin === null) await deleteRow(tx, locked, now);
    } else if (decideMerge(locked, at) === 'merge') await observeGroup(tx, locked, known, now);
  };
}

async function lookAtAdmins(deps: ReconcileDeps, row: GroupRow): Promise<Known> {
  const { upstream_uid: uid } = row;
  try {
    if (uid !== null) return await fetchList(deps, uid, 'admins');
  } catch (error) {
    if (classify(error).verdict !== 'missing') throw error;
  }
  // A list may have shown the group while it went.
  const looked = await lookAtGroup(deps, toGroupState(row));
  if (looked.kind === 'done' && looked.known.missing) return looked.known;
  throw new BridgeError('could-not-look', 'the service does not show the admins of the group');
}
