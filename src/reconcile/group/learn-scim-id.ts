import type { GroupState, UpstreamGroupIds } from '../../domain/group.ts';
import { isSameSpelt } from '../../domain/name.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import type { Outcome } from '../outcome.ts';
import type { GroupScimId } from '../quirks.ts';
import { classify } from '../verdict.ts';

/** SCIM id of a group, undefined when it cannot be known, or the reason why it could not be asked. */
export type LearnedScimId =
  | { readonly kind: 'known'; readonly scimId: string | undefined }
  | { readonly kind: 'failed'; readonly outcome: Outcome };

/**
 * Finds the SCIM id of a group that was made through REST. The matching REST id, if any, is learned once per service: a
 * candidate counts only when the group read by it carries id *and* name.
 */
export async function learnScimId(
  deps: ReconcileDeps,
  context: CallContext,
  state: GroupState,
): Promise<LearnedScimId> {
  const form = deps.quirks.current().groupScimId;
  const scimId = findScimId(state.ids, form);
  if (scimId !== undefined || form !== undefined) return { kind: 'known', scimId };
  for (const candidate of ['restId', 'uid'] as const) {
    const id = findScimId(state.ids, candidate);
    if (id === undefined) continue;
    const answer = await isGroup(deps, context, { id, name: state.observed?.displayName });
    if (answer === 'could-not-look') {
      const problem = { code: 'later', words: 'the SCIM id of the group could not be verified' };
      return { kind: 'failed', outcome: { kind: 'later', problem } };
    }
    if (answer === 'no') continue;
    await deps.quirks.learn({ groupScimId: candidate });
    return { kind: 'known', scimId: id };
  }
  await deps.quirks.learn({ groupScimId: 'unrelated', groupScimIdAt: deps.clock.now() });
  return { kind: 'known', scimId: undefined };
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

async function isGroup(
  { upstream }: ReconcileDeps,
  context: CallContext,
  { id, name }: { id: string; name: string | undefined },
): Promise<'yes' | 'no' | 'could-not-look'> {
  try {
    const args = { path: { group_id: id } };
    const group = parseScimGroup(await upstream.call(scim.getGroup, args, context));
    const sameName = name !== undefined && isSameSpelt(group.displayName, name);
    return group.id === id && sameName ? 'yes' : 'no';
  } catch (error) {
    const { verdict } = classify(error);
    return verdict === 'missing' || verdict === 'refused' ? 'no' : 'could-not-look';
  }
}
