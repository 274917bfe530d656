import type { DoneLink, GroupState, LinkChange } from '../../domain/group.ts';
import type { GroupActionOf } from '../../plan/actions.ts';
import { toLinkChanges } from '../../plan/to-changes.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { Outcome, RefusedLink } from '../outcome.ts';
import { classify } from '../verdict.ts';
import {
  type BatchForm,
  listBatchForms,
  listOtherForms,
  type SentBatch,
  sendBatch,
} from './batch-form.ts';
import { changeLink, toFound } from './change-link.ts';
import { fetchScimMembers } from './fetch-lists.ts';
import { learnScimId } from './learn-scim-id.ts';

/**
 * Changes many members with one SCIM call. The shape of the operations is not documented, so forms are tried until one
 * is taken. A batch that is refused in every form, or that fails again, is done in ever smaller parts.
 */
export async function changeMembers(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action: { changes } }: { state: GroupState; action: GroupActionOf<'change-members'> },
): Promise<Outcome> {
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
      return { kind: 'done', known: { links: changes, ids: { scimId } } };
    case 'ended':
      return sent.outcome;
    case 'refused': {
      const parts = { state, changes, scimId, isolates };
      return withScimId(await changeInParts(deps, context, parts), scimId);
    }
  }
}

function withScimId(outcome: Outcome, scimId: string): Outcome {
  if (outcome.kind !== 'done') return outcome;
  return { kind: 'done', known: { ...outcome.known, ids: { scimId } } };
}

/** Smallest batch that can tell a refused form from a refused member. */
const PAIR = 2;
/** Refusals from which, with fewer successes, halving costs more than it saves. */
const REFUSED_MANY = 5;
/** Failures in a row, with no success, after which the service is taken to be failing. */
const FAILED_MANY = 3;

/** Results of the parts so far. */
interface BatchProgress {
  readonly done: DoneLink[];
  readonly refused: RefusedLink[];
  /** Members with an unknown result, because the call for them alone failed. */
  readonly failed: RefusedLink[];
  /** True when a call of this step has changed a member. */
  isTaken: boolean;
  /** Number of pairs that were taken one by one after they were refused as a pair. */
  pairsSplit: number;
  /** Reason why nothing more is tried now. */
  end?: Outcome;
}

/** Membership changes of one group, and where to send them. */
export interface MemberBatch {
  readonly state: GroupState;
  readonly changes: readonly LinkChange[];
  /** Undefined when only one member a call can be changed. */
  readonly scimId: string | undefined;
  /** True when it has failed before: the members that cause it are found and rest, as far as others are taken. */
  readonly isolates: boolean;
}

/** Batch with its results so far, given to every part. */
interface Parts extends MemberBatch {
  readonly progress: BatchProgress;
}

/**
 * Changes a batch that was refused as a whole: reads the members of the group, then halves the batch until the refused
 * members are found, so that all others need few calls.
 * Where the batch failed before, the members that fail are found in the same way; the failure is theirs alone if others
 * were taken.
 */
async function changeInParts(
  deps: ReconcileDeps,
  context: CallContext,
  batch: MemberBatch,
): Promise<Outcome> {
  const progress: BatchProgress = {
    done: [],
    refused: [],
    failed: [],
    isTaken: false,
    pairsSplit: 0,
  };
  const parts: Parts = { ...batch, progress };
  const left = await listLeft(deps, context, parts);
  if (progress.end) return progress.end;
  await halve(deps, context, { ...parts, changes: rotate(left, deps.random()) });
  const { done, refused, failed } = progress;
  if (done.length + refused.length === 0 && progress.end) return progress.end;
  const [first] = failed;
  if (done.length + refused.length === 0 && first && !progress.isTaken) {
    return { kind: 'unknown', problem: first.problem, parts: left };
  }
  // The next step meets the obstacle again and reports it.
  return {
    kind: 'done',
    known: {
      links: done,
      ...(refused.length > 0 && { refusedLinks: refused }),
      ...(progress.isTaken && !progress.end && failed.length > 0 && { failedLinks: failed }),
    },
  };
}

/** Begins at another member each time, so that a few failing members never hide one that works. */
function rotate(changes: readonly LinkChange[], random: number): readonly LinkChange[] {
  const failures = Math.max(0, ...changes.map(({ attempts = 0 }) => attempts));
  if (failures === 0) return changes;
  const begun = (failures - 1) * FAILED_MANY + Math.floor(random * changes.length);
  const start = begun % changes.length;
  return [...changes.slice(start), ...changes.slice(0, start)];
}

/** Lists the changes that do not hold yet; part of a refused batch may have been done. */
async function listLeft(
  deps: ReconcileDeps,
  context: CallContext,
  { state, changes, scimId, progress }: Parts,
): Promise<readonly LinkChange[]> {
  if (scimId === undefined) return changes;
  try {
    const memberIds = await fetchScimMembers(deps, context, scimId);
    if (memberIds === undefined) return changes;
    const members = new Set(memberIds);
    const isHeld = (change: LinkChange) => members.has(change.upstreamUserId) === change.wanted;
    const held = changes.filter(isHeld);
    progress.done.push(...held.map(toFound));
    return changes.filter((change) => !isHeld(change));
  } catch (error) {
    const classified = classify(error);
    // The group exists under another id, so nothing is known of its members.
    if (classified.verdict === 'missing' && state.missed === 'found') return changes;
    const about = { parts: changes, section: 'groups', missed: state.missed } as const;
    progress.end = await toFailure(deps, classified, about);
    return [];
  }
}

/** Sends two halves of a refused batch, each as a whole first. */
async function halve(deps: ReconcileDeps, context: CallContext, parts: Parts): Promise<void> {
  const { changes } = parts;
  const forms = parts.scimId === undefined ? [] : listBatchForms(deps);
  if (changes.length <= 1 || forms.length === 0) return changeSingly(deps, context, parts);
  if (changes.length === PAIR) return changePair(deps, context, parts);
  // While no form is known, a pair finds the working form with the fewest calls.
  const middle = forms.length > 1 ? PAIR : Math.ceil(changes.length / 2);
  for (const half of [changes.slice(0, middle), changes.slice(middle)]) {
    await change(deps, context, { ...parts, changes: half });
  }
}

/** Sends all with one call, or in halves. */
async function change(deps: ReconcileDeps, context: CallContext, parts: Parts): Promise<void> {
  const { changes, progress } = parts;
  const { done, refused } = progress;
  if (isOver(progress)) return;
  const forms = listBatchForms(deps);
  const isHopeless = refused.length >= REFUSED_MANY && refused.length > done.length;
  if (forms.length === 0 || changes.length <= 1 || isHopeless) {
    return changeSingly(deps, context, parts);
  }
  if (await isRefused(deps, context, { parts, forms })) await halve(deps, context, parts);
}

/**
 * Sends the changes with one call, in one of the forms. False when they were taken, or when nothing more is tried now.
 */
async function isRefused(
  deps: ReconcileDeps,
  context: CallContext,
  { parts, forms }: { parts: Parts; forms: readonly BatchForm[] },
): Promise<boolean> {
  const { state, changes, scimId, isolates, progress } = parts;
  if (scimId === undefined || forms.length === 0) return true;
  const batch = { changes, scimId, forms, missed: state.missed, isolates };
  const sent: SentBatch = await sendBatch(deps, context, batch);
  if (sent.kind === 'taken') {
    progress.isTaken = true;
    progress.done.push(...changes);
  }
  if (sent.kind === 'ended') progress.end = sent.outcome;
  return sent.kind === 'refused';
}

/** Changes a pair that was refused as a pair: where both are taken one by one, the form was refused. */
async function changePair(deps: ReconcileDeps, context: CallContext, parts: Parts): Promise<void> {
  const before = parts.progress.done.length;
  // A known form may have stopped working for good while another one works.
  const forms = parts.isolates ? listOtherForms(deps) : [];
  if (!(await isRefused(deps, context, { parts, forms }))) return;
  await changeSingly(deps, context, parts);
  const taken = parts.progress.done.slice(before).filter(({ heldAlready }) => !heldAlready);
  if (taken.length < PAIR) return;
  parts.progress.pairsSplit += 1;
  // One failed pair may have been an outage that just ended; a second one after successes was not.
  if (parts.isolates && parts.progress.pairsSplit < 2) return;
  await deps.quirks.learn({ memberForm: 'single', memberFormAt: deps.clock.now() });
}

async function changeSingly(
  deps: ReconcileDeps,
  context: CallContext,
  parts: Parts,
): Promise<void> {
  const { uid, scimId } = parts.state.ids;
  for (const change of parts.changes) {
    if (isOver(parts.progress)) return;
    const isListed = parts.scimId !== undefined;
    const alone = { ...context, changes: toLinkChanges([change], uid ?? scimId) };
    const step = { state: parts.state, change, isListed };
    const outcome = await changeLink(deps, alone, step);
    count(parts, change, outcome);
  }
}

function count({ isolates, progress }: Parts, change: LinkChange, outcome: Outcome): void {
  if (outcome.kind === 'done') {
    progress.isTaken = true;
    progress.done.push(...(outcome.known.links ?? []));
    return;
  }
  const link: RefusedLink = { ...change, problem: outcome.problem };
  if (outcome.kind === 'refused') {
    progress.refused.push(link);
    return;
  }
  const isFailed = isolates && outcome.kind === 'unknown' && !outcome.lookNow;
  if (!isFailed) progress.end = outcome;
  // The batch failed with this member, and so did the call for the member alone.
  else progress.failed.push({ ...link, attempts: (change.attempts ?? 0) + 1 });
}

/** True when nothing more is tried now: there is an obstacle, or the service fails. */
function isOver({ end, isTaken, failed }: BatchProgress): boolean {
  return end !== undefined || (!isTaken && failed.length >= FAILED_MANY);
}
