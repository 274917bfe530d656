import { MATCH_KEYS, type MatchKey } from '../../domain/census.ts';
import type { ExportEntry } from '../exports/read-entries.ts';
import { type CensusPerson, toFolded } from './person.ts';

/** Entries that share a key, or people of the bridge who do. */
export interface Shared {
  readonly by: MatchKey;
  readonly entries: readonly ExportEntry[];
  readonly people: readonly { readonly id: string; readonly name: string }[];
}

/** Matches of one export with everybody whom the bridge knows. */
export interface Matches {
  /** The entry of a person, and the key that found it; undefined: none, or more than one. */
  readonly findEntry: (
    id: string,
  ) => { readonly entry: ExportEntry; readonly by: MatchKey } | undefined;
  /** True when an entry may be this person, although that is not sure. */
  readonly isClaimed: (id: string) => boolean;
  /** Entries that are nobody whom the bridge knows. */
  readonly listStrangers: () => readonly ExportEntry[];
  /** Cases in which one is two. */
  readonly listShared: () => readonly Shared[];
  /** True when an externalId has found somebody: the export has those that the provider sends. */
  readonly knowsExternalIds: boolean;
}

/** Collects matches: `add` is called once for each person. */
export interface Matcher {
  readonly add: (person: CensusPerson) => void;
  readonly end: () => Matches;
}

/** A person who may be an entry. */
interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly by: MatchKey;
}

/** Provider whose people are looked for, and the attribute of the entries that has its externalIds. */
export interface Sought {
  readonly provider: string;
  readonly idAttribute: 'externalId' | 'formerExternalId';
}

/** Creates a matcher of these entries. */
export function createMatcher(
  entries: readonly ExportEntry[],
  { provider, idAttribute }: Sought,
): Matcher {
  const indexes = new Map<MatchKey, Index>();
  for (const key of MATCH_KEYS) {
    const attribute = key === 'externalId' ? idAttribute : key;
    indexes.set(key, indexBy(entries, attribute));
  }
  const candidates = new Map<ExportEntry, Candidate[]>();
  const addresses = new Map<string, Candidate[]>();
  const note = (entry: ExportEntry, found: Candidate) => {
    const known = candidates.get(entry) ?? [];
    // The keys come in the order of their sureness.
    if (!known.some(({ id }) => id === found.id)) candidates.set(entry, [...known, found]);
  };
  return {
    add(person) {
      const { id, name } = person;
      for (const { key, by, text } of listKeys(person, provider)) {
        for (const entry of indexes.get(key)?.get(text) ?? []) note(entry, { id, name, by });
      }
      for (const email of person.emails) push(addresses, email, { id, name, by: 'email' });
    },
    end: () => toMatches({ entries, indexes, candidates, addresses }),
  };
}

type Index = ReadonlyMap<string, readonly ExportEntry[]>;

function indexBy(
  entries: readonly ExportEntry[],
  attribute: MatchKey | Sought['idAttribute'],
): Index {
  const index = new Map<string, ExportEntry[]>();
  const isName = attribute === 'userName' || attribute === 'email';
  for (const entry of entries) {
    const text = entry.texts[attribute] ?? '';
    if (text !== '') push(index, isName ? toFolded(text) : text, entry);
  }
  return index;
}

/** A name and an address of one are the same to the service, so each is looked for among both. */
function* listKeys(
  { provider: owner, externalIds, userNames, emails }: CensusPerson,
  provider: string,
) {
  for (const text of owner === provider ? externalIds : []) {
    yield { key: 'externalId', by: 'externalId', text } as const;
  }
  for (const text of userNames) yield { key: 'userName', by: 'userName', text } as const;
  for (const text of emails) yield { key: 'email', by: 'email', text } as const;
  for (const text of userNames) yield { key: 'email', by: 'email', text } as const;
  for (const text of emails) yield { key: 'userName', by: 'email', text } as const;
}

interface Collected {
  readonly entries: readonly ExportEntry[];
  readonly indexes: ReadonlyMap<MatchKey, Index>;
  readonly candidates: ReadonlyMap<ExportEntry, readonly Candidate[]>;
  readonly addresses: ReadonlyMap<string, readonly Candidate[]>;
}

function toMatches(collected: Collected): Matches {
  const { entries, candidates } = collected;
  const sure = new Map<string, { entry: ExportEntry; by: MatchKey }[]>();
  const claimed = new Set<string>();
  let knowsExternalIds = false;
  for (const [entry, some] of candidates) {
    for (const { id } of some) claimed.add(id);
    const [found, second] = findBest(some);
    if (found?.by === 'externalId') knowsExternalIds = true;
    if (found !== undefined && second === undefined) push(sure, found.id, { entry, by: found.by });
  }
  return {
    findEntry(id) {
      const [found, second] = sure.get(id) ?? [];
      return second === undefined ? found : undefined;
    },
    isClaimed: (id) => claimed.has(id),
    listStrangers: () => entries.filter((entry) => !candidates.has(entry)),
    listShared: () => [...listSharedEntries(collected, sure), ...listSharedPeople(collected, sure)],
    knowsExternalIds,
  };
}

/** Candidates by the surest key. */
function findBest(candidates: readonly Candidate[]): readonly Candidate[] {
  const key = MATCH_KEYS.find((one) => candidates.some(({ by }) => by === one));
  return candidates.filter(({ by }) => by === key);
}

/** People of the bridge for whom one entry alone is sure, by their ids. */
type Sure = ReadonlyMap<string, readonly { readonly entry: ExportEntry; readonly by: MatchKey }[]>;

/** Rows with one key, and rows of one person under two names. */
function* listSharedEntries({ indexes }: Collected, sure: Sure): Generator<Shared> {
  const told = new Set<string>();
  for (const [by, index] of indexes) {
    for (const entries of index.values()) {
      const isNew = entries.length > 1 && !told.has(toRows(entries));
      if (!isNew) continue;
      told.add(toRows(entries));
      yield { by, entries, people: [] };
    }
  }
  for (const found of sure.values()) {
    const [first] = found;
    const entries = found.map(({ entry }) => entry);
    const isNew = first !== undefined && found.length > 1 && !told.has(toRows(entries));
    if (isNew) yield { by: first.by, entries, people: [] };
  }
}

/** People whom one row may be, and people with one address. */
function* listSharedPeople({ candidates, addresses }: Collected, sure: Sure): Generator<Shared> {
  const told = new Set<string>();
  for (const [entry, some] of candidates) {
    // Whom a row of their own names is not this one.
    const people = some.filter(({ id }) => (sure.get(id) ?? [{ entry }])[0]?.entry === entry);
    const [first] = people;
    const isNew = first !== undefined && people.length > 1;
    if (!isNew) continue;
    told.add(toIds(people));
    yield { by: first.by, entries: [entry], people };
  }
  for (const people of addresses.values()) {
    const isNew = people.length > 1 && !told.has(toIds(people));
    if (!isNew) continue;
    told.add(toIds(people));
    yield { by: 'email', entries: [], people };
  }
}

function toRows(entries: readonly ExportEntry[]): string {
  return entries.map(({ row }) => row).join();
}

function toIds(people: readonly Candidate[]): string {
  return people
    .map(({ id }) => id)
    .toSorted()
    .join();
}

/** Adds a value to those of its key. */
export function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
