import { setImmediate as nextTurn } from 'node:timers/promises';
import { listFoldedEmails } from '../../domain/address.ts';
import { MATCH_KEYS, type MatchKey } from '../../domain/census.ts';
import { foldCase, type JsonObject } from '../../domain/values.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { chunks } from '../../store/engine/dialect.ts';
import { LIVE, type ResourceRow, readRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ExportEntry } from './read-entries.ts';

/** A person or group that an entry may be, and the surest key that both have. */
export interface Match {
  readonly entry: ExportEntry;
  readonly id: string;
  readonly name: string;
  readonly by: MatchKey;
}

interface Sought {
  readonly type: 'user' | 'group';
  /** The provider whose externalIds are those of the entries. */
  readonly provider: string;
  readonly idAttribute: 'externalId' | 'formerExternalId';
}

/** Matches of one export with everybody, or every group, that the bridge knows. */
export type Matches = Awaited<ReturnType<typeof matchEntries>>;

/** Matches entries with people or groups of the bridge, managed or only observed. The surest key decides. */
export async function matchEntries(db: Db, entries: readonly ExportEntry[], sought: Sought) {
  const all = await listMatches(db, entries, sought);
  const ofEntry = Map.groupBy(all, ({ entry }) => entry);
  const best = [...ofEntry.values()].flatMap((some) => {
    const key = MATCH_KEYS.find((one) => some.some(({ by }) => by === one));
    const surest = some.filter(({ by }) => by === key);
    return surest.length === 1 ? surest : [];
  });
  const ofRow = Map.groupBy(best, ({ id }) => id);
  const sure = best.filter(({ id }) => ofRow.get(id)?.length === 1);
  const createFind = <Key>(toKey: (match: Match) => Key) => {
    const known = new Map(sure.map((match) => [toKey(match), match]));
    const possible = new Set(all.map(toKey));
    return (key: Key) => known.get(key) ?? (possible.has(key) ? 'unsure' : undefined);
  };
  return {
    sure,
    /** Finds the match of a person or group; `unsure`: one or several entries may be this one. */
    findOfId: createFind(({ id }) => id),
    /** Finds the match of an entry; `unsure`: it may be one or several people or groups. */
    findOfEntry: createFind(({ entry }) => entry),
    strangers: entries.filter((entry) => !ofEntry.has(entry)),
    /** Entries that match the same person. */
    repeated: [...ofRow.values()].filter((some) => some.length > 1),
    /** People who match the same entry, without those whom another entry matches better. */
    alike: [...ofEntry.values()]
      .map((some) => some.filter(({ id, entry }) => (ofRow.get(id)?.[0]?.entry ?? entry) === entry))
      .filter((some) => some.length > 1),
    /** True if an externalId matched: the export has those that the provider sends. */
    knowsExternalIds: best.some(({ by }) => by === 'externalId'),
  };
}

const [ROWS_PART, ENTRIES_PART] = [100, 1_000];

/** Reads users or groups one by one, those that are not deleted. */
export async function* eachRow<Type extends Sought['type']>(
  db: Db,
  type: Type,
  where: Parameters<typeof readRows>[2]['where'] = LIVE,
) {
  for await (const rows of readRows(db, type, { limit: ROWS_PART, where })) yield* rows;
}

async function listMatches(
  db: Db,
  entries: readonly ExportEntry[],
  { type, provider, idAttribute }: Sought,
): Promise<Match[]> {
  const index = new Map<string, ExportEntry[]>();
  for (const some of chunks(entries, ENTRIES_PART)) {
    for (const entry of some) addKeys(index, entry, { type, idAttribute });
    await nextTurn();
  }
  const found: Match[] = [];
  for await (const row of eachRow(db, type)) {
    const { id, name } = row;
    const fitting = listRowKeys(row, provider).flatMap(({ key, by }) =>
      (index.get(key) ?? []).map((entry) => ({ entry, id, name, by })),
    );
    const ofEntry = Map.groupBy(fitting, ({ entry }) => entry);
    found.push(...[...ofEntry.values()].flatMap(([surest]) => surest ?? []));
  }
  return found;
}

function addKeys(
  index: Map<string, ExportEntry[]>,
  entry: ExportEntry,
  { type, idAttribute }: Pick<Sought, 'type' | 'idAttribute'>,
): void {
  const { [idAttribute]: externalId, userName = '', displayName = '', email = '' } = entry.texts;
  const names = type === 'user' ? { userName, email } : { userName: displayName };
  const folded = Object.entries(names).map(([key, text]) => [key, foldCase(text.trim())]);
  for (const [key, text] of [['externalId', externalId], ...folded]) {
    const known = text && index.get(`${key} ${text}`);
    if (known) known.push(entry);
    else if (text) index.set(`${key} ${text}`, [entry]);
  }
}

/** What an entry of this row may say, the surest first, and by which key it is found. Names and addresses are one. */
function listRowKeys(row: ResourceRow, provider: string) {
  const isUser = row.type === 'user';
  const isOfProvider = row.origin !== null && row.provider === provider;
  const names = [row.name_folded, isUser ? row.observed_user_name_folded : null];
  const emails = isUser
    ? [...listFoldedEmails(parseStored<JsonObject>(row.attributes)), row.observed_email_folded]
    : [];
  const keys = [
    ['externalId', [isOfProvider ? row.external_id : null], 'externalId'],
    ['userName', names, 'userName'],
    ['email', emails, 'email'],
    ['email', names, 'userName'],
    ['userName', emails, 'email'],
  ] as const;
  return keys.flatMap(([attribute, texts, by]) =>
    texts.flatMap((text) => (text ? [{ key: `${attribute} ${text}`, by }] : [])),
  );
}

/** The texts that more than one entry has. */
export function findRepeated(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter((text) => seen.size === seen.add(text).size));
}

/** Counts items by a word of each; words that none has are left out. */
export function countBy<Item>(items: readonly Item[], toWord: (item: Item) => string) {
  const groups = [...Map.groupBy(items, toWord)];
  return Object.fromEntries(groups.map(([word, some]) => [word, some.length]));
}
