import type { GroupId } from '../../domain/ids.ts';
import { postponeLinks } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import type { Problem } from '../outcome.ts';
import type { Undone } from '../recorded.ts';
import type { GroupPart } from './outcome.ts';
import { groupByProblem, groupRefusedLinks } from './refused-links.ts';

/** A refusal of people, and the writes that were taken back because of it. */
export interface RefusedPeople {
  readonly parts: readonly GroupPart[];
  readonly undone: readonly Undone[];
  readonly problem: Problem;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly retryAt: number;
}

/**
 * Puts off the refused people whose change nobody waits for any more: it was acknowledged, so it stays
 * wanted and is shown. Returns how many there are.
 */
export async function postponeRefused(
  tx: Db,
  groupId: GroupId,
  { parts, undone, problem, now, retryAt }: RefusedPeople,
): Promise<number> {
  let postponed = 0;
  const undoneVersions = new Set(undone.map(({ version }) => version));
  for (const { told, same } of groupByProblem(parts, problem)) {
    for (const { table, changes } of groupRefusedLinks(same)) {
      const userIds = changes
        .filter(({ version }) => !undoneVersions.has(version))
        .map(({ userId }) => userId);
      await postponeLinks(tx, table, groupId, { userIds, problem: told, now, retryAt });
      postponed += userIds.length;
    }
  }
  return postponed;
}
