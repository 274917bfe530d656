import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { LIVE, readRows } from '../../store/resources/rows.ts';
import { findLastSweptAt } from '../../store/sweeps.ts';
import { unknownProvider } from '../access/tokens.ts';
import {
  type ExportEntry,
  parseColumnMap,
  refuseNothing,
  withEntries,
} from '../exports/read-entries.ts';
import { ok, problem, route } from '../http/route.ts';
import { toMoment } from '../http/view.ts';
import { CENSUS } from '../lists/exports.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import {
  type CensusPerson,
  comparePerson,
  toCensusPerson,
  toEntryView,
  toFinding,
} from './compare.ts';
import { countBy, type Matches, matchEntries, type Shared } from './match.ts';

/** The request for a census. */
export const censusRoutes = [
  route({
    ...CENSUS,
    async handle(sources: OpsSources, { query: { filters }, req }) {
      const { provider = DEFAULT_PROVIDER } = filters;
      const map = parseColumnMap(filters.map ?? '');
      const { store, status } = sources;
      if (!(await isProvider(store.read, provider))) return unknownProvider();
      if (status.news().firstRead.kind !== 'finished')
        return problem(503, 'could-not-look', 'The service is not read yet.');
      return withEntries(
        sources,
        req,
        { map, idsOf: 'provider' },
        async (entries = refuseNothing()) => {
          // It tells and changes nothing, so it is no act.
          return { ...ok(await compareAll(sources, entries, provider)), acts: [] };
        },
      );
    },
  }),
] as const;

/** Finds what differs. It reads, and calls nobody. */
async function compareAll(
  sources: OpsSources,
  entries: readonly ExportEntry[],
  provider: string,
): Promise<OpsJson<'Census'>> {
  const matches = await matchAll(sources, entries, { provider, idAttribute: 'externalId' });
  const comparison = { provider, knowsExternalIds: matches.knowsExternalIds };
  const items: OpsJson<'Finding'>[] = [];
  const counts = { people: 0, accounts: 0, agreeing: 0 };
  for await (const person of listPeople(sources)) {
    const matched = matches.findEntry(person.id);
    // Who is a duplicate is not missing too.
    const isUnsure = matched === undefined && matches.isClaimed(person.id);
    const found = isUnsure ? undefined : comparePerson(comparison, person, matched);
    if (person.provider === provider) counts.people += 1;
    if (person.held !== undefined) counts.accounts += 1;
    if (found !== undefined) items.push(found);
    else if (matched !== undefined) counts.agreeing += 1;
  }
  // One without access need not be known.
  for (const stranger of matches.listStrangers().filter(({ active }) => active !== false)) {
    items.push(toFinding('only-provider', { entries: [toEntryView(stranger)] }));
  }
  items.push(...matches.listShared().map(toDuplicate));
  const sweptAt = toMoment((await findLastSweptAt(sources.store.read)) ?? null);
  return {
    provider,
    sweptAt,
    entries: entries.length,
    ...counts,
    kinds: countBy(items, ({ kind }) => kind),
    items,
  };
}

function toDuplicate({ by, entries, people }: Shared): OpsJson<'Finding'> {
  const named = people.map(({ id, name }) => ({ id, name }));
  return toFinding('duplicate', { by, entries: entries.map(toEntryView), people: named });
}

/** The store, and how it says who is active. */
export type Reading = Pick<OpsSources, 'store' | 'deactivation'>;

/** Matches entries with everybody whom the bridge manages or observes. */
export function matchAll(
  sources: Reading,
  entries: readonly ExportEntry[],
  sought: Parameters<typeof matchEntries>[2],
): Promise<Matches> {
  return matchEntries(entries, listPeople(sources), sought);
}

const PART = 100;

/** Everybody whom the bridge manages or observes. */
export async function* listPeople({ store, deactivation }: Reading): AsyncGenerator<CensusPerson> {
  for await (const rows of readRows(store.read, 'user', { limit: PART, where: LIVE })) {
    for (const row of rows) yield toCensusPerson(row, deactivation);
  }
}
