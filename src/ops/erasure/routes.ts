import type { ErasureObstacle } from '../../domain/erasure.ts';
import {
  type Erasure,
  type ErasureDeps,
  eraseUser,
  planErasure,
} from '../../reconcile/erasure/erasure.ts';
import { listByKey } from '../../store/resources/find.ts';
import { answerKeyed } from '../http/keyed.ts';
import { type Answer, ok, problem, type Refusal, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests that show and do erasures. */
export const erasureRoutes = [
  route({
    path: '/users/{key}/erasure',
    summary: 'What erasing a person would erase, and what has to be done first. The key as before.',
    answers: { 200: 'Erasure' },
    handle: async (sources: OpsSources, { params }) =>
      answerKeyed(await listPeople(sources, params.key), async ({ id }) =>
        toAnswer(await planErasure(toDeps(sources), id)),
      ),
  }),
  route({
    method: 'post',
    path: '/users/{key}/erase',
    summary:
      'Erase everything personal about a person whom no provider has any more. 409 `not-erasable` with `obstacles` when something has to be done first.',
    answers: { 200: 'Erasure' },
    handle: async (sources: OpsSources, { params }) =>
      answerKeyed(await listPeople(sources, params.key), async ({ id: target }) => {
        const answer = toAnswer(await eraseUser(toDeps(sources), target));
        if (answer.status !== 200) return answer;
        const { obstacles, rows } = answer.json;
        if (obstacles.length === 0) {
          const change = { before: { rows: (rows ?? 0) + 1 }, after: { rows: 0 } };
          return { ...answer, target, change };
        }
        const message = `Nothing was erased. ${obstacles.map(({ detail }) => detail).join(' ')}`;
        return { ...problem(409, 'not-erasable', message, { obstacles }), target };
      }),
  }),
] as const;

function listPeople({ store }: OpsSources, key: string) {
  return listByKey(store.read, 'user', key);
}

function toDeps({ store, clock, rules }: OpsSources): ErasureDeps {
  return { store, clock, policy: rules };
}

/** A person may be gone since their name was looked up. */
function toAnswer(erasure: Erasure | undefined): Answer<200, OpsJson<'Erasure'>> | Refusal {
  if (erasure === undefined) return problem(404, 'not-found', 'Nothing has this id or name.');
  const obstacles = erasure.obstacles.map((code) => ({ code, detail: WORDS[code] }));
  return ok({ ...erasure, obstacles });
}

/** The steps that have to come before an erasure, in sentences for an operator. */
const WORDS: Readonly<Record<ErasureObstacle, string>> = {
  managed:
    'A provider still has this person: have them deleted there, or send DELETE /scim/v2/Users/{id}.',
  'in-service':
    'The service shows this account, which would bring everything back: remove it there, then compare (scim-bridge sweep).',
  active:
    'The account works in the service: deactivate it there, or have the drift user.activated repaired.',
  pending:
    'Something of the deletion has not reached the service yet: GET /ops/users/{id} says what waits.',
  held: 'A plan or a recovery that is about this person waits: decide about it, or wait until it is done.',
  drifting: 'The service differs in something that is about this person: GET /ops/drifts shows it.',
  recent:
    'The bridge changed this person less than ten minutes ago, and the audit log may still tell of it: try again then.',
  erased: 'It was done before: nothing personal is left.',
};
