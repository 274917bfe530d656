import type { CensusKind } from '../../domain/census.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { readRows } from '../../store/resources/rows.ts';
import { findLastSweptAt } from '../../store/sweeps.ts';
import { unknownProvider } from '../access/tokens.ts';
import {
  type ExportEntry,
  fileTaken,
  parseColumnMap,
  readFileEntries,
} from '../exports/read-entries.ts';
import { toMoment } from '../http/moment.ts';
import { problem, route, toItemsJson } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import {
  type CensusPerson,
  comparePerson,
  compareStranger,
  NOTHING,
  toCensusPerson,
  toEntryView,
} from './compare.ts';
import { type Matches, matchEntries } from './match.ts';

/** The request for a census. */
export const censusRoutes = [
  route({
    method: 'post',
    path: '/census',
    tag: 'Census',
    summary:
      "Compares a provider's own export of its people (CSV, or one JSON object a line) with the bridge and with the service as it was last seen. Changes nothing.",
    parameters: { provider: 'text', map: 'text' },
    meanings: {
      provider: 'Whose export it is; `default` when left out.',
      map: '`column=attribute` with commas, for columns that are not known; `column=` leaves one out.',
    },
    file: 'text/csv',
    readers: [],
    answers: { 200: 'Census', 404: 'Problem', 429: 'Problem', 503: 'Problem' },
    async handle(sources: OpsSources, { query: { filters }, req, res }) {
      const { provider = DEFAULT_PROVIDER } = filters;
      const map = parseColumnMap(filters.map ?? '');
      const { store, status, reserve } = sources;
      if (!(await isProvider(store.read, provider))) return unknownProvider();
      const { kind } = await status.readFirstRead();
      if (kind !== 'finished')
        return problem(503, 'could-not-look', 'The service is not read yet.');
      const end = reserve();
      if (end === undefined) return fileTaken();
      // Also where nobody waits for the answer any more.
      res.once('close', end);
      const entries = await readFileEntries(req, { map, idsOf: 'provider' }).catch(
        (error: unknown) => {
          end();
          throw error;
        },
      );
      const sweptAt = toMoment((await findLastSweptAt(store.read)) ?? null);
      const totals = { provider, sweptAt, entries: entries.length, ...NO_COUNTS, kinds: {} };
      const parts = toItemsJson(compareAll(sources, entries, totals), () => {
        // Before the answer ends, so that who reads it may ask again.
        end();
        return totals;
      });
      // It tells and changes nothing, so it is no act.
      return { status: 200, parts, acts: [] };
    },
  }),
] as const;

/** Numbers of a census, which are known at its end. */
interface Totals {
  readonly provider: string;
  people: number;
  accounts: number;
  agreeing: number;
  readonly kinds: Partial<Record<CensusKind, number>>;
}

const NO_COUNTS = { people: 0, accounts: 0, agreeing: 0 };

/** Finds what differs, and counts in `totals`. It reads, and calls nobody. */
async function* compareAll(
  sources: Reading,
  entries: readonly ExportEntry[],
  totals: Totals,
): AsyncGenerator<OpsJson<'Finding'>> {
  for await (const found of listFindings(sources, entries, totals)) {
    totals.kinds[found.kind] = (totals.kinds[found.kind] ?? 0) + 1;
    yield found;
  }
}

async function* listFindings(
  sources: Reading,
  entries: readonly ExportEntry[],
  totals: Totals,
): AsyncGenerator<OpsJson<'Finding'>> {
  const { provider } = totals;
  const matches = await matchAll(sources, entries, { provider, idAttribute: 'externalId' });
  const comparison = { provider, knowsExternalIds: matches.knowsExternalIds };
  for await (const person of listPeople(sources)) {
    const matched = matches.findEntry(person.id);
    // Who is a duplicate is not missing too.
    const isUnsure = matched === undefined && matches.isClaimed(person.id);
    const found = isUnsure ? undefined : comparePerson(comparison, person, matched);
    count(totals, person, matched !== undefined && found === undefined);
    if (found) yield found;
  }
  for (const stranger of matches.listStrangers()) {
    const found = compareStranger(stranger);
    if (found) yield found;
  }
  for (const { by, entries: rows, people } of matches.listShared()) {
    const named = people.map(({ id, name }) => ({ id, name }));
    yield { ...NOTHING, kind: 'duplicate', by, entries: rows.map(toEntryView), people: named };
  }
}

function count(totals: Totals, { provider, held }: CensusPerson, isAgreed: boolean): void {
  if (provider === totals.provider) totals.people += 1;
  if (held !== undefined) totals.accounts += 1;
  if (isAgreed) totals.agreeing += 1;
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

/** Rows that are read at once. */
const PART = 100;

/** Everybody whom the bridge manages or observes. */
export async function* listPeople({ store, deactivation }: Reading): AsyncGenerator<CensusPerson> {
  for await (const rows of readRows(store.read, 'user', { limit: PART, of: 'live' })) {
    for (const row of rows) yield toCensusPerson(row, deactivation);
  }
}
