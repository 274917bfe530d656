import { BridgeError } from '../../domain/errors.ts';
import {
  type GroupRow,
  toGroupState,
  toObservedGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { lookAtGroup } from '../group/look.ts';
import { fetchAdminIds } from '../group/read-admins.ts';
import { saveMembers } from '../read/save-group.ts';
import { ADMINS_WAIT_MS, saveAdmins } from './read-admin-lists.ts';
import type { SweepRun } from './run.ts';
import type { LookNeeds, Sighting } from './sighting.ts';

const NOBODY = { members: [], admins: [] };

/** Looks at one group: its name, its rights and its members, and its admins where they are asked for. */
export async function lookAtGroupAgain(
  { deps, signal }: Pick<SweepRun, 'deps' | 'signal'>,
  row: GroupRow,
  needs: LookNeeds,
): Promise<Sighting<GroupRow>> {
  const context = { class: 'look', key: `group:${row.id}`, signal } as const;
  const outcome = await lookAtGroup(deps, context, toGroupState(row, NOBODY));
  if (outcome.kind !== 'done') return { kind: 'could-not-look', reason: outcome.problem.code };
  const { missing, observed, memberIds } = outcome.known;
  if (missing) return { kind: 'gone' };
  if (observed === undefined) return { kind: 'could-not-look', reason: 'not-found' };
  const admins = await lookAtAdmins({ deps }, row, needs);
  if (admins.kind === 'could-not-look') return admins;
  return {
    kind: 'seen',
    async store(tx, locked) {
      const now = deps.clock.now();
      const seen = { ...toObservedGroup(locked), ...observed };
      await updateGroup(tx, locked.id, { observed: JSON.stringify(seen) });
      if (memberIds)
        await saveMembers(tx, locked, { memberIds, now, repeats: true, from: 'group' });
      if (admins.ids) await saveAdmins(tx, locked, { upstreamUserIds: admins.ids, now });
    },
  };
}

type AdminSighting =
  | { readonly kind: 'seen'; readonly ids: readonly number[] | undefined }
  | { readonly kind: 'could-not-look'; readonly reason: string };

async function lookAtAdmins(
  { deps }: Pick<SweepRun, 'deps'>,
  row: GroupRow,
  needs: LookNeeds,
): Promise<AdminSighting> {
  if (!needs.admins) return { kind: 'seen', ids: undefined };
  try {
    const wait = { class: 'look', waitMs: ADMINS_WAIT_MS } as const;
    return { kind: 'seen', ids: await fetchAdminIds(deps, row, wait) };
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { kind: 'could-not-look', reason: error.code };
  }
}
