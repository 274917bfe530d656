import type { GroupState, LinkChange, UpstreamGroupIds } from '../../domain/kinds.ts';
import { isSameSpelt } from '../../domain/name.ts';
import type { Refusal } from '../../domain/values.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { ReconcileDeps } from '../deps.ts';
import {
  type Classified,
  classify,
  isRefusal,
  type Outcome,
  seenOr,
  type TooMany,
} from '../outcome.ts';
import type { GroupScimId, MemberForm } from '../quirks.ts';
import type { StepCall } from '../step-call.ts';
import { fetchScimMembers, parseScimGroupOf } from './observe.ts';

/** Largest answer against which a proven form is checked: that of a group of 10,000 is a megabyte, and not worth reading. */
const VERIFIED_BYTES_MAX = 128 * 1_024;

type BatchForm = Exclude<MemberForm, 'single'>;
const BATCH_FORMS: readonly BatchForm[] = ['operations', 'array'];

/** Smallest batch that can tell a refused form from a refused member. */
export const PAIR = 2;

const ID_UNKNOWN: Refusal = {
  code: 'later',
  words: 'the SCIM id of the group could not be verified',
};

/** Changes many members with one SCIM call, in the first form that is taken; refused in all, in smaller parts. @throws UpstreamError */
export async function changeMembers(call: StepCall<GroupState>): Promise<Outcome | TooMany> {
  const { deps, state, links } = call;
  const isTried = hasFailedBefore(call);
  const scimId = await seenOr(learnScimId(deps, state), null);
  if (scimId === null && !isTried) return { kind: 'later', problem: ID_UNKNOWN };
  if (!scimId) return { kind: 'too-many', size: 1 };
  for (const form of listForms(deps, isTried)) {
    const end = await sendInForm(call, scimId, form);
    if (end !== undefined) return end;
  }
  // While no form is known, a pair finds the working form with the fewest calls.
  const isKnown = deps.quirks.current().memberForm !== undefined;
  const half = Math.ceil(links.length / 2);
  return { kind: 'too-many', size: isKnown ? half : Math.min(half, PAIR) };
}

/** Outcome of a batch that failed again: what it did is looked at, and smaller parts show whom it fails at. */
export async function isolate(
  call: StepCall<GroupState>,
  { verdict, problem }: Classified,
): Promise<Outcome | undefined> {
  const isAgain = verdict === 'unknown' && hasFailedBefore(call) && call.links.length > 1;
  return isAgain ? { kind: 'unknown', problem, lookNow: true } : undefined;
}

function hasFailedBefore({ links }: StepCall<GroupState>): boolean {
  return links.some(({ attempts }) => attempts !== undefined);
}

/** Lists the forms to be tried: all while none is known, else that one; the others too where it failed before. */
function listForms({ quirks }: ReconcileDeps, isTried: boolean): readonly BatchForm[] {
  const { memberForm } = quirks.current();
  if (memberForm === undefined || memberForm === 'single') return BATCH_FORMS;
  const others = BATCH_FORMS.filter((form) => form !== memberForm);
  return isTried && !quirks.isFixed('memberForm') ? [memberForm, ...others] : [memberForm];
}

/** Remembers half the size of a batch that was too large, for a day. */
async function learnSize({ quirks }: ReconcileDeps, size: number): Promise<TooMany> {
  const membersPerCall = Math.max(1, Math.floor(size / 2));
  await quirks.learn({ membersPerCall });
  return { kind: 'too-many', size: membersPerCall };
}

/** Sends the batch; undefined: another form, or a smaller part, may be taken. @throws UpstreamError */
async function sendInForm(
  call: StepCall<GroupState>,
  scimId: string,
  form: BatchForm,
): Promise<Outcome | TooMany | undefined> {
  const { deps, links, missed } = call;
  const { quirks } = deps;
  try {
    // A call without effect counts as refused.
    if (!(await hasEffect(call, scimId, form))) return undefined;
  } catch (error) {
    const failed = classify(error);
    const { verdict } = failed;
    if (verdict === 'smaller') return learnSize(deps, links.length);
    // The form or one member may be at fault. The group exists, so a missing one is a member.
    const isRefused = isRefusal(failed) || (verdict === 'missing' && missed === 'found');
    // A form that was taken before may have stopped working for good.
    const isKnown = form === quirks.current().memberForm && !quirks.isFixed('memberForm');
    const isOther = verdict === 'unknown' && isKnown && hasFailedBefore(call);
    if (isRefused || isOther) return undefined;
    throw error;
  }
  await quirks.learn({ memberForm: form });
  return { kind: 'done', known: { done: links, ids: { scimId } } };
}

/** Sends the batch; true when the members are as asked, as far as the service shows them. @throws UpstreamError */
async function hasEffect(
  { deps, links }: StepCall<GroupState>,
  scimId: string,
  form: BatchForm,
): Promise<boolean> {
  const isKnown = deps.quirks.current().memberForm === form;
  const args = { path: { group_id: scimId }, body: { Operations: toOperations(links, form) } };
  const options = isKnown ? { skipAnswerAboveBytes: VERIFIED_BYTES_MAX } : {};
  const answer = await deps.upstream.call(scim.updateGroup, args, options);
  const listed = answer === undefined ? undefined : parseScimGroupOf(scimId, answer).memberIds;
  // What the service took before and did not make is not believed again.
  const isBelieved = isKnown && !links.some(({ ignored }) => ignored);
  const memberIds = listed ?? (isBelieved ? undefined : await fetchScimMembers(deps, scimId));
  const members = memberIds && new Set(memberIds);
  return links.every(
    ({ upstreamUserId, wanted }) => (members?.has(upstreamUserId) ?? wanted) === wanted,
  );
}

function toOperations(changes: readonly LinkChange[], form: BatchForm): object[] {
  const path = 'members';
  const op = (wanted: boolean) => (wanted ? 'add' : 'remove');
  if (form === 'operations')
    return changes.map(({ wanted, upstreamUserId: value }) => ({ op: op(wanted), path, value }));
  return [false, true].flatMap((wanted) => {
    const ids = changes.filter((change) => change.wanted === wanted);
    if (ids.length === 0) return [];
    const value = ids.map(({ upstreamUserId }) => ({ value: upstreamUserId }));
    return [{ op: op(wanted), path, value }];
  });
}

/**
 * Finds the SCIM id of a group made through REST; undefined: unknown. Which REST id it equals is learned once, by
 * reading a group whose id and name both match. @throws UpstreamError
 */
async function learnScimId(
  { quirks, upstream }: ReconcileDeps,
  { ids, observed }: GroupState,
): Promise<string | undefined> {
  const form = quirks.current().groupScimId;
  const known = findScimId(ids, form);
  if (known !== undefined || form !== undefined) return known;
  for (const candidate of ['restId', 'uid'] as const) {
    const id = findScimId(ids, candidate);
    if (id === undefined) continue;
    try {
      const args = { path: { group_id: id } };
      const group = parseScimGroup(await upstream.call(scim.getGroup, args));
      if (group.id !== id || !isSameSpelt(group.displayName, observed?.displayName ?? '')) continue;
    } catch (error) {
      const { verdict } = classify(error);
      if (verdict !== 'missing' && verdict !== 'refused') throw error;
      continue;
    }
    await quirks.learn({ groupScimId: candidate });
    return id;
  }
  await quirks.learn({ groupScimId: 'unrelated' });
  return undefined;
}

/** Finds the SCIM id of a group as far as it is known, or follows from what SCIM ids are; undefined: only a call tells it. */
export function findScimId(
  ids: UpstreamGroupIds,
  form: GroupScimId | undefined,
): string | undefined {
  if (ids.scimId !== undefined) return ids.scimId;
  if (form === 'restId') return ids.restId === undefined ? undefined : String(ids.restId);
  return form === 'uid' ? ids.uid : undefined;
}
