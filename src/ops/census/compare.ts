import { listFoldedEmails } from '../../domain/address.ts';
import type { CensusKind, MatchKey } from '../../domain/census.ts';
import { foldCase } from '../../domain/fold.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { fullName, normaliseName } from '../../domain/name.ts';
import { isGone } from '../../domain/resource-state.ts';
import {
  type Deactivation,
  isObservedActive,
  isWantedActive,
  listUserDifferences,
} from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import {
  EXPORT_ATTRIBUTES,
  type ExportAttribute,
  type ExportEntry,
} from '../exports/read-entries.ts';
import type { OpsJson } from '../schemas/schemas.ts';

type Finding = OpsJson<'Finding'>;

interface Comparison {
  /** The provider of the export. */
  readonly provider: string;
  /** True: externalIds of the export are those that the provider sends. */
  readonly knowsExternalIds: boolean;
}

/** Entry of a person, and the key that found it. */
export interface Matched {
  readonly entry: ExportEntry;
  readonly by: MatchKey;
}

/** Finding about one person; undefined: everything agrees. A person without access need not be anywhere. */
export function comparePerson(
  comparison: Comparison,
  person: CensusPerson,
  matched: Matched | undefined,
): Finding | undefined {
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
  const differences = listDifferences(comparison, person, matched);
  if (wanted === undefined) return toFinding('not-bridge', { ...found, differences });
  if (held === undefined) return toFinding('not-service', { ...found, differences });
  return differences.length === 0 ? undefined : toFinding('differs', { ...found, differences });
}

function toAbsent({ wanted, held }: CensusPerson): CensusKind {
  if (wanted === undefined) return 'only-service';
  return held === undefined ? 'only-bridge' : 'not-provider';
}

/** An entry as operators are shown it. */
export function toEntryView({ row, texts }: ExportEntry): Finding['entries'][number] {
  return { row, name: texts.userName || texts.email || null };
}

/** A finding with what it has; the rest is empty. */
export function toFinding(kind: CensusKind, parts: Partial<Finding>): Finding {
  return { kind, by: null, entries: [], people: [], provider: null, differences: [], ...parts };
}

type Difference = Finding['differences'][number];

function listDifferences(
  comparison: Comparison,
  person: CensusPerson,
  { entry, by }: Matched,
): Difference[] {
  const texts = EXPORT_ATTRIBUTES.flatMap((attribute) => {
    // Of another server.
    if (attribute === 'id') return [];
    if (attribute === 'externalId' && (by === 'externalId' || !comparison.knowsExternalIds))
      return [];
    return compareText(person, attribute, entry.texts[attribute]) ?? [];
  });
  return [...compareActive(person, entry), ...texts, ...compareHeldName(person, entry, texts)];
}

function compareActive({ wanted, held }: CensusPerson, { active }: ExportEntry): Difference[] {
  if (active === undefined) return [];
  const [bridge, service] = [wanted?.active ?? null, held?.active ?? null];
  if ((bridge ?? active) === active && (service ?? active) === active) return [];
  return [{ attribute: 'active', provider: active, bridge, service }];
}

/** Undefined: they agree, or one of them does not say. An account without an address goes by the name of its owner. */
function compareText(
  { wanted, externalIds }: CensusPerson,
  attribute: ExportAttribute,
  text: string | undefined,
): Difference | undefined {
  if (wanted === undefined || text === undefined) return undefined;
  const isName = attribute === 'userName' || attribute === 'email';
  if (text === '' && (isName || attribute === 'externalId')) return undefined;
  const held = attribute === 'externalId' ? externalIds : listTexts(wanted.attributes, attribute);
  const toForm = isName ? toFolded : attribute === 'externalId' ? String : normaliseName;
  if (held.length === 0 || held.some((one) => toForm(one) === toForm(text))) return undefined;
  return { attribute, provider: text, bridge: held[0] ?? null, service: null };
}

/** The service has one name, so its differences are listed once, where the bridge has the name of the provider. */
function compareHeldName(
  { wanted, held }: CensusPerson,
  { texts }: ExportEntry,
  differences: readonly Difference[],
): Difference[] {
  const { 'name.givenName': givenName, 'name.familyName': familyName } = texts;
  if (wanted === undefined || !held?.isNamedOtherwise) return [];
  if (givenName === undefined && familyName === undefined) return [];
  if (differences.some(({ attribute }) => attribute.startsWith('name.'))) return [];
  const name = fullName({ givenName: givenName ?? '', familyName: familyName ?? '' });
  return [{ attribute: 'name', provider: name, bridge: name, service: held.fullName }];
}

/** Person as a census sees one. */
export type CensusPerson = ReturnType<typeof toCensusPerson>;

/** Maps a row to the person that a census compares. Without a provider the bridge only observes, and wants nothing. */
export function toCensusPerson(row: UserRow, deactivation: Deactivation) {
  const { id, name, origin, provider, external_id: externalId } = row;
  const { desired, observed, cells } = toUserState(row);
  const attributes = parseStored<JsonObject>(row.attributes);
  const isManaged = origin !== null;
  const held = observed === undefined || isGone(observed) ? undefined : observed;
  const fields = held && isManaged ? listUserDifferences(desired, held, cells, deactivation) : [];
  return {
    id,
    name,
    provider: isManaged ? provider : null,
    externalIds: isManaged && externalId !== null ? [externalId] : [],
    userNames: listKnown([row.name_folded, row.observed_user_name_folded]),
    emails: listKnown([...listFoldedEmails(attributes), row.observed_email_folded]),
    wanted: isManaged ? { attributes, active: isWantedActive(desired, deactivation) } : undefined,
    /** As the account was last seen; undefined: there is none. */
    held: held && {
      active: isObservedActive(held, deactivation),
      fullName: held.fullName,
      isNamedOtherwise: fields.includes('name'),
    },
  };
}

function listKnown(values: readonly (string | null)[]): string[] {
  return [...new Set(values.flatMap((value) => value || []))];
}

/** Texts of an attribute that the bridge has of a person; none: no provider ever sent it. */
function listTexts(attributes: JsonObject, attribute: ExportAttribute): readonly string[] {
  if (attribute === 'email') return listFoldedEmails(attributes);
  const [name = '', part] = attribute.split('.');
  const places = part === undefined ? [attributes, attributes[ENTERPRISE]] : [attributes[name]];
  const found = places.map((place) => (isJsonObject(place) ? place[part ?? name] : undefined));
  return found.flatMap((value) => (typeof value === 'string' ? [value] : []));
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Folded text for comparing names. */
export function toFolded(text: string): string {
  return foldCase(text.trim());
}
