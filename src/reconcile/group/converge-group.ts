import { isWaiting } from '../../domain/cell.ts';
import type { GroupState } from '../../domain/group.ts';
import { planGroup, toPlannableGroup } from '../../plan/plan-group.ts';
import { toGroupChanges } from '../../plan/to-changes.ts';
import { findGroupRow, toGroupState } from '../../store/groups/groups.ts';
import { type GroupUndo, isGroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Problem } from '../outcome.ts';
import type { ResourceKind } from '../resource-kind.ts';
import type { Waiters } from '../waiters.ts';
import { applyGroupAction } from './apply.ts';
import { listGroupLinks } from './finish-step.ts';
import type { GroupOutcome, GroupTypes } from './outcome.ts';
import { groupRecorder } from './record.ts';

/** Length of one wait for more changes, in milliseconds: requests that are on their way keep the process busy for longer. */
const PAUSE_MS = 3;
/** Largest number of waits: a quarter of a second in all. */
const PAUSES_MAX = 80;

/** Makes the kind of groups, with their members and admin lists; `waiters` are the requests that wait for one. */
export function convergeGroups(
  deps: ReconcileDeps,
  waiters: Waiters<GroupUndo>,
): ResourceKind<GroupTypes> {
  /** Plans batches only while the service is not known to refuse them. */
  function toPolicies(): GroupTypes['policies'] {
    const { groupDeletion: deletion, membersPerCall: largest } = deps.policy;
    const { memberForm, membersPerCall = largest, inactiveMembers } = deps.quirks.current();
    const many = Math.min(membersPerCall, largest);
    const policy = { membersPerCall: memberForm === 'single' ? 1 : many, deletion };
    return { policy, inactiveWait: inactiveMembers === false };
  }

  async function load(db: Db, id: string): Promise<GroupState | undefined> {
    const row = await findGroupRow(db, id);
    if (row === undefined) return undefined;
    const now = deps.clock.now();
    const links = await listGroupLinks(db, row.id, { ...toPolicies(), now });
    const state = toPlannableGroup(toGroupState(row, links), now);
    // A create may have left, so look before creating again.
    const mayExist = state.sentCreates.length > 0 && isWaiting(state.cells.existence);
    return mayExist && !state.deleted ? { ...state, mustLook: true } : state;
  }

  /**
   * Gathers the changes that providers send as many requests at the same time. When some came during a call, more are
   * expected: while they come, and for a quarter of a second at most, the run waits, so that they go in one call.
   */
  async function gather(next: GroupState): Promise<GroupState> {
    let state = next;
    const { membersPerCall } = toPolicies().policy;
    for (let pauses = 0; pauses < PAUSES_MAX; pauses += 1) {
      const { length } = state.members;
      if (state.mustLook || length === 0 || length >= membersPerCall) break;
      await deps.clock.sleep(PAUSE_MS);
      const loaded = await load(deps.store.read, state.id);
      if (loaded === undefined || loaded.version === state.version) break;
      state = loaded;
    }
    return state;
  }

  return {
    ...groupRecorder,
    noNews: {},
    waiters,
    isUndo: isGroupUndo,
    load,
    planNext: (state) => planGroup(state, toPolicies().policy).actions[0],
    toChanges: toGroupChanges,
    toSentCreate: (action) =>
      action.kind === 'create-group' ? { name: action.displayName } : undefined,
    apply: applyGroupAction,
    toPolicies,
    mayRefuse,
    findRefusal,
    gather,
  };
}

/** True when the group or members were refused, or the group that was found may be another one's. */
function mayRefuse(outcome: GroupOutcome): boolean {
  if (outcome.kind !== 'done') return outcome.kind === 'refused';
  const { ids, refusedMembers = [] } = outcome.known;
  return ids !== undefined || refusedMembers.length > 0;
}

/** Finds the problem of a refusal: of the group itself, or of single members of a batch. */
function findRefusal(outcome: GroupOutcome): Problem | undefined {
  if (outcome.kind === 'refused') return outcome.problem;
  if (outcome.kind !== 'done') return undefined;
  const { refusedMembers = [], failedLinks = [] } = outcome.known;
  return [...refusedMembers, ...failedLinks][0]?.problem;
}
