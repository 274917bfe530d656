import type { LinkChange, SettledLink } from '../../domain/group.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import { judge } from '../verdict.ts';
import { listBatchForms, readMembers, type SentBatch, sendBatch } from './batch-form.ts';
import { changeMember } from './change-link.ts';
import type { MemberBatch } from './change-members.ts';
import type { GroupOutcome, GroupPart, RefusedMember } from './outcome.ts';

/** The smallest content that can tell a refused form from a refused member. */
const PAIR = 2;
/** So many refused and fewer taken: halves would cost more than they save. */
const REFUSED_MANY = 5;

/** What has come of it so far. */
interface Tally {
  readonly done: SettledLink[];
  readonly refused: RefusedMember[];
  /** Why nothing more is tried now. */
  end?: GroupOutcome;
}

/** What every part of the batch is given. */
interface Parts extends MemberBatch {
  readonly tally: Tally;
}

/**
 * Changes what no form was taken for as a whole: looks who is in the group, then goes down by halves to
 * whom the service refuses, so that everybody else is in with few calls. Who is refused alone is refused.
 */
export async function changeInParts(
  deps: ReconcileDeps,
  context: CallContext,
  batch: MemberBatch,
): Promise<GroupOutcome> {
  const tally: Tally = { done: [], refused: [] };
  const left = await listLeft(deps, context, { ...batch, tally });
  if (tally.end) return tally.end;
  await halve(deps, context, { ...batch, changes: left, tally });
  const isNothing = tally.done.length + tally.refused.length === 0;
  if (isNothing && tally.end) return tally.end;
  // Whatever stopped us, the next step meets it again and says so.
  const { done, refused } = tally;
  return {
    kind: 'done',
    known: { members: done, ...(refused.length > 0 && { refusedMembers: refused }) },
  };
}

/** Whose change does not hold yet; a part of a refused batch may have been done. */
async function listLeft(
  deps: ReconcileDeps,
  context: CallContext,
  { state, changes, scimId, tally }: Parts,
): Promise<readonly LinkChange[]> {
  if (scimId === undefined) return changes;
  try {
    const memberIds = await readMembers(deps, context, scimId);
    if (memberIds === undefined) return changes;
    const members = new Set(memberIds);
    const isHeld = (change: LinkChange) => members.has(change.upstreamUserId) === change.wanted;
    const held = changes.filter(isHeld);
    tally.done.push(...held.map((change): SettledLink => ({ ...change, heldAlready: true })));
    return changes.filter((change) => !isHeld(change));
  } catch (error) {
    const judged = judge(error);
    // The group is there under another id: then nobody is known to be in it.
    if (judged.verdict === 'missing' && state.missed === 'found') return changes;
    const parts = changes.map((change): GroupPart => ({ kind: 'member', change }));
    const about = { parts, section: 'groups', missed: state.missed } as const;
    tally.end = await toFailure(deps, judged, about);
    return [];
  }
}

/** Two halves of what was refused, each as a whole first. */
async function halve(deps: ReconcileDeps, context: CallContext, parts: Parts): Promise<void> {
  const { changes } = parts;
  const forms = parts.scimId === undefined ? [] : listBatchForms(deps);
  if (changes.length <= 1 || forms.length === 0) return changeSingly(deps, context, parts);
  if (changes.length === PAIR) return changePair(deps, context, parts);
  // While no form is known, a pair tells with the fewest calls which one is taken.
  const middle = forms.length > 1 ? PAIR : Math.ceil(changes.length / 2);
  for (const half of [changes.slice(0, middle), changes.slice(middle)]) {
    await change(deps, context, { ...parts, changes: half });
  }
}

/** All of it with one call, or its halves. */
async function change(deps: ReconcileDeps, context: CallContext, parts: Parts): Promise<void> {
  const { changes, scimId, tally } = parts;
  const { missed } = parts.state;
  const { done, refused } = tally;
  if (tally.end) return;
  const forms = scimId === undefined ? [] : listBatchForms(deps);
  const isHopeless = refused.length >= REFUSED_MANY && refused.length > done.length;
  if (scimId === undefined || forms.length === 0 || changes.length <= 1 || isHopeless) {
    return changeSingly(deps, context, parts);
  }
  const sent: SentBatch = await sendBatch(deps, context, { changes, scimId, forms, missed });
  if (sent.kind === 'taken') tally.done.push(...changes);
  else if (sent.kind === 'ended') tally.end = sent.outcome;
  else await halve(deps, context, parts);
}

/** A pair that was refused as a pair: where both are taken one by one, it was the form that was refused. */
async function changePair(deps: ReconcileDeps, context: CallContext, parts: Parts): Promise<void> {
  const before = parts.tally.done.length;
  await changeSingly(deps, context, parts);
  const taken = parts.tally.done.slice(before).filter(({ heldAlready }) => !heldAlready);
  if (taken.length < PAIR) return;
  await deps.forms.learn({ memberForm: 'single', memberFormAt: deps.clock.now() });
}

async function changeSingly(
  deps: ReconcileDeps,
  context: CallContext,
  { state, changes, tally }: Parts,
): Promise<void> {
  for (const change of changes) {
    if (tally.end) return;
    const outcome = await changeMember(deps, context, { state, change });
    if (outcome.kind === 'done') tally.done.push(...(outcome.known.members ?? []));
    else if (outcome.kind === 'refused') tally.refused.push({ change, problem: outcome.problem });
    else tally.end = outcome;
  }
}
