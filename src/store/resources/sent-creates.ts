import { isDeepStrictEqual } from 'node:util';
import type { ResourceKey } from '../../domain/ids.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import type { Db } from '../store.ts';

/** Writes down what a create is about to be sent with, once; `earlier` are those that the row has already. */
export async function addSentCreate(
  tx: Db,
  key: ResourceKey,
  { earlier, create }: { readonly earlier: readonly SentCreate[]; readonly create: SentCreate },
): Promise<void> {
  if (earlier.some((one) => isDeepStrictEqual(one, create))) return;
  await saveSentCreates(tx, key, [...earlier, create]);
}

/** Keeps only these creates: the others surely left nothing in the service. */
export async function saveSentCreates(
  tx: Db,
  key: ResourceKey,
  creates: readonly SentCreate[],
): Promise<void> {
  const change = { sent_creates: JSON.stringify(creates) };
  await tx.updateTable('resources').set(change).where('id', '=', key.id).execute();
}
