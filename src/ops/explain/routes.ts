import { answerKeyed, type KeyedType, readKeyed } from '../http/keyed.ts';
import { route } from '../http/route.ts';
import type { OpsSources } from '../sources.ts';
import { explainGroup } from './explain-group.ts';
import { explainUser } from './explain-user.ts';
import { withHeld } from './held.ts';

const explained = {
  method: 'get',
  tag: 'People and groups',
  answers: { 200: 'Explanation', 404: 'Problem', 409: 'Problem' },
} as const;

/** Requests for the reason of each field. */
export const explainRoutes = [
  route({
    ...explained,
    path: '/users/{key}/explain',
    summary: 'Why each field of a person is as it is. The key is an id, a userName or an address.',
    handle: (sources: OpsSources, { params }) => explain(sources, params.key, 'user'),
  }),
  route({
    ...explained,
    path: '/groups/{key}/explain',
    summary: 'Why each field of a group is as it is. The key is an id or a displayName.',
    handle: (sources: OpsSources, { params }) => explain(sources, params.key, 'group'),
  }),
  route({
    ...explained,
    path: '/explain/{key}',
    summary: 'The same of a person or a group, whichever it is.',
    handle: (sources: OpsSources, { params }) => explain(sources, params.key, 'any'),
  }),
] as const;

async function explain({ store: { read: db }, rules }: OpsSources, key: string, type: KeyedType) {
  const keyed = await readKeyed(db, key, type, {
    user: async (row) => withHeld(db, await explainUser(db, rules, row)),
    group: async (row) => withHeld(db, await explainGroup(db, rules, row)),
  });
  return answerKeyed(keyed);
}
