import type { GroupId, UserId } from '../../domain/ids.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { deleteLinks, type LinkRow, listLinks, saveLinks } from '../../store/links/links.ts';
import { touchUsers } from '../../store/links/shown.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { Problem } from '../outcome.ts';
import type { Waiter } from '../waiters.ts';
import type { GroupPart } from './outcome.ts';
import { groupRefusedLinks } from './refused-links.ts';

/** A refused write whose people are put back as they were. */
export interface RefusedWrite {
  readonly waiter: Waiter<GroupUndo>;
  readonly parts: readonly GroupPart[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Who was put back, and what the service said when it refused earlier changes of them. */
export interface RevertedLinks {
  readonly userIds: readonly UserId[];
  readonly earlierWords: readonly string[];
}

/** Puts back the refused people whose last writer is still the refused write; their neighbours stay. */
export async function revertLinks(
  tx: Db,
  groupId: GroupId,
  { waiter, parts, now }: RefusedWrite,
): Promise<RevertedLinks> {
  const reverted: LinkRow[] = [];
  for (const { kind, table, changes } of groupRefusedLinks(parts)) {
    const befores = kind === 'member' ? waiter.undo.members : waiter.undo.admins;
    const own = changes.filter(({ version }) => version === waiter.version);
    const refused = own.map(({ userId }) => userId);
    const rows = await listLinks(tx, table, groupId, refused);
    const mine = rows.filter((row) => row.pending === waiter.version && befores.has(row.user_id));
    const userIds = mine.map((row) => row.user_id);
    const gone: UserId[] = [];
    for (const userId of userIds) {
      const before = befores.get(userId);
      if (before) await saveLinks(tx, table, groupId, [before]);
      else gone.push(userId);
    }
    await deleteLinks(tx, table, groupId, gone);
    await touchUsers(tx, userIds, now);
    reverted.push(...mine);
  }
  return {
    userIds: reverted.map((row) => row.user_id),
    earlierWords: reverted.flatMap(({ problem }) =>
      problem === null ? [] : [parseStored<Problem>(problem).words],
    ),
  };
}

/** How many of the refused people an error names. */
const NAMED_MAX = 10;

/** The problem with the people it is about, by SCIM id, so that an administrator finds them. */
export function withRefusedPeople(problem: Problem, userIds: readonly UserId[]): Problem {
  if (userIds.length === 0) return problem;
  const named = userIds.slice(0, NAMED_MAX).join(', ');
  const more = userIds.length > NAMED_MAX ? ` and ${userIds.length - NAMED_MAX} more` : '';
  return { ...problem, words: `${problem.words} (about ${named}${more})` };
}
