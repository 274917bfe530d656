import { listFoldedEmails } from '../../domain/address.ts';
import type { CensusKind } from '../../domain/census.ts';
import { fullName, normaliseName } from '../../domain/name.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { isGone } from '../../domain/resource-state.ts';
import * as user from '../../domain/user.ts';
import { isJsonObject, type JsonObject } from '../../domain/values.ts';
import { findLastSweptAt } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import {
  EXPORT_ATTRIBUTES,
  type ExportAttribute,
  type ExportEntry,
  refuseNothing,
  withEntries,
} from '../exports/read-entries.ts';
import { Problem } from '../http/body.ts';
import { ok, route } from '../http/route.ts';
import { CENSUS } from '../lists/exports.ts';
import { type OpsJson, toMoment } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { countBy, eachRow, type Matched, matchEntries, toFolded } from './match.ts';
import { handoverRoute, importRoute } from './take-over.ts';

/** Requests with a provider's export. */
export const exportRoutes = [
  route(CENSUS, async (sources, { query: { filters }, req }) => {
    const { provider = DEFAULT_PROVIDER, map } = filters;
    const reading = { map, idsOf: 'provider', providers: [provider] } as const;
    if (sources.news().firstRead.kind !== 'finished')
      throw new Problem(503, 'could-not-look', 'The service is not read yet.');
    return withEntries(sources, req, reading, async (entries = refuseNothing()) => {
      // It tells and changes nothing, so it is no act.
      return { ...ok(await takeCensus(sources, entries, provider)), acts: [] };
    });
  }),
  handoverRoute,
  importRoute,
] as const;

type Finding = OpsJson<'Finding'>;
type Difference = Finding['differences'][number];

/** An id of the export is of another server; externalIds are compared where one of them is known. */
const COMPARED = EXPORT_ATTRIBUTES.filter((name) => name !== 'id' && name !== 'externalId');

async function takeCensus(
  { store: { read: db }, rules: { deactivation } }: OpsSources,
  entries: readonly ExportEntry[],
  provider: string,
): Promise<OpsJson<'Census'>> {
  const sought = { type: 'user', provider, idAttribute: 'externalId' } as const;
  const matches = await matchEntries(db, entries, sought);
  const { entryOf, strangers, shared } = matches;
  const attributes = matches.knowsExternalIds ? ['externalId' as const, ...COMPARED] : COMPARED;
  const items: Finding[] = [];
  const counts = { people: 0, accounts: 0, agreeing: 0 };
  for await (const row of eachRow(db, 'user')) {
    const person = toPerson(row, deactivation);
    const matched = entryOf.get(row.id);
    counts.people += Number(person.provider === provider);
    counts.accounts += Number(person.held !== undefined);
    // Who is a duplicate is not missing too.
    if (matched === 'unsure') continue;
    const found = compare(person, matched, { provider, attributes });
    counts.agreeing += Number(matched !== undefined && found === undefined);
    if (found !== undefined) items.push(found);
  }
  // One without access need not be known.
  for (const stranger of strangers.filter(({ active }) => active !== false))
    items.push(toFinding('only-provider', { entries: [toEntryView(stranger)] }));
  for (const { by, entries: rows, people } of shared) {
    const named = people.map(({ id, name }) => ({ id, name }));
    items.push(toFinding('duplicate', { by, entries: rows.map(toEntryView), people: named }));
  }
  const sweptAt = toMoment((await findLastSweptAt(db)) ?? null);
  const kinds = countBy(items, ({ kind }) => kind);
  return { provider, sweptAt, entries: entries.length, ...counts, kinds, items };
}

function toFinding(kind: CensusKind, parts: Partial<Finding>): Finding {
  return { kind, by: null, entries: [], people: [], provider: null, differences: [], ...parts };
}

function toEntryView({ row, texts }: ExportEntry): Finding['entries'][number] {
  return { row, name: texts.userName || texts.email || null };
}

type Person = ReturnType<typeof toPerson>;

/** A person as a census sees one. Without a provider the bridge only observes, and wants nothing. */
function toPerson(row: UserRow, deactivation: user.Deactivation) {
  const { id, name, origin, external_id: externalId } = row;
  const { desired, observed, cells } = toUserState(row);
  const isManaged = origin !== null;
  const held = observed === undefined || isGone(observed) ? undefined : observed;
  return {
    id,
    name,
    provider: isManaged ? row.provider : null,
    externalId,
    wanted: isManaged
      ? {
          attributes: parseStored<JsonObject>(row.attributes),
          active: user.isWantedActive(desired, deactivation),
        }
      : undefined,
    held: held && {
      active: user.isObservedActive(held, deactivation),
      fullName: held.fullName,
      isNamedOtherwise:
        isManaged && user.listUserDifferences(desired, held, cells, deactivation).includes('name'),
    },
  };
}

interface Comparison {
  readonly provider: string;
  readonly attributes: readonly ExportAttribute[];
}

/** Finding about one person; undefined: everything agrees. A person without access need not be anywhere. */
function compare(person: Person, matched: Matched | undefined, comparison: Comparison) {
  const { id, name, provider, wanted, held } = person;
  const people = [{ id, name }];
  const isOther = provider !== null && provider !== comparison.provider;
  const hasAccess = wanted?.active || held?.active;
  if (matched === undefined) {
    return isOther || !hasAccess ? undefined : toFinding(toAbsent(person), { people, provider });
  }
  const { entry, by } = matched;
  const found = { by, entries: [toEntryView(entry)], people, provider };
  if (isOther) return toFinding('of-other', found);
  if (entry.active === false && !hasAccess) return undefined;
  const texts = compareTexts(person, entry, comparison.attributes);
  const seen = [
    ...compareActive(person, entry),
    ...texts,
    ...compareHeldName(person, entry, texts),
  ];
  const differing = { ...found, differences: seen };
  if (wanted === undefined) return toFinding('not-bridge', differing);
  if (held === undefined) return toFinding('not-service', differing);
  return seen.length === 0 ? undefined : toFinding('differs', differing);
}

function toAbsent({ wanted, held }: Person): CensusKind {
  if (wanted === undefined) return 'only-service';
  return held === undefined ? 'only-bridge' : 'not-provider';
}

function compareActive({ wanted, held }: Person, { active }: ExportEntry): Difference[] {
  const [bridge, service] = [wanted?.active ?? null, held?.active ?? null];
  if (active === undefined || ![bridge, service].includes(!active)) return [];
  return [{ attribute: 'active', provider: active, bridge, service }];
}

function compareTexts(
  { externalId, wanted }: Person,
  { texts }: ExportEntry,
  attributes: readonly ExportAttribute[],
): Difference[] {
  if (wanted === undefined) return [];
  return attributes.flatMap((attribute): Difference[] => {
    const { [attribute]: text } = texts;
    const isId = attribute === 'externalId';
    const known = isId ? [externalId ?? []].flat() : listTexts(wanted.attributes, attribute);
    if (text === undefined || isAgreed(attribute, text, known)) return [];
    return [{ attribute, provider: text, bridge: known[0] ?? null, service: null }];
  });
}

/** Finds an account whose name others changed, where the file has the name that is wanted. */
function compareHeldName(
  { held }: Person,
  { texts }: ExportEntry,
  differences: readonly Difference[],
): Difference[] {
  const { 'name.givenName': givenName = '', 'name.familyName': familyName = '' } = texts;
  if (!held?.isNamedOtherwise || givenName + familyName === '') return [];
  if (differences.some(({ attribute }) => attribute.startsWith('name.'))) return [];
  const name = fullName({ givenName, familyName });
  return [{ attribute: 'name', provider: name, bridge: name, service: held.fullName }];
}

/** True where the texts of one of them agree, or one does not say. An account without an address goes by its owner's name. */
function isAgreed(attribute: ExportAttribute, text: string, known: readonly string[]): boolean {
  const isName = attribute === 'userName' || attribute === 'email';
  const isId = attribute === 'externalId';
  if (text === '' && (isName || isId)) return true;
  const toForm = isName ? toFolded : isId ? String : normaliseName;
  return known.length === 0 || known.some((one) => toForm(one) === toForm(text));
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Texts of an attribute that the bridge has of a person; none: no provider ever sent it. */
function listTexts(attributes: JsonObject, attribute: ExportAttribute): readonly string[] {
  if (attribute === 'email') return listFoldedEmails(attributes);
  const [name = '', part] = attribute.split('.');
  const places = part === undefined ? [attributes, attributes[ENTERPRISE]] : [attributes[name]];
  const found = places.map((place) => (isJsonObject(place) ? place[part ?? name] : undefined));
  return found.flatMap((value) => (typeof value === 'string' ? [value] : []));
}
