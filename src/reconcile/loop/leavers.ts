import { askAgain, isWaiting } from '../../domain/cell.ts';
import { isGone } from '../../domain/resource-state.ts';
import {
  type DesiredUser,
  isWantedActive,
  type ObservedUser,
  type UserField,
  type UserState,
} from '../../domain/user.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { findRemovalCall } from '../../store/resources/leavers.ts';
import { lockRow, readRows, type UserRow, updateRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Time from the news of a leaver until the store is asked, in milliseconds: many leave together. */
const GATHER_MS = 5_000;
/** Users that are gone through at once. */
const PART = 100;

type WatchDeps = Pick<ReconcileDeps, 'store' | 'clock' | 'policy'>;

/**
 * Judges those who leave. An answer of the service does not prove that a user is out: each is looked at after the call, and
 * deactivated again if the account still works. All follows from what is stored, so that a crash loses nothing.
 */
export async function followLeavers(
  deps: WatchDeps,
  signal: AbortSignal,
  isTold: boolean,
): Promise<undefined> {
  const { store, clock } = deps;
  if (isTold) await clock.sleep(GATHER_MS, signal);
  const leaving = { left_at: { '<>': null }, out_at: null } as const;
  for await (const rows of readRows(store.read, 'user', { limit: PART, where: leaving })) {
    await judgeAll(deps, rows);
    signal.throwIfAborted();
  }
}

/** Stores in one transaction what became of these users, or what is to be done about them. */
async function judgeAll(deps: WatchDeps, rows: readonly UserRow[]): Promise<void> {
  const judged: (readonly [UserRow, Exclude<Verdict, 'waits'>])[] = [];
  for (const row of rows) {
    const verdict = await judge(deps, row);
    if (verdict !== 'waits') judged.push([row, verdict]);
  }
  if (judged.length === 0) return;
  const now = deps.clock.now();
  await deps.store.write(async (tx) => {
    for (const [row, verdict] of judged) {
      const locked = await lockRow(tx, row);
      // Unless the user was written since.
      if (locked?.version !== row.version) continue;
      await updateRow(tx, locked, toChange(locked, verdict, now));
    }
  });
  if (judged.every(([, verdict]) => typeof verdict === 'object')) return;
  // What the look shows is news of those who left.
  for (const what of ['due', 'left'] as const) deps.store.bell.ring(what);
}

function toChange(row: UserRow, verdict: Exclude<Verdict, 'waits'>, now: number) {
  if (verdict === 'unproven') {
    return { must_look: row.must_look + 1, due_at: now, due_class: 2 } as const;
  }
  if (verdict === 'undone') {
    const cells = askAgain(parseCells<UserField>(row), ['active'], row.version);
    return { cells: JSON.stringify(cells), due_at: now, due_class: 0 } as const;
  }
  const { outAt } = verdict;
  return { left_at: outAt === null ? null : row.left_at, out_at: outAt };
}

/**
 * What is known of a leaver:
 * - `outAt`: a look showed then that the account does not work (epoch milliseconds); null: the person is wanted in again,
 *   or has no account
 * - `waits`: the change is on its way, or an operator holds it back
 * - `unproven`: nothing was observed since the call but its answer: a look
 * - `undone`: the call is done, and the account was seen to work after that: the call again
 */
type Verdict = { readonly outAt: number | null } | 'waits' | 'unproven' | 'undone';

async function judge({ store, policy }: WatchDeps, row: UserRow): Promise<Verdict> {
  const state = toUserState(row);
  const { desired, observed } = state;
  if (!isOut(desired)) return { outAt: null };
  if (isOnItsWay(state)) return 'waits';
  const hasAccount = mayHaveAccount(state);
  if (observed === undefined) return hasAccount ? 'waits' : { outAt: null };
  if (isGone(observed)) return { outAt: observed.goneAt ?? observed.at };
  const since = { id: row.id, from: row.left_at ?? 0, until: Number.MAX_SAFE_INTEGER };
  const call = await findRemovalCall(store.read, since);
  if (isOut(observed)) return isProof(observed, call) ? { outAt: observed.at } : 'unproven';
  if (!hasAccount) return { outAt: null };
  const isUndone = call?.outcome === 'done' && observed.at > call.at;
  return isUndone && !isWantedActive(desired, policy.deactivation) ? 'undone' : 'waits';
}

function isOnItsWay({ cells, mustLook }: UserState): boolean {
  return mustLook || [cells.active, cells.account, cells.temporarilyInactive].some(isWaiting);
}

/** True for an observation after the call, and not by its answer: a service may answer and do nothing. */
function isProof(observed: ObservedUser, call: { readonly at: number } | undefined): boolean {
  return observed.by !== scim.updateUser.id && observed.at >= (call?.at ?? 0);
}

function isOut({
  active,
  temporarilyInactive,
}: Pick<DesiredUser | ObservedUser, 'active' | 'temporarilyInactive'>): boolean {
  return !active || temporarilyInactive === true;
}

/** True also while a create whose answer was lost may have left one. */
function mayHaveAccount({ upstreamId, sentCreates }: UserState): boolean {
  return upstreamId !== undefined || sentCreates.length > 0;
}
