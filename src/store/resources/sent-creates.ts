import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import type { SentCreate } from '../../domain/resource-state.ts';
import { tableOf } from '../due.ts';
import { parseStored } from '../engine/columns.ts';
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
  await tx.updateTable(tableOf(key)).set(change).where('id', '=', key.id).execute();
}

/**
 * Lists the names, folded, of users or groups that the service may hold by now and nobody knows: their create is on its way,
 * or its outcome is unknown.
 */
export async function listNamesUnderWay(db: Db, table: 'users' | 'groups'): Promise<Set<string>> {
  const [name, isUnknown] =
    table === 'users'
      ? [sql.ref('user_name_folded'), sql`upstream_id is null`]
      : [sql.ref('display_name_folded'), hasNoIds];
  const { rows } = await sql<{ name: string; sent_creates: string }>`
    select ${name} as name, sent_creates from ${sql.table(table)}
    where sent_creates <> '[]' and ${isUnknown}`.execute(db);
  const sent = listSentCreates(rows).flatMap(({ name, address = name }) => [name, address]);
  return new Set([...rows.map(({ name }) => name), ...sent.map(foldCase)]);
}

/**
 * True when a managed user or group that the service has not confirmed yet has one of these folded names, so that what was
 * just seen under it may be theirs.
 */
export async function isNameUnderWay(
  db: Db,
  table: 'users' | 'groups',
  namesFolded: readonly string[],
): Promise<boolean> {
  if (namesFolded.length === 0) return false;
  const [name, id] =
    table === 'users'
      ? ['user_name_folded', 'upstream_id']
      : ['display_name_folded', 'upstream_uid'];
  const { rows } = await sql`
    select 1 from ${sql.table(table)} where ${sql.ref(name)} in (${sql.join(namesFolded)})
    and origin is not null and ${sql.ref(id)} is null limit 1`.execute(db);
  return rows.length > 0;
}

const hasNoIds = sql`upstream_scim_id is null and upstream_rest_id is null and upstream_uid is null`;

function listSentCreates(rows: readonly { readonly sent_creates: string }[]): SentCreate[] {
  return rows.flatMap((row) => parseStored<SentCreate[]>(row.sent_creates));
}
