import type { Rules } from '../../rules/rules.ts';
import { listGroupsByKey, listUsersByKey } from '../../store/resources/explained.ts';
import type { Db } from '../../store/store.ts';
import { answerKeyed, type Candidate, type Keyed, toKeyed } from '../http/keyed.ts';
import { route } from '../http/route.ts';
import type { Explanation } from '../schemas/resources.ts';
import { explainGroup } from './explain-group.ts';
import { explainUser } from './explain-user.ts';
import { withHeld } from './held.ts';

/** Explains resources by a SCIM id, a userName, an address or a displayName. */
export interface ExplainSource {
  readonly user: (key: string) => Promise<Keyed<Explanation>>;
  readonly group: (key: string) => Promise<Keyed<Explanation>>;
  /** A user or a group. */
  readonly any: (key: string) => Promise<Keyed<Explanation>>;
}

const explained = {
  method: 'get',
  tag: 'People and groups',
  answers: { 200: 'Explanation', 404: 'Problem', 409: 'Problem' },
} as const;

interface Needs {
  readonly explain: ExplainSource;
}

/** Requests for the reason of each field. */
export const explainRoutes = [
  route({
    ...explained,
    path: '/users/{key}/explain',
    summary: 'Why each field of a person is as it is. The key is an id, a userName or an address.',
    handle: async ({ explain }: Needs, { params }) => answerKeyed(await explain.user(params.key)),
  }),
  route({
    ...explained,
    path: '/groups/{key}/explain',
    summary: 'Why each field of a group is as it is. The key is an id or a displayName.',
    handle: async ({ explain }: Needs, { params }) => answerKeyed(await explain.group(params.key)),
  }),
  route({
    ...explained,
    path: '/explain/{key}',
    summary: 'The same of a person or a group, whichever it is.',
    handle: async ({ explain }: Needs, { params }) => answerKeyed(await explain.any(params.key)),
  }),
] as const;

/** Explains the users and groups of a store. */
export function createExplainSource(db: Db, rules: Rules): ExplainSource {
  const findUsers = async (key: string): Promise<Candidate<Explanation>[]> =>
    (await listUsersByKey(db, key)).map((row) => ({
      type: 'user',
      id: row.id,
      read: async () => withHeld(db, await explainUser(db, rules, row)),
    }));
  const findGroups = async (key: string): Promise<Candidate<Explanation>[]> =>
    (await listGroupsByKey(db, key)).map((row) => ({
      type: 'group',
      id: row.id,
      read: async () => withHeld(db, await explainGroup(db, rules, row)),
    }));
  return {
    user: async (key) => toKeyed(await findUsers(key)),
    group: async (key) => toKeyed(await findGroups(key)),
    any: async (key) => toKeyed([...(await findUsers(key)), ...(await findGroups(key))]),
  };
}
