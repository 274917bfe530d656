import type { GroupState, LinkChange, SettledLink } from '../../domain/group.ts';
import type { ChangeMembers } from '../../plan/actions.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { MemberForm } from '../forms.ts';
import type { Problem } from '../outcome.ts';
import { type Judged, judge } from '../verdict.ts';
import { changeMember } from './change-link.ts';
import { learnScimId } from './learn-scim-id.ts';
import type { GroupOutcome, GroupPart } from './outcome.ts';

/**
 * A proven form is still checked against the answer where that is cheap. The answer to one new member of
 * a group of 10,000 is a megabyte, which a proven form does not deserve.
 */
const VERIFIED_BYTES_MAX = 128 * 1_024;

type BatchForm = Exclude<MemberForm, 'single'>;

/** The step as its parts see it. */
interface Batch {
  readonly state: GroupState;
  readonly changes: readonly LinkChange[];
}

/** One try of one form: what it said, or that the same content may be tried in another form. */
type Attempt = { kind: 'ended'; outcome: GroupOutcome } | { kind: 'refused'; judged: Judged };

/**
 * Changes many members with one SCIM call. The shape of the operations is not documented, so forms are
 * tried until one is taken; a form counts as accepted only when the answer, or a look after it, lists
 * what was asked. When no batch form is taken, members go one by one and that is remembered for a day.
 */
export async function changeMembers(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: GroupState; action: ChangeMembers },
): Promise<GroupOutcome> {
  const batch = { state, changes: action.changes };
  const learned = await learnScimId(deps, context, state);
  if (learned.kind === 'failed') return learned.outcome;
  if (learned.scimId !== undefined) {
    for (const form of listBatchForms(deps)) {
      const attempt = await tryForm(deps, context, { batch, form, scimId: learned.scimId });
      if (attempt.kind === 'ended') return withScimId(attempt.outcome, learned.scimId);
      if (attempt.judged.verdict === 'smaller') break;
    }
  }
  return changeOneByOne(deps, context, { batch, batchRefused: learned.scimId !== undefined });
}

function listBatchForms(deps: ReconcileDeps): BatchForm[] {
  const { memberForm } = deps.forms.current();
  if (memberForm === 'single') return [];
  return memberForm === undefined ? ['operations', 'array'] : [memberForm];
}

async function tryForm(
  deps: ReconcileDeps,
  context: CallContext,
  { batch, form, scimId }: { batch: Batch; form: BatchForm; scimId: string },
): Promise<Attempt> {
  const known = deps.forms.current().memberForm === form;
  try {
    const args = {
      path: { group_id: scimId },
      body: { Operations: toOperations(batch.changes, form) },
    };
    const options = known ? { ...context, skipAnswerAboveBytes: VERIFIED_BYTES_MAX } : context;
    const answer = await deps.upstream.call(scim.updateGroup, args, options);
    const listed = answer === undefined ? undefined : parseScimGroup(answer).memberIds;
    const memberIds = listed ?? (known ? undefined : await readBack());
    if (memberIds !== undefined && !holds(batch.changes, memberIds)) {
      // Taken without effect: for us the same as refused.
      const problem = { code: 'not-applied', words: 'the service accepted members without effect' };
      return { kind: 'refused', judged: { verdict: 'refused', problem } };
    }
    await deps.forms.learn({ memberForm: form });
    const outcome: GroupOutcome = {
      kind: 'done',
      known: { members: batch.changes },
    };
    return { kind: 'ended', outcome };
  } catch (error) {
    const judged = judge(error);
    if (isAboutForm(judged)) return { kind: 'refused', judged };
    return {
      kind: 'ended',
      outcome: await toFailure(deps, judged, { parts: toParts(batch.changes), section: 'groups' }),
    };
  }

  async function readBack(): Promise<readonly number[] | undefined> {
    const answer = await deps.upstream.call(scim.getGroup, { path: { group_id: scimId } }, context);
    return parseScimGroup(answer).memberIds;
  }
}

/** A refusal may be about the form, about one member, or about the size; going one by one tells. */
function isAboutForm({ verdict }: Judged): boolean {
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

function toParts(changes: readonly LinkChange[]): GroupPart[] {
  return changes.map((change) => ({ kind: 'member', change }));
}

/** What the batch form refused, one call each: the culprit is found and its neighbours are taken. */
async function changeOneByOne(
  deps: ReconcileDeps,
  context: CallContext,
  { batch, batchRefused }: { batch: Batch; batchRefused: boolean },
): Promise<GroupOutcome> {
  const done: SettledLink[] = [];
  const refused: LinkChange[] = [];
  let problem: Problem | undefined;
  for (const change of batch.changes) {
    const outcome = await changeMember(deps, context, { state: batch.state, change });
    if (outcome.kind === 'done') done.push(...(outcome.known.members ?? []));
    else if (outcome.kind === 'refused') {
      refused.push(change);
      problem ??= outcome.problem;
    } else if (done.length === 0 && refused.length === 0) return outcome;
    else break;
  }
  // Only where the same content then succeeds was it the form that was refused.
  if (batchRefused && refused.length === 0 && done.length === batch.changes.length) {
    await deps.forms.learn({ memberForm: 'single', memberFormAt: deps.clock.now() });
  }
  return {
    kind: 'done',
    known: { members: done, ...(problem && { refusedMembers: { changes: refused, problem } }) },
  };
}

function withScimId(outcome: GroupOutcome, scimId: string): GroupOutcome {
  if (outcome.kind !== 'done') return outcome;
  return { kind: 'done', known: { ...outcome.known, ids: { scimId } } };
}
