import type { Rules } from '../../rules/rules.ts';
import type { Db } from '../../store/store.ts';
import { answerKeyed, createKeyedSource, type KeyedSource } from '../http/keyed.ts';
import { route } from '../http/route.ts';
import type { Explanation } from '../schemas/resources.ts';
import { explainGroup } from './explain-group.ts';
import { explainUser } from './explain-user.ts';
import { withHeld } from './held.ts';

/** Explains resources by a SCIM id, a userName, an address or a displayName. */
export type ExplainSource = KeyedSource<Explanation>;

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
  return createKeyedSource(
    db,
    async (row) => withHeld(db, await explainUser(db, rules, row)),
    async (row) => withHeld(db, await explainGroup(db, rules, row)),
  );
}
