import { scim } from '../../upstream/operations/scim.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import { toObservedUser } from '../user/observe.ts';
import { readList } from './read-list.ts';
import { type SeenAccount, savePeople } from './save-people.ts';
import type { FirstReadContext, StepResult } from './step.ts';

/** The people: userName, name, address and whether they are active. */
export async function readUsers(context: FirstReadContext): Promise<StepResult> {
  return readList(context, {
    operation: scim.getUsers,
    variants: [{}],
    storePage(items, times) {
      const seen = items.map((item) => toSeenAccount(item, times.now));
      return { rows: (tx) => savePeople(tx, seen, times) };
    },
  });
}

function toSeenAccount(item: unknown, now: number): SeenAccount {
  const user = parseScimUser(item);
  const seen = { at: now, by: scim.getUsers.id };
  return { upstreamId: user.id, observe: (before) => toObservedUser(user, before, seen) };
}
