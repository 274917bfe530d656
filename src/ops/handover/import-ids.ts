import type { ImportOutcome } from '../../domain/handover.ts';
import { lockUntilCommit } from '../../store/commit-lock.ts';
import { findHolders, insertFormerIds } from '../../store/resources/former-ids.ts';
import { findLive, LIVE, readRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { toFolded } from '../census/compare.ts';
import { push } from '../census/match.ts';
import { listPeople, matchAll, type Reading } from '../census/routes.ts';
import type { ExportEntry } from '../exports/read-entries.ts';
import { InvalidRequest } from '../http/body.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** An import of ids that is asked for. */
export interface ImportRequest {
  readonly type: 'user' | 'group';
  /** The provider whose links have the ids. */
  readonly provider: string;
  readonly entries: readonly ExportEntry[];
  readonly isDryRun: boolean;
}

/** Groups that are read at once. */
const PART = 100;

/** Imports ids of an earlier SCIM server, and tells what became of each row. */
export async function importIds(
  sources: Reading & Pick<OpsSources, 'clock' | 'refreshFormerIds'>,
  { type, provider, entries, isDryRun }: ImportRequest,
): Promise<readonly OpsJson<'ImportItem'>[]> {
  const { store, clock, refreshFormerIds } = sources;
  assertIds(entries);
  const find = type === 'user' ? findPeople : findGroups;
  const owners = await find(sources, { provider, entries });
  const twice = findTwice(entries);
  const save = async (db: Db) => {
    const ids = entries.map(({ texts }) => texts.id ?? '');
    const holders = await findHolders(db, type, ids);
    const live = await findLive(db, type, listOwnerIds(owners));
    return entries.map((entry) => toItem({ type, entry, owners, holders, twice, live }));
  };
  if (isDryRun) return save(store.read);
  const items = await store.write(async (tx) => {
    await lockUntilCommit(tx, 'former-ids');
    const matched = await save(tx);
    const now = clock.now();
    const rows = matched.flatMap(({ outcome, formerId, id }) =>
      outcome !== 'imported' || id === null
        ? []
        : {
            ...{ resource_type: type, former_id: formerId, resource_id: id },
            ...{ provider, created_at: now },
          },
    );
    await insertFormerIds(tx, rows);
    return matched;
  });
  // The others answer by them when they hear of it, whatever becomes of this process; this one at once.
  store.bell.ring('former-ids');
  await refreshFormerIds();
  return items;
}

/** @throws InvalidRequest */
function assertIds(entries: readonly ExportEntry[]): void {
  const without = entries.find(({ texts }) => !texts.id);
  if (without === undefined) return;
  throw new InvalidRequest(
    `Row ${without.row} of the file has no id: map says which column has it.`,
  );
}

/** Finds ids that stand in several rows. */
function findTwice(entries: readonly ExportEntry[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { texts } of entries) {
    const { id = '' } = texts;
    if (seen.has(id)) twice.add(id);
    seen.add(id);
  }
  return twice;
}

/** Owner of a row; `unsure`: several may be meant. */
interface Owner {
  readonly id: string;
  readonly name: string;
}

/** The owners of rows; a row that is not there is nobody's. */
type Owners = ReadonlyMap<ExportEntry, Owner | 'unsure'>;

function listOwnerIds(owners: Owners): string[] {
  return [...owners.values()].flatMap((owner) => (owner === 'unsure' ? [] : owner.id));
}

type Finding = Pick<ImportRequest, 'provider' | 'entries'>;

async function findPeople(sources: Reading, { provider, entries }: Finding): Promise<Owners> {
  const matches = await matchAll(sources, entries, { provider, idAttribute: 'externalId' });
  const owners = new Map<ExportEntry, Owner | 'unsure'>(entries.map((entry) => [entry, 'unsure']));
  for await (const { id, name } of listPeople(sources)) {
    const found = matches.findEntry(id);
    if (found) owners.set(found.entry, { id, name });
  }
  for (const stranger of matches.listStrangers()) owners.delete(stranger);
  return owners;
}

/** Groups are known by the externalId of the provider, else by the name. */
async function findGroups({ store }: Reading, { provider, entries }: Finding): Promise<Owners> {
  const [byId, byName] = [new Map<string, Owner[]>(), new Map<string, Owner[]>()];
  for await (const rows of readRows(store.read, 'group', { limit: PART, where: LIVE })) {
    for (const { id, name, name_folded, external_id, ...row } of rows) {
      const isOwn = row.origin !== null && row.provider === provider;
      if (isOwn && external_id !== null) push(byId, external_id, { id, name });
      push(byName, name_folded, { id, name });
    }
  }
  return new Map(
    entries.flatMap((entry) => {
      const { externalId = '', displayName = '' } = entry.texts;
      const [owner, second] = byId.get(externalId) ?? byName.get(toFolded(displayName)) ?? [];
      if (owner === undefined) return [];
      return [[entry, second === undefined ? owner : ('unsure' as const)]];
    }),
  );
}

interface Row {
  readonly type: 'user' | 'group';
  readonly entry: ExportEntry;
  readonly owners: Owners;
  readonly holders: ReadonlyMap<string, string>;
  /** Ids that stand in several rows. */
  readonly twice: ReadonlySet<string>;
  /** Ids of owners who are still there. */
  readonly live: ReadonlySet<string>;
}

function toItem({ type, entry, owners, holders, twice, live }: Row): OpsJson<'ImportItem'> {
  const { row, texts } = entry;
  const formerId = texts.id ?? '';
  const found = owners.get(entry);
  const isGone = found !== undefined && found !== 'unsure' && !live.has(found.id);
  const owner = isGone ? undefined : found;
  const name = texts.userName || texts.displayName || texts.email || null;
  const matched = { type, row, formerId };
  if (owner === undefined) return { ...matched, name, id: null, outcome: 'only-file' };
  if (owner === 'unsure' || twice.has(formerId))
    return { ...matched, name, id: null, outcome: 'ambiguous' };
  const outcome = toOutcome(holders.get(formerId), owner.id);
  return { ...matched, name: owner.name, id: owner.id, outcome };
}

function toOutcome(holder: string | undefined, id: string): ImportOutcome {
  if (holder === undefined) return 'imported';
  return holder === id ? 'known' : 'taken';
}
