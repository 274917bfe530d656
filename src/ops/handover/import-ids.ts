import { isProvider } from '../../store/credentials/providers.ts';
import { lockUntilCommit } from '../../store/engine/dialect.ts';
import { findHolders, insertFormerIds } from '../../store/resources/known-names.ts';
import { findLive, LIVE, readRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { unknownProvider } from '../access/tokens.ts';
import { toFolded } from '../census/compare.ts';
import { countBy, push } from '../census/match.ts';
import { listPeople, matchAll, type Reading } from '../census/routes.ts';
import {
  type ExportEntry,
  parseColumnMap,
  refuseNothing,
  withEntries,
} from '../exports/read-entries.ts';
import { InvalidRequest } from '../http/body.ts';
import { ok, route } from '../http/route.ts';
import { ID_IMPORT } from '../lists/exports.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** The request that takes the ids of an earlier SCIM server. */
export const importRoute = route({
  ...ID_IMPORT,
  async handle(sources: OpsSources, { params: { provider }, query: { filters }, req }) {
    const { type = 'user', map = '', dryRun } = filters;
    const reading = { map: parseColumnMap(map), idsOf: 'server' } as const;
    if (!(await isProvider(sources.store.read, provider))) return unknownProvider();
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

/** Imports ids of an earlier SCIM server, and tells what became of each row. */
async function importIds(
  sources: OpsSources,
  request: ImportRequest,
): Promise<readonly OpsJson<'ImportItem'>[]> {
  const { store, clock, refreshFormerIds } = sources;
  const { type, provider, entries, isDryRun } = request;
  const without = entries.find(({ texts }) => !texts.id);
  if (without !== undefined) {
    const words = `Row ${without.row} of the file has no id: map says which column has it.`;
    throw new InvalidRequest(words);
  }
  const owners = await (type === 'user' ? findPeople : findGroups)(sources, request);
  if (isDryRun) return findOutcomes(store.read, request, owners);
  const items = await store.write(async (tx) => {
    await lockUntilCommit(tx, 'former-ids');
    const found = await findOutcomes(tx, request, owners);
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

/** The owners of rows; `unsure`: several may be meant. A row that is not there is nobody's. */
type Owners = ReadonlyMap<ExportEntry, Owner | 'unsure'>;

interface Owner {
  readonly id: string;
  readonly name: string;
}

async function findPeople(sources: Reading, request: ImportRequest): Promise<Owners> {
  const { provider, entries } = request;
  const matches = await matchAll(sources, entries, { provider, idAttribute: 'externalId' });
  const owners = new Map<ExportEntry, Owner | 'unsure'>(entries.map((entry) => [entry, 'unsure']));
  for await (const { id, name } of listPeople(sources)) {
    const found = matches.findEntry(id);
    if (found) owners.set(found.entry, { id, name });
  }
  for (const stranger of matches.listStrangers()) owners.delete(stranger);
  return owners;
}

const PART = 100;

/** Groups are known by the externalId of the provider, else by the name. */
async function findGroups({ store }: Reading, request: ImportRequest): Promise<Owners> {
  const [byId, byName] = [new Map<string, Owner[]>(), new Map<string, Owner[]>()];
  for await (const rows of readRows(store.read, 'group', { limit: PART, where: LIVE })) {
    for (const { id, name, name_folded, external_id, origin, provider } of rows) {
      const isOwn = origin !== null && provider === request.provider;
      if (isOwn && external_id !== null) push(byId, external_id, { id, name });
      push(byName, name_folded, { id, name });
    }
  }
  const owners = new Map<ExportEntry, Owner | 'unsure'>();
  for (const entry of request.entries) {
    const { externalId = '', displayName = '' } = entry.texts;
    const [owner, second] = byId.get(externalId) ?? byName.get(toFolded(displayName)) ?? [];
    if (owner !== undefined) owners.set(entry, second === undefined ? owner : 'unsure');
  }
  return owners;
}

/** Finds the outcome of each row as the store is now: an owner may be gone since, and an id taken. */
async function findOutcomes(
  db: Db,
  { type, entries }: ImportRequest,
  owners: Owners,
): Promise<OpsJson<'ImportItem'>[]> {
  const ids = entries.map(({ texts }) => texts.id ?? '');
  const rowsOf = Map.groupBy(ids, (id) => id);
  const holders = await findHolders(db, type, ids);
  const known = [...owners.values()].flatMap((owner) => (owner === 'unsure' ? [] : owner.id));
  const live = await findLive(db, type, known);
  return entries.map((entry) => {
    const { row, texts } = entry;
    const { id: formerId = '', userName, displayName, email } = texts;
    const owner = owners.get(entry);
    const nobody = { id: null, name: userName || displayName || email || null };
    const item = { type, row, formerId } as const;
    const isGone = owner !== undefined && owner !== 'unsure' && !live.has(owner.id);
    if (owner === undefined || isGone) return { ...item, ...nobody, outcome: 'only-file' };
    if (owner === 'unsure' || rowsOf.get(formerId)?.length !== 1)
      return { ...item, ...nobody, outcome: 'ambiguous' };
    const holder = holders.get(formerId);
    const outcome = holder === undefined ? 'imported' : holder === owner.id ? 'known' : 'taken';
    return { ...item, ...owner, outcome };
  });
}
