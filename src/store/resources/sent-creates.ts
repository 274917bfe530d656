import { isDeepStrictEqual } from 'node:util';
import type { ResourceKey } from '../../domain/ids.ts';
import type { SentCreate } from '../../domain/sent-create.ts';
import { parseStored } from '../engine/columns.ts';
import { tableOf } from '../lanes.ts';
import type { Db } from '../store.ts';

/** Columns of a row whose create may have left an account or group: the looks that are made for it, in all. */
export const LOST_CREATE = { lost_looks: 3 } as const;

/** Writes down what a create is about to be sent with, once. */
export async function addSentCreate(tx: Db, key: ResourceKey, create: SentCreate): Promise<void> {
  const { sent_creates } = await tx
    .selectFrom(tableOf(key))
    .select('sent_creates')
    .where('id', '=', key.id)
    .executeTakeFirstOrThrow();
  const earlier = parseStored<SentCreate[]>(sent_creates);
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
  await tx.updateTable(tableOf(key)).set(change).where('id', '=', key.id).execute();
}

/** Joins the sent creates of several rows; undefined: there is no row. */
export function mergeSentCreates(
  rows: readonly { readonly sent_creates: string }[],
): SentCreate[] | undefined {
  if (rows.length === 0) return undefined;
  return rows.flatMap((row) => parseStored<SentCreate[]>(row.sent_creates));
}
