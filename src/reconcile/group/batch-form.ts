import type { LinkChange } from '../../domain/group.ts';
import type { Missed } from '../../domain/resource-state.ts';
import { toLinkChanges } from '../../plan/to-changes.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { Outcome } from '../outcome.ts';
import type { MemberForm } from '../quirks.ts';
import { type Classified, classify } from '../verdict.ts';
import { fetchScimMembers, parseScimGroupOf } from './fetch-lists.ts';

/**
 * Largest answer against which a proven form is still checked. The answer to one new member of a group of 10,000 is a
 * megabyte, which is not worth reading then.
 */
const VERIFIED_BYTES_MAX = 128 * 1_024;

/** Form in which several members are written in one call. */
export type BatchForm = Exclude<MemberForm, 'single'>;

/** Members to be changed with one call, and the forms to be tried. */
export interface Batch {
  readonly changes: readonly LinkChange[];
  readonly scimId: string;
  readonly forms: readonly BatchForm[];
  readonly missed: Missed | undefined;
  /** True when it has failed before: a failure then counts like a refusal, and smaller parts show its cause. */
  readonly isolates: boolean;
}

/**
 * Result of a batch: taken, refused in every form (because of the form, of a member or of the size), or ended in
 * another way.
 */
export type SentBatch =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly isTooLarge: boolean }
  | { readonly kind: 'ended'; readonly outcome: Outcome };

const BATCH_FORMS: readonly BatchForm[] = ['operations', 'array'];

/** Lists the forms to be tried: the known one, or all while none is known. */
export function listBatchForms({ quirks }: ReconcileDeps): readonly BatchForm[] {
  const { memberForm } = quirks.current();
  if (memberForm === 'single') return [];
  return memberForm === undefined ? BATCH_FORMS : [memberForm];
}

/** Lists the forms beside the known one, which may have stopped working; none where the settings name the form. */
export function listOtherForms({ quirks }: ReconcileDeps): readonly BatchForm[] {
  const { memberForm } = quirks.current();
  if (quirks.isFixed('memberForm') || memberForm === undefined) return [];
  return BATCH_FORMS.filter((form) => form !== memberForm);
}

/** Sends a batch in one form after the other until one is taken, and remembers that one. */
export async function sendBatch(
  deps: ReconcileDeps,
  context: CallContext,
  batch: Batch,
): Promise<SentBatch> {
  for (const form of batch.forms) {
    const sent = await sendInForm(deps, context, { ...batch, form });
    if (sent.kind !== 'refused') return sent;
    if (!sent.isTooLarge) continue;
    await learnSize(deps, batch.changes.length);
    return sent;
  }
  return { kind: 'refused', isTooLarge: false };
}

/** Remembers half the size of a batch that was too large, for a day. */
async function learnSize({ quirks, clock }: ReconcileDeps, size: number): Promise<void> {
  const membersPerCall = Math.max(1, Math.floor(size / 2));
  await quirks.learn({ membersPerCall, membersPerCallAt: clock.now() });
}

async function sendInForm(
  deps: ReconcileDeps,
  context: CallContext,
  { changes, scimId, form, missed, isolates }: Batch & { readonly form: BatchForm },
): Promise<SentBatch> {
  const known = deps.quirks.current().memberForm === form;
  try {
    const args = { path: { group_id: scimId }, body: { Operations: toOperations(changes, form) } };
    const options = {
      ...context,
      changes: toLinkChanges(changes, scimId),
      ...(known && { skipAnswerAboveBytes: VERIFIED_BYTES_MAX }),
    };
    const answer = await deps.upstream.call(scim.updateGroup, args, options);
    const listed = answer === undefined ? undefined : parseScimGroupOf(scimId, answer).memberIds;
    // What the service took before and did not make is not believed again.
    const isBelieved = known && !changes.some(({ ignored }) => ignored);
    const memberIds =
      listed ?? (isBelieved ? undefined : await fetchScimMembers(deps, context, scimId));
    // A call without effect counts as refused.
    if (memberIds && !holds(changes, memberIds)) return { kind: 'refused', isTooLarge: false };
    await deps.quirks.learn({ memberForm: form });
    return { kind: 'taken' };
  } catch (error) {
    const classified = classify(error);
    if (isAboutBatch(classified, missed) || (isolates && classified.verdict === 'unknown')) {
      return { kind: 'refused', isTooLarge: classified.verdict === 'smaller' };
    }
    const about = { parts: changes, section: 'groups', missed } as const;
    return { kind: 'ended', outcome: await toFailure(deps, classified, about) };
  }
}

/** True when a refusal may concern the form, one member or the size; smaller parts show which. */
function isAboutBatch({ verdict }: Classified, missed: Missed | undefined): boolean {
  // The group exists, so a member of the batch is missing.
  if (verdict === 'missing') return missed === 'found';
  return verdict === 'refused' || verdict === 'smaller' || verdict === 'conflict';
}

function toOperations(changes: readonly LinkChange[], form: BatchForm): object[] {
  const op = (wanted: boolean) => (wanted ? 'add' : 'remove');
  if (form === 'operations') {
    return changes.map(({ wanted, upstreamUserId }) => ({
      op: op(wanted),
      path: 'members',
      value: upstreamUserId,
    }));
  }
  return [false, true].flatMap((wanted) => {
    const ids = changes.filter((change) => change.wanted === wanted);
    if (ids.length === 0) return [];
    const value = ids.map(({ upstreamUserId }) => ({ value: upstreamUserId }));
    return [{ op: op(wanted), path: 'members', value }];
  });
}

function holds(changes: readonly LinkChange[], memberIds: readonly number[]): boolean {
  const members = new Set(memberIds);
  return changes.every(({ upstreamUserId, wanted }) => members.has(upstreamUserId) === wanted);
}
