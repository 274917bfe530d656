import { MATCH_KEYS, type MatchKey } from '../../domain/census.ts';
import type { ExportEntry } from '../exports/read-entries.ts';
import { type CensusPerson, type Matched, toFolded } from './compare.ts';

/** Entries that share a key, or people of the bridge who do. */
export interface Shared {
  readonly by: MatchKey;
  readonly entries: readonly ExportEntry[];
  readonly people: readonly { readonly id: string; readonly name: string }[];
}

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

/** Matches of one export with everybody whom the bridge knows. */
export type Matches = Awaited<ReturnType<typeof matchEntries>>;

/** Matches these entries with people of the bridge. */
export async function matchEntries(
  entries: readonly ExportEntry[],
  people: AsyncIterable<CensusPerson>,
  sought: Sought,
) {
  const { indexes, candidates, addresses } = await collect(entries, people, sought);
  const claimed = new Set([...candidates.values()].flat().map(({ id }) => id));
  const best = [...candidates].map(([entry, some]) => ({ entry, found: findBest(some) }));
  const sure = new Map<string, Matched[]>();
  for (const { entry, found } of best) {
    const [only, second] = found;
    if (only && second === undefined) push(sure, only.id, { entry, by: only.by });
  }
  return {
    /** The entry of a person, and the key that found it; undefined: none, or more than one. */
    findEntry(id: string): Matched | undefined {
      const [found, second] = sure.get(id) ?? [];
      return second === undefined ? found : undefined;
    },
    /** True when an entry may be this person, although that is not sure. */
    isClaimed: (id: string) => claimed.has(id),
    /** Entries that are nobody whom the bridge knows. */
    listStrangers: () => entries.filter((entry) => !candidates.has(entry)),
    /** Cases in which one is two. */
    listShared: (): Shared[] => [
      ...listSharedEntries(indexes, sure),
      ...listSharedPeople({ candidates, addresses, sure }),
    ],
    /** True if an externalId matched: the export has those that the provider sends. */
    knowsExternalIds: best.some(({ found: [first] }) => first?.by === 'externalId'),
  };
}

/** Collects whom each entry may be, and who has each address. */
async function collect(
  entries: readonly ExportEntry[],
  people: AsyncIterable<CensusPerson>,
  { provider, idAttribute }: Sought,
) {
  const indexes = MATCH_KEYS.map((key) => {
    return [key, indexBy(entries, key === 'externalId' ? idAttribute : key)] as const;
  });
  const byKey = new Map(indexes);
  const candidates = new Map<ExportEntry, Candidate[]>();
  const addresses = new Map<string, Candidate[]>();
  for await (const person of people) {
    const { id, name } = person;
    for (const { key, by, text } of listKeys(person, provider)) {
      for (const entry of byKey.get(key)?.get(text) ?? []) {
        // The keys come in the order of their sureness.
        const isKnown = candidates.get(entry)?.some((known) => known.id === id);
        if (!isKnown) push(candidates, entry, { id, name, by });
      }
    }
    for (const email of person.emails) push(addresses, email, { id, name, by: 'email' });
  }
  return { indexes, candidates, addresses };
}

type Index = ReadonlyMap<string, readonly ExportEntry[]>;
type Sure = ReadonlyMap<string, readonly Matched[]>;

function indexBy(
  entries: readonly ExportEntry[],
  attribute: MatchKey | Sought['idAttribute'],
): Index {
  const isName = attribute === 'userName' || attribute === 'email';
  const index = Map.groupBy(entries, ({ texts: { [attribute]: text = '' } }) =>
    isName ? toFolded(text) : text,
  );
  index.delete('');
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

function findBest(candidates: readonly Candidate[]): readonly Candidate[] {
  const key = MATCH_KEYS.find((one) => candidates.some(({ by }) => by === one));
  return candidates.filter(({ by }) => by === key);
}

/** True for each set of several the first time. */
function createFirst<One>(toKey: (one: One) => string | number): (some: readonly One[]) => boolean {
  const known = new Set<string>();
  return (some) => {
    const key = some.map(toKey).toSorted().join();
    const isFirst = some.length > 1 && !known.has(key);
    if (isFirst) known.add(key);
    return isFirst;
  };
}

/** Rows with one key, and rows of one person under two names. */
function* listSharedEntries(
  indexes: readonly (readonly [MatchKey, Index])[],
  sure: Sure,
): Generator<Shared> {
  const isFirst = createFirst(({ row }: ExportEntry) => row);
  for (const [by, index] of indexes) {
    for (const entries of index.values()) if (isFirst(entries)) yield { by, entries, people: [] };
  }
  for (const found of sure.values()) {
    const entries = found.map(({ entry }) => entry);
    if (isFirst(entries)) yield { by: found[0]?.by ?? 'email', entries, people: [] };
  }
}

interface Collected {
  readonly candidates: ReadonlyMap<ExportEntry, readonly Candidate[]>;
  readonly addresses: ReadonlyMap<string, readonly Candidate[]>;
  readonly sure: Sure;
}

/** People whom one row may be, each row once, and people with one address. */
function* listSharedPeople({ candidates, addresses, sure }: Collected): Generator<Shared> {
  const isFirst = createFirst(({ id }: Candidate) => id);
  for (const [entry, some] of candidates) {
    // Whom a row of their own names is not this one.
    const people = some.filter(({ id }) => (sure.get(id) ?? [{ entry }])[0]?.entry === entry);
    const [first, second] = people;
    if (first === undefined || second === undefined) continue;
    isFirst(people);
    yield { by: first.by, entries: [entry], people };
  }
  for (const people of addresses.values()) {
    if (isFirst(people)) yield { by: 'email', entries: [], people };
  }
}

/** Adds a value to those of its key. */
export function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Counts values by what is found of each; what none has is left out. */
export function countBy<Value, Key extends string>(
  values: Iterable<Value>,
  toKey: (value: Value) => Key,
): Partial<Record<Key, number>> {
  const counts: Partial<Record<Key, number>> = {};
  for (const value of values) {
    const key = toKey(value);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
