import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMention } from '../../domain/erasure.ts';
import {
  listGroupProblems,
  listSayingEvents,
  type TracedUser,
} from '../../store/resources/erasure.ts';
import type { Db } from '../../store/store.ts';

/** Events that are read at once. */
const PART = 1_000;

/** What others' rows say of somebody. */
export type Sayings = Pick<TracedUser, 'eventIds' | 'authoredIds' | 'groupIds'>;

/** Looks through everything that the store has in others' words for one of these names. */
export async function findSayings(db: Db, names: readonly string[]): Promise<Sayings> {
  const isMentioned = createMention(names);
  const [eventIds, authoredIds]: [string[], string[]] = [[], []];
  for (let afterId = ''; ; ) {
    const events = await listSayingEvents(db, { afterId, limit: PART });
    for (const { id, message, details, author_username } of events) {
      if (isMentioned(message) || isMentioned(details)) eventIds.push(id);
      if (isMentioned(author_username)) authoredIds.push(id);
    }
    const last = events.at(-1);
    if (last === undefined) break;
    afterId = last.id;
    // Reads of the store alone would keep the process from everything else.
    await nextTurn();
  }
  const problems = await listGroupProblems(db);
  const groupIds = problems.filter(({ last_error }) => isMentioned(last_error)).map(({ id }) => id);
  return { eventIds, authoredIds, groupIds };
}
