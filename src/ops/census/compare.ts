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

/** Scope of a comparison. */
interface Comparison {
  /** The provider of the export. */
  readonly provider: string;
  /** True: externalIds of the export are those that the provider sends. */
  readonly knowsExternalIds: boolean;
}

/** Entry of a person, and the key that found it. */
interface Matched {
  readonly entry: ExportEntry;
  readonly by: MatchKey;
}

/** Finding about one person; undefined: everything agrees. A person without access need not be anywhere. */
export function comparePerson(
  comparison: Comparison,
  person: CensusPerson,
  matched: Matched | undefined,
): OpsJson<'Finding'> | undefined {
  const { provider: owner, wanted, held } = person;
  if (owner !== null && owner !== comparison.provider) {
    return matched && toFinding('of-other', { person, matched });
  }
  const differences = matched === undefined ? [] : listDifferences(comparison, person, matched);
  const entryActive = matched !== undefined && matched.entry.active !== false;
  if (!entryActive && !wanted?.active && !held?.active) return undefined;
  if (matched === undefined) return toFinding(toAbsent(person), { person });
  if (wanted === undefined) return toFinding('not-bridge', { person, matched, differences });
  if (held === undefined) return toFinding('not-service', { person, matched, differences });
  if (differences.length === 0) return undefined;
  return toFinding('differs', { person, matched, differences });
}

/** Finding about an entry that is nobody whom the bridge knows; undefined: it need not be known. */
export function compareStranger(entry: ExportEntry): OpsJson<'Finding'> | undefined {
  if (entry.active === false) return undefined;
  return { ...NOTHING, kind: 'only-provider', entries: [toEntryView(entry)] };
}

/** An entry as operators are shown it. */
export function toEntryView({ row, texts }: ExportEntry): OpsJson<'Finding'>['entries'][number] {
  return { row, name: texts.userName || texts.email || null };
}

function toAbsent({ wanted, held }: CensusPerson): CensusKind {
  if (wanted === undefined) return 'only-service';
  return held === undefined ? 'only-bridge' : 'not-provider';
}

/** Parts of a finding that it may lack. */
export const NOTHING = {
  ...{ by: null, entries: [], people: [], provider: null, differences: [] },
} as const satisfies Partial<OpsJson<'Finding'>>;

interface Found {
  readonly person: CensusPerson;
  readonly matched?: Matched;
  readonly differences?: OpsJson<'Finding'>['differences'];
}

function toFinding(
  kind: CensusKind,
  { person: { id, name, provider }, matched, differences = [] }: Found,
): OpsJson<'Finding'> {
  return {
    kind,
    by: matched?.by ?? null,
    entries: matched === undefined ? [] : [toEntryView(matched.entry)],
    people: [{ id, name }],
    provider,
    differences,
  };
}

type Difference = OpsJson<'Finding'>['differences'][number];

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
export interface CensusPerson {
  readonly id: string;
  readonly name: string;
  /** The provider that manages it; null: it is only observed. */
  readonly provider: string | null;
  /** The one that its provider gave, where it gave one. */
  readonly externalIds: readonly string[];
  /** Folded. */
  readonly userNames: readonly string[];
  /** Folded. */
  readonly emails: readonly string[];
  /** Attributes and access that the bridge wants; undefined: it only observes. */
  readonly wanted: { readonly attributes: JsonObject; readonly active: boolean } | undefined;
  /** State in which the service was last seen to hold the account; undefined: it has none. */
  readonly held:
    | {
        readonly active: boolean;
        readonly fullName: string;
        /** True: the service has another name than the bridge wants. */
        readonly isNamedOtherwise: boolean;
      }
    | undefined;
}

/** Maps a row to the person that a census compares. */
export function toCensusPerson(row: UserRow, deactivation: Deactivation): CensusPerson {
  const { desired, observed, cells } = toUserState(row);
  const attributes = parseStored<JsonObject>(row.attributes);
  const isManaged = row.origin !== null;
  const held = observed === undefined || isGone(observed) ? undefined : observed;
  const isOther = (value: string | null): value is string => value !== null && value !== '';
  const fields = held && isManaged ? listUserDifferences(desired, held, cells, deactivation) : [];
  return {
    id: row.id,
    name: row.name,
    provider: isManaged ? row.provider : null,
    externalIds: isManaged && row.external_id !== null ? [row.external_id] : [],
    userNames: [...new Set([row.name_folded, row.observed_user_name_folded].filter(isOther))],
    emails: [
      ...new Set([...listFoldedEmails(attributes), row.observed_email_folded].filter(isOther)),
    ],
    wanted: isManaged ? { attributes, active: isWantedActive(desired, deactivation) } : undefined,
    held: held && {
      active: isObservedActive(held, deactivation),
      fullName: held.fullName,
      isNamedOtherwise: fields.includes('name'),
    },
  };
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
