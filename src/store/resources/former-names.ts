import type { GivenKey } from '../../domain/ids.ts';
import { chunks, readInChunks } from '../engine/dialect.ts';
import type { FormerNamesTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** A name that a user or group does not carry any more, folded. */
type FormerName = Readonly<FormerNamesTable>;

/** Remembers the names of `old` that are not among `names`: a rename ends no protection. Both are folded. */
export async function keepFormerNames(
  tx: Db,
  { type, id }: GivenKey,
  { old, names }: { old: readonly (string | null)[]; names: readonly (string | null)[] },
): Promise<void> {
  const gone = [...new Set(old)].filter((name) => name && !names.includes(name));
  const rows = gone.flatMap((name_folded) =>
    name_folded === null ? [] : [{ resource_type: type, resource_id: id, name_folded }],
  );
  for (const some of chunks(rows)) {
    const insert = tx.insertInto('former_names').values(some);
    await insert.onConflict((on) => on.doNothing()).execute();
  }
}

/** The names that they carried before, by id. */
export async function listFormerNames(
  db: Db,
  type: 'user' | 'group',
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const former = db.selectFrom('former_names').select(['resource_id', 'name_folded']);
  const ofType = former.where('resource_type', '=', type);
  const rows = await readInChunks(ids, (some) => ofType.where('resource_id', 'in', some).execute());
  const byId = Map.groupBy(rows, ({ resource_id }) => resource_id);
  return new Map([...byId].map(([id, some]) => [id, some.map(({ name_folded }) => name_folded)]));
}

/** Moves the former names of a deleted user or group to its successor. */
export async function moveFormerNames(
  tx: Db,
  type: 'user' | 'group',
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await tx
    .updateTable('former_names')
    .set({ resource_id: to })
    .where('resource_type', '=', type)
    .where('resource_id', '=', from)
    .execute();
}

/** Lists all former names: those of the last hour, and those that protect somebody. */
export async function listFormerNameRows(db: Db): Promise<FormerName[]> {
  return db.selectFrom('former_names').selectAll().execute();
}

/** Forgets names that protect no user or group. */
export async function forgetNames(tx: Db, names: readonly FormerName[]): Promise<void> {
  for (const [type, some] of Map.groupBy(names, ({ resource_type }) => resource_type)) {
    for (const chunk of chunks(some.map(({ name_folded }) => name_folded))) {
      await tx
        .deleteFrom('former_names')
        .where('resource_type', '=', type)
        .where('name_folded', 'in', chunk)
        .execute();
    }
  }
}
