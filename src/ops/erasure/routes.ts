import { OBSTACLE_WORDS } from '../../domain/erasure.ts';
import {
  type Erasure,
  type ErasureDeps,
  eraseUser,
  planErasure,
} from '../../reconcile/erasure/erasure.ts';
import { listByKey } from '../../store/resources/find.ts';
import { missing, Problem } from '../http/body.ts';
import { getOnly, ok, route } from '../http/route.ts';
import type { OpsSources } from '../sources.ts';

/** Requests that show and do erasures. */
export const erasureRoutes = [
  route(
    {
      path: '/users/{key}/erasure',
      summary:
        'What erasing a person would erase, and what has to be done first. The key as before.',
      answers: { 200: 'Erasure' },
    },
    async (sources, { params }) => {
      const id = await getPerson(sources, params.key);
      return ok(toAnswer(await planErasure(toDeps(sources), id)));
    },
  ),
  route(
    {
      method: 'post',
      path: '/users/{key}/erase',
      summary:
        'Erase everything personal about a person whom no provider has any more. 409 `not-erasable` with `obstacles` when something has to be done first.',
      answers: { 200: 'Erasure' },
    },
    async (sources, { params }) => {
      const target = await getPerson(sources, params.key);
      const json = toAnswer(await eraseUser(toDeps(sources), target));
      const { obstacles, rows } = json;
      if (obstacles.length === 0) {
        const change = { before: { rows: (rows ?? 0) + 1 }, after: { rows: 0 } };
        return { json, target, change };
      }
      const message = `Nothing was erased. ${obstacles.map(({ detail }) => detail).join(' ')}`;
      throw new Problem(409, 'not-erasable', message, { more: { obstacles }, target });
    },
  ),
] as const;

async function getPerson({ store }: OpsSources, key: string) {
  return getOnly(await listByKey(store.read, 'user', key)).id;
}

function toDeps({ store, clock, rules }: OpsSources): ErasureDeps {
  return { store, clock, policy: rules };
}

/** A person may be gone since their name was looked up. */
function toAnswer(erasure: Erasure | undefined) {
  if (erasure === undefined) return missing('Nothing has this id or name.');
  const obstacles = erasure.obstacles.map((code) => ({ code, detail: OBSTACLE_WORDS[code] }));
  return { ...erasure, obstacles };
}
