import type { CensusKind } from '../../domain/census.ts';
import { createTurns, forEachInTurns, workInTurns } from '../../domain/turns.ts';
import { findLastSweptAt } from '../../store/sweeps.ts';
import { listUsersAfter } from '../../store/users/users.ts';
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
  const turns = createTurns();
  const people = listPeople(sources);
  const lists = [listKnown(people, { provider, matches, counter }), listUnknown(matches)];
  for (const list of lists) {
    for await (const found of list) {
      if (found) yield counter.told(found);
      const pause = turns();
      if (pause) await pause;
    }
  }
  return {
    ...{ provider, sweptAt: toMoment(sweptAt ?? null), entries: entries.length },
    ...counter.end(),
  };
}

interface Comparing {
  readonly provider: string;
  readonly matches: Matches;
  readonly counter: Counter;
}

/** Findings about people whom the bridge knows; undefined: there is none about this one. */
async function* listKnown(
  people: AsyncIterable<CensusPerson>,
  { provider, matches, counter }: Comparing,
): AsyncGenerator<CensusFinding | undefined> {
  const comparison = { provider, knowsExternalIds: matches.knowsExternalIds };
  for await (const person of people) {
    const matched = matches.findEntry(person.id);
    // Who is told as a duplicate is not told as missing too.
    const isUnsure = matched === undefined && matches.isClaimed(person.id);
    const found = isUnsure ? undefined : comparePerson(comparison, person, matched);
    counter.met(person, matched !== undefined && found === undefined);
    yield found;
  }
}

/** Findings about entries that are nobody, or of which one is two. */
async function* listUnknown(matches: Matches): AsyncGenerator<CensusFinding | undefined> {
  for (const stranger of matches.listStrangers()) yield stranger && compareStranger(stranger);
  for (const shared of matches.listShared()) yield shared && toDuplicate(shared);
}

/** The store, and how it says who is active. */
export type Reading = Pick<OpsSources, 'store' | 'deactivation'>;

/** Matches entries with everybody whom the bridge manages or observes. */
export async function matchAll(
  sources: Reading,
  entries: readonly ExportEntry[],
  sought: Sought,
): Promise<Matches> {
  const turns = createTurns();
  const matcher = await workInTurns(createMatcher(entries, sought), turns);
  await forEachInTurns(listPeople(sources), turns, matcher.add);
  return workInTurns(matcher.end(), turns);
}

/** Everybody whom the bridge manages or observes. */
export async function* listPeople({ store, deactivation }: Reading): AsyncGenerator<CensusPerson> {
  for (let afterSeq = 0; ; ) {
    const rows = await listUsersAfter(store.read, { afterSeq, limit: PART });
    for (const row of rows) yield toCensusPerson(row, deactivation);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PART) return;
    afterSeq = last.seq;
  }
}

function toDuplicate({ by, entries, people }: Shared): CensusFinding {
  return {
    ...{ ...NOTHING, kind: 'duplicate', by },
    entries: entries.map(toEntryView),
    people: people.map(({ id, name }) => ({ id, name })),
  };
}

type Counter = ReturnType<typeof createCounter>;

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
