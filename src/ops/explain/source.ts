import type { Rules } from '../../reconcile/rules/rules.ts';
import type { Db } from '../../store/database.ts';
import { listGroupsByKey, listUsersByKey } from '../../store/explained.ts';
import { explainGroup } from './explain-group.ts';
import { explainUser } from './explain-user.ts';
import type { Explanation } from './explanation.ts';
import type { Explained, ExplainSource, FoundKey } from './router.ts';

/** Explains what the store holds. */
export function createExplainSource(db: Db, rules: Rules): ExplainSource {
  const findUsers = async (key: string): Promise<Candidate[]> =>
    (await listUsersByKey(db, key)).map((row) => ({
      type: 'user',
      id: row.id,
      explain: () => explainUser(db, rules, row),
    }));
  const findGroups = async (key: string): Promise<Candidate[]> =>
    (await listGroupsByKey(db, key)).map((row) => ({
      type: 'group',
      id: row.id,
      explain: () => explainGroup(db, rules, row),
    }));
  return {
    user: async (key) => toExplained(await findUsers(key)),
    group: async (key) => toExplained(await findGroups(key)),
    any: async (key) => toExplained([...(await findUsers(key)), ...(await findGroups(key))]),
  };
}

interface Candidate extends FoundKey {
  readonly explain: () => Promise<Explanation>;
}

async function toExplained(candidates: readonly Candidate[]): Promise<Explained> {
  const [only] = candidates;
  if (only === undefined) return { kind: 'none' };
  if (candidates.length === 1) return { kind: 'found', explanation: await only.explain() };
  return { kind: 'several', found: candidates.map(({ type, id }) => ({ type, id })) };
}
