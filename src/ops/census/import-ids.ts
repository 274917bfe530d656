import { lockUntilCommit } from '../../store/engine/dialect.ts';
import { findHolders, findNames, insertFormerIds } from '../../store/resources/names.ts';
import type { Db } from '../../store/store.ts';
import { type ExportEntry, refuseNothing, withEntries } from '../exports/read-entries.ts';
import { InvalidRequest } from '../http/body.ts';
import { ok, route } from '../http/route.ts';
import { ID_IMPORT } from '../lists/exports.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { countBy, type Matches, matchEntries } from './match.ts';

/** Takes the ids of an earlier SCIM server. */
export const importRoute = route({
  ...ID_IMPORT,
  async handle(sources: OpsSources, { params: { provider }, query: { filters }, req }) {
    const { type = 'user', map, dryRun } = filters;
    const reading = { map, idsOf: 'server', providers: [provider] } as const;
    return withEntries(sources, req, reading, async (entries = refuseNothing()) => {
      const isDryRun = dryRun === 'true';
      const items = await importIds(sources, { type, provider, entries, isDryRun });
      const counts = countBy(items, ({ outcome }) => outcome);
      const change = { after: { imported: counts.imported ?? 0 } };
      const acts = isDryRun ? [] : [{ target: provider, change }];
      return { ...ok({ provider, dryRun: isDryRun, counts, items }), acts };
    });
  },
});

interface ImportRequest {
  readonly type: 'user' | 'group';
  /** The provider whose links have the ids. */
  readonly provider: string;
  readonly entries: readonly ExportEntry[];
  readonly isDryRun: boolean;
}

/** Imports ids of an earlier SCIM server, and says what became of each row. @throws InvalidRequest for a row without an id */
async function importIds(
  { store, clock, refreshFormerIds }: OpsSources,
  request: ImportRequest,
): Promise<readonly OpsJson<'ImportItem'>[]> {
  const { type, provider, entries, isDryRun } = request;
  const without = entries.find(({ texts }) => !texts.id);
  if (without !== undefined) {
    const words = `Row ${without.row} of the file has no id: map says which column has it.`;
    throw new InvalidRequest(words);
  }
  const sought = { type, provider, idAttribute: 'externalId' } as const;
  const matches = await matchEntries(store.read, entries, sought);
  if (isDryRun) return findOutcomes(store.read, request, matches);
  const items = await store.write(async (tx) => {
    await lockUntilCommit(tx, 'former-ids');
    const found = await findOutcomes(tx, request, matches);
    const now = { resource_type: type, provider, created_at: clock.now() };
    const rows = found.flatMap(({ outcome, formerId: former_id, id }) =>
      outcome === 'imported' && id !== null ? [{ ...now, former_id, resource_id: id }] : [],
    );
    await insertFormerIds(tx, rows);
    return found;
  });
  // The others answer by them when they hear of it, whatever becomes of this process; this one at once.
  store.bell.ring('former-ids');
  await refreshFormerIds();
  return items;
}

/** Finds the outcome of each row as the store is now: an owner may be gone since, and an id taken. */
async function findOutcomes(
  db: Db,
  { type, entries }: ImportRequest,
  matches: Matches,
): Promise<OpsJson<'ImportItem'>[]> {
  const ids = entries.map(({ texts }) => texts.id ?? '');
  const rowsOf = Map.groupBy(ids, (id) => id);
  const holders = await findHolders(db, type, ids);
  const owners = entries.map((entry) => matches.findOwner(entry));
  const known = owners.flatMap((owner) => (owner && owner !== 'unsure' ? owner.id : []));
  const live = await findNames(db, known, type);
  return entries.map(({ row, texts }, place) => {
    const { id: formerId = '', userName, displayName, email } = texts;
    const owner = owners[place];
    const nobody = { id: null, name: userName || displayName || email || null };
    const item = { type, row, formerId } as const;
    const isGone = owner !== undefined && owner !== 'unsure' && !live.has(owner.id);
    if (owner === undefined || isGone) return { ...item, ...nobody, outcome: 'only-file' };
    if (owner === 'unsure' || rowsOf.get(formerId)?.length !== 1)
      return { ...item, ...nobody, outcome: 'ambiguous' };
    const holder = holders.get(formerId);
    const outcome = holder === undefined ? 'imported' : holder === owner.id ? 'known' : 'taken';
    return { ...item, id: owner.id, name: owner.name, outcome };
  });
}
