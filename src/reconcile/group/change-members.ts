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
 * `failures`: how often such calls for this group failed since one worked.
 */
export async function changeMembers(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action, failures }: { state: GroupState; action: ChangeMembers; failures: number },
): Promise<GroupOutcome> {
  const { changes } = action;
  const learned = await learnScimId(deps, context, state);
  if (learned.kind === 'failed' && failures === 0) return learned.outcome;
  const scimId = learned.kind === 'failed' ? undefined : learned.scimId;
  const forms = scimId === undefined ? [] : listBatchForms(deps);
  if (scimId === undefined || forms.length === 0) {
    return changeInParts(deps, context, { state, changes, scimId: undefined, failures });
  }
  const { missed } = state;
  const isolates = failures > 0;
  const sent = await sendBatch(deps, context, { changes, scimId, forms, missed, isolates });
  switch (sent.kind) {
    case 'taken':
      return { kind: 'done', known: { members: changes, ids: { scimId } } };
    case 'ended':
      return sent.outcome;
    case 'refused':
      return withScimId(
        await changeInParts(deps, context, { state, changes, scimId, failures }),
        scimId,
      );
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
  /** How often it failed before. If it did, whoever causes that is found and rests, as far as others are taken. */
  readonly failures: number;
}
