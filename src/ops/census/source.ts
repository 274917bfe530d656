import type { CensusKind } from '../../domain/census.ts';
import { readRows } from '../../store/resources/rows.ts';
import { findLastSweptAt } from '../../store/sweeps.ts';
import type { ExportEntry } from '../exports/read-entries.ts';
import { toMoment } from '../http/moment.ts';
import type { CensusAnswer, CensusFinding } from '../schemas/census.ts';
import type { OpsSources } from '../sources.ts';
import { comparePerson, compareStranger, NOTHING, toEntryView } from './compare.ts';
import { createMatcher, type Matches, type Shared, type Sought } from './match.ts';
import { type CensusPerson, toCensusPerson } from './person.ts';

/** A provider's export that is to be compared. */
export interface CensusRequest {
  readonly provider: string;
  readonly entries: readonly ExportEntry[];
}

/** Numbers of a census. */
export type CensusTotals = Omit<CensusAnswer, 'items'>;

/** Rows that are read at once. */
const PART = 100;

/** Finds what differs, and tells the numbers of all at the end. It reads, and calls nobody. */
export async function* compareAll(
  sources: Reading,
  { provider, entries }: CensusRequest,
): AsyncGenerator<CensusFinding, CensusTotals, undefined> {
  const sweptAt = await findLastSweptAt(sources.store.read);
  const matches = await matchAll(sources, entries, { provider, idAttribute: 'externalId' });
  const counter = createCounter(provider);
  const comparison = { provider, knowsExternalIds: matches.knowsExternalIds };
  for await (const person of listPeople(sources)) {
    const matched = matches.findEntry(person.id);
    // Who is told as a duplicate is not told as missing too.
    const isUnsure = matched === undefined && matches.isClaimed(person.id);
    const found = isUnsure ? undefined : comparePerson(comparison, person, matched);
    counter.met(person, matched !== undefined && found === undefined);
    if (found) yield counter.told(found);
  }
  for (const stranger of matches.listStrangers()) {
    const found = compareStranger(stranger);
    if (found) yield counter.told(found);
  }
  for (const shared of matches.listShared()) yield counter.told(toDuplicate(shared));
  return {
    ...{ provider, sweptAt: toMoment(sweptAt ?? null), entries: entries.length },
    ...counter.end(),
  };
}

/** The store, and how it says who is active. */
export type Reading = Pick<OpsSources, 'store' | 'deactivation'>;

/** Matches entries with everybody whom the bridge manages or observes. */
export async function matchAll(
  sources: Reading,
  entries: readonly ExportEntry[],
  sought: Sought,
): Promise<Matches> {
  const matcher = createMatcher(entries, sought);
  for await (const person of listPeople(sources)) matcher.add(person);
  return matcher.end();
}

/** Everybody whom the bridge manages or observes. */
export async function* listPeople({ store, deactivation }: Reading): AsyncGenerator<CensusPerson> {
  for await (const rows of readRows(store.read, 'user', { limit: PART, of: 'live' })) {
    for (const row of rows) yield toCensusPerson(row, deactivation);
  }
}

function toDuplicate({ by, entries, people }: Shared): CensusFinding {
  return {
    ...{ ...NOTHING, kind: 'duplicate', by },
    entries: entries.map(toEntryView),
    people: people.map(({ id, name }) => ({ id, name })),
  };
}

function createCounter(provider: string) {
  const kinds: Partial<Record<CensusKind, number>> = {};
  let [people, accounts, agreeing] = [0, 0, 0];
  return {
    met({ provider: owner, held }: CensusPerson, isAgreed: boolean): void {
      if (owner === provider) people += 1;
      if (held !== undefined) accounts += 1;
      if (isAgreed) agreeing += 1;
    },
    told(found: CensusFinding): CensusFinding {
      kinds[found.kind] = (kinds[found.kind] ?? 0) + 1;
      return found;
    },
    end: () => ({ people, accounts, agreeing, kinds }),
  };
}
