import { listFoldedEmails } from '../../domain/address.ts';
import { MATCH_KEYS, type MatchKey } from '../../domain/census.ts';
import { foldCase, type JsonObject } from '../../domain/values.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { LIVE, type ResourceRow, readRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ExportEntry } from '../exports/read-entries.ts';

/** Entry of a person or group, and the key that found it. */
export interface Matched {
  readonly entry: ExportEntry;
  readonly by: MatchKey;
}

interface Candidate {
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
  const candidates = await findCandidates(db, entries, sought);
  const rows = new Map<string, Matched[]>();
  const best = new Map<ExportEntry, Candidate>();
  for (const [entry, some] of candidates) {
    const key = MATCH_KEYS.find((one) => some.some(({ by }) => by === one));
    const [first, second] = some.filter(({ by }) => by === key);
    if (first === undefined || second !== undefined) continue;
    best.set(entry, first);
    push(rows, first.id, { entry, by: first.by });
  }
  const entryOf = new Map<string, Matched | 'unsure'>();
  for (const { id } of [...candidates.values()].flat()) {
    const [only, second] = rows.get(id) ?? [];
    entryOf.set(id, only === undefined || second !== undefined ? 'unsure' : only);
  }
  return {
    /** The entry of a person or group; `unsure`: some may be this one. */
    entryOf,
    /** The person or group of an entry; `unsure`: it may be several. A stranger has none. */
    findOwner(entry: ExportEntry): Candidate | 'unsure' | undefined {
      const owner = best.get(entry);
      if (owner !== undefined && rows.get(owner.id)?.length === 1) return owner;
      return candidates.has(entry) ? 'unsure' : undefined;
    },
    strangers: entries.filter((entry) => !candidates.has(entry)),
    shared: [...listShared(candidates, rows)],
    /** True if an externalId matched: the export has those that the provider sends. */
    knowsExternalIds: [...best.values()].some(({ by }) => by === 'externalId'),
  };
}

const PART = 100;

/** Reads users or groups one by one, those that are not deleted. */
export async function* eachRow<Type extends Sought['type']>(
  db: Db,
  type: Type,
  where: Parameters<typeof readRows>[2]['where'] = LIVE,
) {
  for await (const rows of readRows(db, type, { limit: PART, where })) yield* rows;
}

/** Finds whom each entry may be; the surest key that fits is kept of each. */
async function findCandidates(
  db: Db,
  entries: readonly ExportEntry[],
  { type, provider, idAttribute }: Sought,
) {
  const keyed = entries.flatMap((entry) => {
    const { [idAttribute]: externalId, userName = '', displayName = '', email = '' } = entry.texts;
    const isUser = type === 'user';
    const name = toFolded(isUser ? userName : displayName);
    const keys = { externalId, userName: name, email: isUser ? toFolded(email) : '' };
    const some = Object.entries(keys).filter(([, text]) => text);
    return some.map((key) => ({ key: key.join(' '), entry }));
  });
  const index = Map.groupBy(keyed, ({ key }) => key);
  const candidates = new Map<ExportEntry, Candidate[]>();
  for await (const row of eachRow(db, type)) {
    const { id, name } = row;
    const fitting = listRowKeys(row, provider).flatMap(([key, by]) =>
      (index.get(key) ?? []).map(({ entry }) => ({ entry, by })),
    );
    for (const { entry, by } of fitting) {
      const isKnown = candidates.get(entry)?.some((one) => one.id === id);
      if (!isKnown) push(candidates, entry, { id, name, by });
    }
  }
  return candidates;
}

/** What an entry of this row may say, the surest first, and by which key it is found. Names and addresses are one. */
function listRowKeys(row: ResourceRow, provider: string) {
  const isUser = row.type === 'user';
  const isOfProvider = row.origin !== null && row.provider === provider;
  const list = (...texts: readonly (string | null)[]) => texts.flatMap((text) => text || []);
  const names = list(row.name_folded, isUser ? row.observed_user_name_folded : null);
  const known = isUser ? listFoldedEmails(parseStored<JsonObject>(row.attributes)) : [];
  const emails = [...known, ...list(isUser ? row.observed_email_folded : null)];
  const toKeys = (key: MatchKey, texts: readonly string[], by: MatchKey) =>
    texts.map((text) => [`${key} ${text}`, by] as const);
  return [
    ...toKeys('externalId', list(isOfProvider ? row.external_id : null), 'externalId'),
    ...toKeys('userName', names, 'userName'),
    ...toKeys('email', emails, 'email'),
    ...toKeys('email', names, 'userName'),
    ...toKeys('userName', emails, 'email'),
  ];
}

/** Cases in which one is two: rows that are one person, then people whom one row may be. */
function* listShared(
  candidates: ReadonlyMap<ExportEntry, readonly Candidate[]>,
  rows: ReadonlyMap<string, readonly Matched[]>,
) {
  for (const [first, ...others] of rows.values()) {
    if (first === undefined || others.length === 0) continue;
    yield { by: first.by, entries: [first, ...others].map(({ entry }) => entry), people: [] };
  }
  for (const [entry, some] of candidates) {
    // Whom a row of their own names is not this one.
    const people = some.filter(({ id }) => (rows.get(id) ?? [{ entry }])[0]?.entry === entry);
    const [first, second] = people;
    if (first !== undefined && second !== undefined)
      yield { by: first.by, entries: [entry], people };
  }
}

/** Folded text for comparing names. */
export function toFolded(text: string): string {
  return foldCase(text.trim());
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Counts values by what is found of each; what none has is left out. */
export function countBy<Value>(values: readonly Value[], toKey: (value: Value) => string) {
  const groups = [...Map.groupBy(values, toKey)];
  return Object.fromEntries(groups.map(([key, some]) => [key, some.length]));
}
