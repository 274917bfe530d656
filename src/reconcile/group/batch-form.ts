import type { LinkChange } from '../../domain/group.ts';
import type { Missed } from '../../domain/missed.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { MemberForm } from '../quirks.ts';
import { type Classified, classify } from '../verdict.ts';
import type { GroupOutcome, GroupPart } from './outcome.ts';

/**
 * A proven form is still checked against the answer where that is cheap. The answer to one new member of
 * a group of 10,000 is a megabyte, which a proven form does not deserve.
 */
const VERIFIED_BYTES_MAX = 128 * 1_024;

/** How several members are written in one call. */
export type BatchForm = Exclude<MemberForm, 'single'>;

/** People to be changed with one call, and the forms that may be tried for it. */
export interface Batch {
  readonly changes: readonly LinkChange[];
  readonly scimId: string;
  readonly forms: readonly BatchForm[];
  readonly missed: Missed | undefined;
  /** It has failed before, so that a failure counts like a refusal: smaller parts tell whom or what it is about. */
  readonly isolates: boolean;
}

/**
 * What became of a batch: the service took it, no form was taken for it (it is about the form, about
 * somebody in it or about its size), or something else went wrong.
 */
export type SentBatch =
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly isTooLarge: boolean }
  | { readonly kind: 'ended'; readonly outcome: GroupOutcome };

const BATCH_FORMS: readonly BatchForm[] = ['operations', 'array'];

/** The forms that may be taken: the known one, or all of them while none is known. */
export function listBatchForms({ quirks }: ReconcileDeps): readonly BatchForm[] {
  const { memberForm } = quirks.current();
  if (memberForm === 'single') return [];
  return memberForm === undefined ? BATCH_FORMS : [memberForm];
}

/** The forms beside the known one, which may have stopped working; none where the settings name it. */
export function listOtherForms({ quirks }: ReconcileDeps): readonly BatchForm[] {
  const { memberForm } = quirks.current();
  if (quirks.isFixed('memberForm') || memberForm === undefined) return [];
  return BATCH_FORMS.filter((form) => form !== memberForm);
}

/** Sends a batch in one form after the other until one is taken, which is remembered. */
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

/** A batch that is too large is not planned again for a day. */
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
    const options = known ? { ...context, skipAnswerAboveBytes: VERIFIED_BYTES_MAX } : context;
    const answer = await deps.upstream.call(scim.updateGroup, args, options);
    const listed = answer === undefined ? undefined : parseScimGroup(answer).memberIds;
    const memberIds = listed ?? (known ? undefined : await readMembers(deps, context, scimId));
    // Taken without effect: for us the same as refused.
    if (memberIds && !holds(changes, memberIds)) return { kind: 'refused', isTooLarge: false };
    await deps.quirks.learn({ memberForm: form });
    return { kind: 'taken' };
  } catch (error) {
    const classified = classify(error);
    if (isAboutBatch(classified, missed) || (isolates && classified.verdict === 'unknown')) {
      return { kind: 'refused', isTooLarge: classified.verdict === 'smaller' };
    }
    const parts = changes.map((change): GroupPart => ({ kind: 'member', change }));
    const about = { parts, section: 'groups', missed } as const;
    return { kind: 'ended', outcome: await toFailure(deps, classified, about) };
  }
}

/** Who is in the group, by numeric id; undefined where the service does not list them. @throws UpstreamError */
export async function readMembers(
  { upstream }: ReconcileDeps,
  context: CallContext,
  scimId: string,
): Promise<readonly number[] | undefined> {
  const answer = await upstream.call(scim.getGroup, { path: { group_id: scimId } }, context);
  return parseScimGroup(answer).memberIds;
}

/** A refusal may be about the form, about one member, or about the size; smaller parts tell. */
function isAboutBatch({ verdict }: Classified, missed: Missed | undefined): boolean {
  // The group is there, so it is somebody in the batch who is not.
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
