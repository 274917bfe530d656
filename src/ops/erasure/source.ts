import {
  type Erasure,
  type ErasureDeps,
  erasePerson,
  planErasure,
} from '../../reconcile/erasure/erasure.ts';
import { listErasable } from '../../store/erasure.ts';
import type { Keyed } from '../keyed.ts';
import type { ErasureSource } from './router.ts';

/** The people of a store. */
export function createErasureSource(deps: ErasureDeps, told: ErasureSource['told']): ErasureSource {
  return {
    plan: (key) => findOne(deps, key, planErasure),
    erase: (key) => findOne(deps, key, erasePerson),
    told,
  };
}

/** Nothing is done to anybody where the key fits several. */
async function findOne(
  deps: ErasureDeps,
  key: string,
  work: typeof planErasure,
): Promise<Keyed<Erasure>> {
  const rows = await listErasable(deps.store.read, key);
  if (rows.length > 1)
    return { kind: 'several', found: rows.map(({ id }) => ({ type: 'user', id })) };
  const [row] = rows;
  const value = row && (await work(deps, row.id));
  return value === undefined ? { kind: 'none' } : { kind: 'found', value };
}
