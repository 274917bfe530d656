import type { GroupState } from '../../domain/group.ts';
import type { GroupAction } from '../../plan/actions.ts';
import { type GroupPolicy, planGroup } from '../../plan/plan-group.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { Convergeable } from '../converge.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Problem } from '../outcome.ts';
import { recordHeld } from '../record-held.ts';
import { tellDeleted } from '../tell-deleted.ts';
import { tellStuck } from '../tell-stuck.ts';
import type { Waiters } from '../waiters.ts';
import { applyGroupAction } from './apply.ts';
import { gather } from './gather.ts';
import { type LinkQuery, loadGroup } from './load.ts';
import type { GroupKnown, GroupOutcome, GroupPart } from './outcome.ts';
import { recordGroupStep } from './record.ts';

/** What the convergence of groups shares with the requests that wait for it. */
export interface GroupLane {
  readonly waiters: Waiters<GroupUndo>;
}

/** How groups are converged, with their members and admin lists. */
export function convergeGroups(
  deps: ReconcileDeps,
  { waiters }: GroupLane,
): Convergeable<GroupState, GroupAction, GroupKnown, GroupPart> {
  const toQuery = (): LinkQuery => ({
    policy: toPolicy(deps),
    inactiveWait: deps.forms.current().inactiveMembers === false,
    now: deps.clock.now(),
  });

  async function load(db: Db, id: string): Promise<GroupState | undefined> {
    const state = await loadGroup(db, id, toQuery());
    if (state === undefined) return undefined;
    // A create may have left: look before creating again.
    const mayExist = state.sentCreates.length > 0 && state.pending.existence !== undefined;
    return mayExist && !state.deleted ? { ...state, mustLook: true } : state;
  }

  return {
    noNews: {},
    load,
    planNext: (state) => planGroup(state, toPolicy(deps)).actions[0],
    toSentCreate: (action) =>
      action.kind === 'create-group' ? { name: action.displayName } : undefined,
    apply: (upstream, state, action) => applyGroupAction({ ...deps, upstream }, state, action),
    async record(planned, { lease, outcome, isOwn, failures }, also) {
      const key = { type: 'group', id: planned.id } as const;
      const since = deps.clock.now();
      const recorded = await recordHeld(waiters.hold(key), (undos) =>
        deps.store.write(async (tx) => {
          const stored = await recordGroupStep(tx, {
            ...toQuery(),
            planned,
            outcome,
            lease,
            undos,
            rules: deps.rules,
            isOwn,
            failures,
            attemptsMax: deps.policy.attemptsMax,
            random: deps.random(),
          });
          await also(tx);
          return stored;
        }),
      );
      tellDeleted(deps.events, key, { planned, recorded });
      const problem = findRefusal(outcome);
      if (problem || planned.mustLook) await tellStuck(deps, { key, code: problem?.code, since });
      const { membersPerCall } = toPolicy(deps);
      const loadAgain = () => load(deps.store.read, planned.id);
      return gather({ clock: deps.clock, membersPerCall, planned, recorded, load: loadAgain });
    },
  };
}

/** Why something of the step was refused: the group's own, or single members of a batch. */
function findRefusal(outcome: GroupOutcome): Problem | undefined {
  if (outcome.kind === 'refused') return outcome.problem;
  if (outcome.kind !== 'done') return undefined;
  const { refusedMembers = [], failedLinks = [] } = outcome.known;
  return [...refusedMembers, ...failedLinks][0]?.problem;
}

/** Batches are planned only while the service is not known to refuse them. */
function toPolicy({ policy, forms }: ReconcileDeps): GroupPolicy {
  const { memberForm, membersPerCall = policy.membersPerCall } = forms.current();
  return {
    membersPerCall: memberForm === 'single' ? 1 : Math.min(membersPerCall, policy.membersPerCall),
    deletion: policy.groupDeletion,
  };
}
