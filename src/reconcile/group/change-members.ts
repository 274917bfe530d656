import type { GroupState, LinkChange } from '../../domain/group.ts';
import type { ChangeMembers } from '../../plan/actions.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { listBatchForms, sendBatch } from './batch-form.ts';
import { changeInParts } from './change-in-parts.ts';
import { learnScimId } from './learn-scim-id.ts';
import type { GroupOutcome } from './outcome.ts';

/**
 * Changes many members with one SCIM call. The shape of the operations is not documented, so forms are
 * tried until one is taken; what no form is taken for is done in ever smaller parts, and so is what fails again.
 */
export async function changeMembers(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action: { changes } }: { state: GroupState; action: ChangeMembers },
): Promise<GroupOutcome> {
  const isolates = changes.some(({ attempts }) => attempts !== undefined);
  const learned = await learnScimId(deps, context, state);
  if (learned.kind === 'failed' && !isolates) return learned.outcome;
  const scimId = learned.kind === 'failed' ? undefined : learned.scimId;
  const forms = scimId === undefined ? [] : listBatchForms(deps);
  if (scimId === undefined || forms.length === 0) {
    return changeInParts(deps, context, { state, changes, scimId: undefined, isolates });
  }
  const { missed } = state;
  const sent = await sendBatch(deps, context, { changes, scimId, forms, missed, isolates });
  switch (sent.kind) {
    case 'taken':
      return { kind: 'done', known: { members: changes, ids: { scimId } } };
    case 'ended':
      return sent.outcome;
    case 'refused': {
      const parts = { state, changes, scimId, isolates };
      return withScimId(await changeInParts(deps, context, parts), scimId);
    }
  }
}

function withScimId(outcome: GroupOutcome, scimId: string): GroupOutcome {
  if (outcome.kind !== 'done') return outcome;
  return { kind: 'done', known: { ...outcome.known, ids: { scimId } } };
}

/** People of one group whose membership is to change, and where. */
export interface MemberBatch {
  readonly state: GroupState;
  readonly changes: readonly LinkChange[];
  /** Undefined: only one person a call can be changed. */
  readonly scimId: string | undefined;
  /** It has failed before: whoever causes that is found and rests, as far as others are taken. */
  readonly isolates: boolean;
}
