import { setImmediate as nextTurn } from 'node:timers/promises';
import { listFoldedEmails } from '../../domain/address.ts';
import * as user from '../../domain/kinds.ts';
import { normaliseName } from '../../domain/name.ts';
import type { JsonObject } from '../../domain/values.ts';
import { foldCase, isJsonObject } from '../../domain/values.ts';
import { findLastSweptAt } from '../../store/drifts.ts';
import { chunks } from '../../store/engine/dialect.ts';
import type { ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { LIVE, readRows } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { MATCH_KEYS } from '../schemas/kinds.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toMoment } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import type { ExportAttribute, ExportEntry } from './read-entries.ts';
import { EXPORT_ATTRIBUTES } from './read-entries.ts';

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
  kind: Finding['kind'],
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

/** A person as a census sees one: who is wanted, and seen, to be active. Without a provider the bridge wants nothing. */
function toPerson(row: UserRow, deactivation: user.Deactivation) {
  const { id, name, origin, external_id: externalId } = row;
  const { desired, observed } = toUserState(row);
  const isHeld = observed !== null && !user.isGone(observed);
  return {
    id,
    name,
    provider: origin === null ? null : row.provider,
    attributes: { ...row.attributes, externalId },
    wanted: origin === null ? undefined : user.isWorking(desired, deactivation),
    held: isHeld ? user.isWorking(observed, deactivation) : undefined,
  };
}

/** The kind of finding about one person; undefined: everything agrees. A person without access need not be anywhere. */
function findKind(
  { wanted, held }: Person,
  match: Match | undefined,
  isOther: boolean,
  differences: readonly Difference[],
): Finding['kind'] | undefined {
  const hasAccess = wanted || held;
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
  { attributes, wanted, held }: Person,
  { active, texts }: ExportEntry,
  compared: readonly ExportAttribute[],
): Difference[] {
  const found: Difference[] = [];
  const [bridge, service] = [wanted ?? null, held ?? null];
  if (active !== undefined && [bridge, service].includes(!active))
    found.push({ attribute: 'active', provider: active, bridge, service });
  if (wanted === undefined) return found;
  for (const attribute of compared) {
    const { [attribute]: text } = texts;
    const known = listTexts(attributes, attribute);
    if (text !== undefined && !isAgreed(attribute, text, known))
      found.push({ attribute, provider: text, bridge: known[0] ?? null, service: null });
  }
  return found;
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

/** A person or group that an entry may be, and the surest key that both have. */
interface Match {
  readonly entry: ExportEntry;
  readonly id: string;
  readonly name: string;
  readonly by: (typeof MATCH_KEYS)[number];
}

interface Sought {
  readonly type: 'user' | 'group';
  /** The provider whose externalIds are those of the entries. */
  readonly provider: string;
  readonly idAttribute: 'externalId' | 'formerExternalId';
}

/** Matches of one export with everybody, or every group, that the bridge knows. */
export type Matches = Awaited<ReturnType<typeof matchEntries>>;

/** Matches entries with people or groups of the bridge, managed or only observed. The surest key decides. */
export async function matchEntries(db: Db, entries: readonly ExportEntry[], sought: Sought) {
  const all = await listMatches(db, entries, sought);
  const ofEntry = Map.groupBy(all, ({ entry }) => entry);
  const best = [...ofEntry.values()].flatMap((some) => {
    const key = MATCH_KEYS.find((one) => some.some(({ by }) => by === one));
    const surest = some.filter(({ by }) => by === key);
    return surest.length === 1 ? surest : [];
  });
  const ofRow = Map.groupBy(best, ({ id }) => id);
  const sure = best.filter(({ id }) => ofRow.get(id)?.length === 1);
  const createFind = <Key>(toKey: (match: Match) => Key) => {
    const known = new Map(sure.map((match) => [toKey(match), match]));
    const possible = new Set(all.map(toKey));
    return (key: Key) => known.get(key) ?? (possible.has(key) ? 'unsure' : undefined);
  };
  return {
    sure,
    /** Finds the match of a person or group; `unsure`: one or several entries may be this one. */
    findOfId: createFind(({ id }) => id),
    /** Finds the match of an entry; `unsure`: it may be one or several people or groups. */
    findOfEntry: createFind(({ entry }) => entry),
    strangers: entries.filter((entry) => !ofEntry.has(entry)),
    /** Entries that match the same person. */
    repeated: [...ofRow.values()].filter((some) => some.length > 1),
    /** People who match the same entry, without those whom another entry matches better. */
    alike: [...ofEntry.values()]
      .map((some) => some.filter(({ id, entry }) => (ofRow.get(id)?.[0]?.entry ?? entry) === entry))
      .filter((some) => some.length > 1),
    /** True if an externalId matched: the export has those that the provider sends. */
    knowsExternalIds: best.some(({ by }) => by === 'externalId'),
  };
}

const [ROWS_PART, ENTRIES_PART] = [100, 1_000];

/** Reads users or groups one by one, those that are not deleted. */
export async function* eachRow<Type extends Sought['type']>(
  db: Db,
  type: Type,
  where: Parameters<typeof readRows>[2]['where'] = LIVE,
) {
  for await (const rows of readRows(db, type, { limit: ROWS_PART, where })) yield* rows;
}

async function listMatches(
  db: Db,
  entries: readonly ExportEntry[],
  { type, provider, idAttribute }: Sought,
): Promise<Match[]> {
  const index = new Map<string, ExportEntry[]>();
  for (const some of chunks(entries, ENTRIES_PART)) {
    for (const entry of some) addKeys(index, entry, { type, idAttribute });
    await nextTurn();
  }
  const found: Match[] = [];
  for await (const row of eachRow(db, type)) {
    const { id, name } = row;
    const fitting = listRowKeys(row, provider).flatMap(({ key, by }) =>
      (index.get(key) ?? []).map((entry) => ({ entry, id, name, by })),
    );
    const ofEntry = Map.groupBy(fitting, ({ entry }) => entry);
    found.push(...[...ofEntry.values()].flatMap(([surest]) => surest ?? []));
  }
  return found;
}

function addKeys(
  index: Map<string, ExportEntry[]>,
  entry: ExportEntry,
  { type, idAttribute }: Pick<Sought, 'type' | 'idAttribute'>,
): void {
  const { [idAttribute]: externalId, userName = '', displayName = '', email = '' } = entry.texts;
  const names = type === 'user' ? { userName, email } : { userName: displayName };
  const folded = Object.entries(names).map(([key, text]) => [key, foldCase(text.trim())]);
  for (const [key, text] of [['externalId', externalId], ...folded]) {
    const known = text && index.get(`${key} ${text}`);
    if (known) known.push(entry);
    else if (text) index.set(`${key} ${text}`, [entry]);
  }
}

/** What an entry of this row may say, the surest first, and by which key it is found. Names and addresses are one. */
function listRowKeys(row: ResourceRow, provider: string) {
  const isUser = row.type === 'user';
  const isOfProvider = row.origin !== null && row.provider === provider;
  const names = [row.name_folded, isUser ? row.observed_user_name_folded : null];
  const emails = isUser ? [...listFoldedEmails(row.attributes), row.observed_email_folded] : [];
  const keys = [
    ['externalId', [isOfProvider ? row.external_id : null], 'externalId'],
    ['userName', names, 'userName'],
    ['email', emails, 'email'],
    ['email', names, 'userName'],
    ['userName', emails, 'email'],
  ] as const;
  return keys.flatMap(([attribute, texts, by]) =>
    texts.flatMap((text) => (text ? [{ key: `${attribute} ${text}`, by }] : [])),
  );
}

/** The texts that more than one entry has. */
export function findRepeated(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter((text) => seen.size === seen.add(text).size));
}

/** Counts items by a word of each; words that none has are left out. */
export function countBy<Item>(items: readonly Item[], toWord: (item: Item) => string) {
  const groups = [...Map.groupBy(items, toWord)];
  return Object.fromEntries(groups.map(([word, some]) => [word, some.length]));
}
