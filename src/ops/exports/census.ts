import { listFoldedEmails } from '../../domain/address.ts';
import type { CensusKind } from '../../domain/census.ts';
import * as user from '../../domain/kinds.ts';
import { isGone } from '../../domain/kinds.ts';
import { fullName, normaliseName } from '../../domain/name.ts';
import { foldCase, isJsonObject, type JsonObject } from '../../domain/values.ts';
import { findLastSweptAt } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { type OpsJson, toMoment } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { countBy, eachRow, type Match, matchEntries } from './match.ts';
import { EXPORT_ATTRIBUTES, type ExportAttribute, type ExportEntry } from './read-entries.ts';

type Finding = OpsJson<'Finding'>;
type Difference = Finding['differences'][number];

/** Compares the people of an export with the bridge and the service. */
export async function takeCensus(
  { store: { read: db }, rules: { deactivation } }: OpsSources,
  entries: readonly ExportEntry[],
  provider: string,
): Promise<OpsJson<'Census'>> {
  const sought = { type: 'user', provider, idAttribute: 'externalId' } as const;
  const matches = await matchEntries(db, entries, sought);
  // An id of the export is of another server; externalIds are compared where one of them is known.
  const left = matches.knowsExternalIds ? ['id'] : ['id', 'externalId'];
  const compared = EXPORT_ATTRIBUTES.filter((name) => !left.includes(name));
  const found: Finding[] = [];
  const counts = { people: 0, accounts: 0, agreeing: 0 };
  for await (const row of eachRow(db, 'user')) {
    const person = toPerson(row, deactivation);
    const match = matches.findOfId(row.id);
    counts.people += Number(person.provider === provider);
    counts.accounts += Number(person.held !== undefined);
    // Who is a duplicate is not missing too.
    if (match === 'unsure') continue;
    const isOther = person.provider !== null && person.provider !== provider;
    const differences = match && !isOther ? listDifferences(person, match.entry, compared) : [];
    const kind = findKind(person, match, isOther, differences);
    counts.agreeing += Number(match !== undefined && kind === undefined);
    if (kind !== undefined)
      found.push({
        ...toFinding(kind, match ? [match] : [], [person]),
        provider: person.provider,
        differences,
      });
  }
  // One without access need not be known.
  const strangers = matches.strangers.filter(({ active }) => active !== false);
  const items = [
    ...found,
    ...strangers.map((entry) => toFinding('only-provider', [{ entry, by: null }], [])),
    ...matches.repeated.map((some) => toFinding('duplicate', some, [])),
    ...matches.alike.map((some) => toFinding('duplicate', some.slice(0, 1), some)),
  ];
  const sweptAt = toMoment((await findLastSweptAt(db)) ?? null);
  const kinds = countBy(items, ({ kind }) => kind);
  return { provider, sweptAt, entries: entries.length, ...counts, kinds, items };
}

function toFinding(
  kind: CensusKind,
  matches: readonly { readonly entry: ExportEntry; readonly by: Finding['by'] }[],
  people: readonly Pick<Match, 'id' | 'name'>[],
): Finding {
  return {
    kind,
    by: matches[0]?.by ?? null,
    entries: matches.map(({ entry: { row, texts } }) => {
      return { row, name: texts.userName || texts.email || null };
    }),
    people: people.map(({ id, name }) => ({ id, name })),
    provider: null,
    differences: [],
  };
}

type Person = ReturnType<typeof toPerson>;

/** A person as a census sees one. Without a provider the bridge only observes, and wants nothing. */
function toPerson(row: UserRow, deactivation: user.Deactivation) {
  const { id, name, provider, external_id: externalId } = row;
  const { desired, observed, cells } = toUserState(row);
  const isManaged = row.origin !== null;
  const held = observed === undefined || isGone(observed) ? undefined : observed;
  const attributes = { ...parseStored<JsonObject>(row.attributes), externalId };
  return {
    id,
    name,
    provider: isManaged ? provider : null,
    wanted: isManaged ? { attributes, active: user.isWorking(desired, deactivation) } : undefined,
    held: held && {
      active: user.isWorking(held, deactivation),
      fullName: held.fullName,
      isNamedOtherwise:
        isManaged && user.listUserDifferences(desired, held, cells, deactivation).includes('name'),
    },
  };
}

/** The kind of finding about one person; undefined: everything agrees. A person without access need not be anywhere. */
function findKind(
  { wanted, held }: Person,
  match: Match | undefined,
  isOther: boolean,
  differences: readonly Difference[],
): CensusKind | undefined {
  const hasAccess = wanted?.active || held?.active;
  if (match === undefined) {
    if (isOther || !hasAccess) return undefined;
    if (wanted === undefined) return 'only-service';
    return held === undefined ? 'only-bridge' : 'not-provider';
  }
  if (isOther) return 'of-other';
  if (match.entry.active === false && !hasAccess) return undefined;
  if (wanted === undefined) return 'not-bridge';
  if (held === undefined) return 'not-service';
  return differences.length === 0 ? undefined : 'differs';
}

function listDifferences(
  { wanted, held }: Person,
  { active, texts }: ExportEntry,
  attributes: readonly ExportAttribute[],
): Difference[] {
  const found: Difference[] = [];
  const [bridge, service] = [wanted?.active ?? null, held?.active ?? null];
  if (active !== undefined && [bridge, service].includes(!active))
    found.push({ attribute: 'active', provider: active, bridge, service });
  if (wanted === undefined) return found;
  for (const attribute of attributes) {
    const { [attribute]: text } = texts;
    const known = listTexts(wanted.attributes, attribute);
    if (text !== undefined && !isAgreed(attribute, text, known))
      found.push({ attribute, provider: text, bridge: known[0] ?? null, service: null });
  }
  // An account whose name others changed, where the file has the name that is wanted.
  const { 'name.givenName': givenName = '', 'name.familyName': familyName = '' } = texts;
  const isNamed = givenName + familyName !== '';
  const isAsWanted = !found.some(({ attribute }) => attribute.startsWith('name.'));
  if (!held?.isNamedOtherwise || !isNamed || !isAsWanted) return found;
  const name = fullName({ givenName, familyName });
  return [...found, { attribute: 'name', provider: name, bridge: name, service: held.fullName }];
}

/** True where the texts of one of them agree, or one does not say. An account without an address goes by its owner's name. */
function isAgreed(attribute: ExportAttribute, text: string, known: readonly string[]): boolean {
  const isName = attribute === 'userName' || attribute === 'email';
  const isId = attribute === 'externalId';
  if (text === '' && (isName || isId)) return true;
  const toForm = isName ? (one: string) => foldCase(one.trim()) : isId ? String : normaliseName;
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
