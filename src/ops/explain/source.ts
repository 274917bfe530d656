import type { Rules } from '../../reconcile/rules/rules.ts';
import type { Db } from '../../store/database.ts';
import { listGroupsByKey, listUsersByKey } from '../../store/explained.ts';
import { type Candidate, toKeyed } from '../keyed.ts';
import { explainGroup } from './explain-group.ts';
import { explainUser } from './explain-user.ts';
import type { Explanation } from './explanation.ts';
import type { ExplainSource } from './router.ts';

/** Explains what the store holds. */
export function createExplainSource(db: Db, rules: Rules): ExplainSource {
  const findUsers = async (key: string): Promise<Candidate<Explanation>[]> =>
    (await listUsersByKey(db, key)).map((row) => ({
      type: 'user',
      id: row.id,
      read: () => explainUser(db, rules, row),
    }));
  const findGroups = async (key: string): Promise<Candidate<Explanation>[]> =>
    (await listGroupsByKey(db, key)).map((row) => ({
      type: 'group',
      id: row.id,
      read: () => explainGroup(db, rules, row),
    }));
  return {
    user: async (key) => toKeyed(await findUsers(key)),
    group: async (key) => toKeyed(await findGroups(key)),
    any: async (key) => toKeyed([...(await findUsers(key)), ...(await findGroups(key))]),
  };
}
