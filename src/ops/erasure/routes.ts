import type { ErasureObstacle } from '../../domain/erasure.ts';
import { type Erasure, eraseUser, planErasure } from '../../reconcile/erasure/erasure.ts';
import { listErasable } from '../../store/resources/erasure.ts';
import { answerKeyed, type Keyed } from '../http/keyed.ts';
import { problem, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Does nothing where the key fits several users. */
async function findOne(
  { store, clock, deactivation }: OpsSources,
  key: string,
  work: typeof planErasure,
): Promise<Keyed<Erasure>> {
  const rows = await listErasable(store.read, key);
  if (rows.length > 1)
    return { kind: 'several', found: rows.map(({ id }) => ({ type: 'user', id })) };
  const [row] = rows;
  const value = row && (await work({ store, clock, policy: { deactivation } }, row.id));
  return value === undefined ? { kind: 'none' } : { kind: 'found', id: value.id, value };
}

/** Requests that show and do erasures. */
export const erasureRoutes = [
  route({
    method: 'get',
    path: '/users/{key}/erasure',
    tag: 'People and groups',
    summary: 'What erasing a person would erase, and what has to be done first. The key as before.',
    answers: { 200: 'Erasure', 404: 'Problem', 409: 'Problem' },
    handle: async (sources: OpsSources, { params }) =>
      answerKeyed(toView(await findOne(sources, params.key, planErasure))),
  }),
  route({
    method: 'post',
    path: '/users/{key}/erase',
    tag: 'People and groups',
    summary:
      'Erase everything personal about a person whom no provider has any more. 409 `not-erasable` with `obstacles` when something has to be done first.',
    answers: { 200: 'Erasure', 404: 'Problem', 409: 'Problem' },
    async handle(sources: OpsSources, { params }) {
      const erased = toView(await findOne(sources, params.key, eraseUser));
      if (erased.kind !== 'found') return answerKeyed<OpsJson<'Erasure'>>(erased);
      const { id: target, obstacles, rows } = erased.value;
      if (obstacles.length > 0) {
        const message = `Nothing was erased. ${obstacles.map(({ detail }) => detail).join(' ')}`;
        return { ...problem(409, 'not-erasable', message, { obstacles }), target };
      }
      const change = { before: { rows: (rows ?? 0) + 1 }, after: { rows: 0 } };
      return { ...answerKeyed(erased), target, change };
    },
  }),
] as const;

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

function toView(keyed: Keyed<Erasure>): Keyed<OpsJson<'Erasure'>> {
  if (keyed.kind !== 'found') return keyed;
  const obstacles = keyed.value.obstacles.map((code) => ({ code, detail: WORDS[code] }));
  return { ...keyed, value: { ...keyed.value, obstacles } };
}
