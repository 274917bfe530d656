import type { CensusKind, MatchKey } from '../../domain/census.ts';
import { fullName, normaliseName } from '../../domain/name.ts';
import {
  EXPORT_ATTRIBUTES,
  type ExportAttribute,
  type ExportEntry,
} from '../exports/read-entries.ts';
import type { CensusFinding } from '../schemas/census.ts';
import { type CensusPerson, listTexts, toFolded } from './person.ts';

/** Scope of a comparison. */
export interface Comparison {
  /** The provider whose export it is. */
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
): CensusFinding | undefined {
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
export function compareStranger(entry: ExportEntry): CensusFinding | undefined {
  if (entry.active === false) return undefined;
  return { ...NOTHING, kind: 'only-provider', entries: [toEntryView(entry)] };
}

/** An entry as operators are shown it. */
export function toEntryView({ row, texts }: ExportEntry): CensusFinding['entries'][number] {
  return { row, name: texts.userName || texts.email || null };
}

function toAbsent({ wanted, held }: CensusPerson): CensusKind {
  if (wanted === undefined) return 'only-service';
  return held === undefined ? 'only-bridge' : 'not-provider';
}

/** Parts of a finding that it may lack. */
export const NOTHING = {
  ...{ by: null, entries: [], people: [], provider: null, differences: [] },
} as const satisfies Partial<CensusFinding>;

interface Found {
  readonly person: CensusPerson;
  readonly matched?: Matched;
  readonly differences?: CensusFinding['differences'];
}

function toFinding(
  kind: CensusKind,
  { person: { id, name, provider }, matched, differences = [] }: Found,
): CensusFinding {
  return {
    kind,
    by: matched?.by ?? null,
    entries: matched === undefined ? [] : [toEntryView(matched.entry)],
    people: [{ id, name }],
    provider,
    differences,
  };
}

type Difference = CensusFinding['differences'][number];

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

/** The service has one name, so its differences are told once, where the bridge has the name of the provider. */
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
