import type { Request } from 'express';
import { unknownProvider } from '../../access/credentials.ts';
import { isStorable } from '../../domain/text.ts';
import { foldCase, INDEXED_LENGTH_MAX, isIndexable, parseFields } from '../../domain/values.ts';
import { isProvider } from '../../store/credentials.ts';
import type { Store } from '../../store/store.ts';
import { InvalidRequest, Problem } from '../http/body.ts';
import type { OpsSources } from '../sources.ts';
import { type ExportRecord, readRecords } from './read-records.ts';

/**
 * Attributes that a column of an export may hold, by their SCIM names, with the names of columns that need no map, in the
 * order of preference. `email` is the address of the account, `formerExternalId` the id by which an earlier provider knows
 * the person, `id` the one of the server that it is of.
 * Okta: the report of user accounts, the CSV of people and `GET /api/v1/users`
 * (https://help.okta.com/oie/en-us/content/topics/reports/access/user-account-report.htm, read 2026-11-24).
 * Entra: the download of users and Microsoft Graph
 * (https://github.com/MicrosoftDocs/entra-docs/blob/main/docs/identity/users/users-bulk-download.md, read 2026-11-24).
 */
const COLUMNS = {
  id: ['id'],
  externalId: ['externalid', 'oktauserid', 'objectid', 'userid', 'id'],
  formerExternalId: ['formerexternalid', 'oldexternalid'],
  userName: ['username', 'login', 'oktausername', 'userprincipalname', 'upn', 'profile.login'],
  email: ['email', 'mail', 'primaryemail', 'emailaddress', 'emails.value', 'profile.email'],
  active: ['active', 'status', 'accountenabled', 'oktauserstatus', 'userstatus'],
  displayName: ['displayname', 'profile.displayname'],
  'name.givenName': ['givenname', 'firstname', 'name.givenname', 'profile.firstname'],
  'name.familyName': ['familyname', 'lastname', 'surname', 'name.familyname', 'profile.lastname'],
  nickName: [],
  title: [],
  userType: [],
  preferredLanguage: [],
  locale: [],
  timezone: [],
  employeeNumber: [],
  costCenter: [],
  organization: [],
  division: [],
  department: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** One of these attributes. */
export type ExportAttribute = keyof typeof COLUMNS;

/** All of them. */
export const EXPORT_ATTRIBUTES = parseFields<ExportAttribute>(COLUMNS);

/** One person of a provider's export. */
export interface ExportEntry {
  /** Its place as a spreadsheet counts, where the first line is 1. */
  readonly row: number;
  /** undefined: the export does not say. */
  readonly active: boolean | undefined;
  /** Texts of the attributes that the export has; empty: the provider has no value. */
  readonly texts: Readonly<Partial<Record<ExportAttribute, string>>>;
}

/** People of one export. */
export const ENTRIES_MAX = 200_000;

/** How a file is read. */
export interface EntryReading {
  /** Columns by name, each with its attribute; undefined: the column is left out. */
  readonly map: ReadonlyMap<string, ExportAttribute | undefined>;
  /** Owner of the column `id`: the provider, which sends it as `externalId`, or the SCIM server that is listed. */
  readonly idsOf: 'provider' | 'server';
}

/** Reads the people of an export. @throws InvalidRequest for a wrong entry, one that names nobody, or too many */
export async function readEntries(file: Uint8Array, reading: EntryReading): Promise<ExportEntry[]> {
  const entries: ExportEntry[] = [];
  let names: readonly string[] | undefined;
  let places = new Map<ExportAttribute, number>();
  for await (const record of readRecords(file)) {
    if (names !== record.columns) places = assignColumns(record.columns, reading);
    names = record.columns;
    entries.push(parseEntry(record, places, reading));
    if (entries.length > ENTRIES_MAX)
      throw new InvalidRequest(`The file has more than ${ENTRIES_MAX} people.`);
  }
  return entries.length > 0 ? entries : refuseNothing();
}

/** @throws InvalidRequest of a file without people */
export function refuseNothing(): never {
  throw new InvalidRequest('The file has no line behind the names of the columns.');
}

/** Parses `column=attribute` with commas; `column=` leaves a column out. @throws InvalidRequest */
export function parseColumnMap(text: string): EntryReading['map'] {
  const pairs = text.split(',').filter((one) => one.trim() !== '');
  return new Map(
    pairs.map((pair) => {
      const [column = '', word] = pair.split('=').map((one) => one.trim());
      const attribute = EXPORT_ATTRIBUTES.find((name) => foldCase(name) === foldCase(word ?? ''));
      if (attribute !== undefined || word === '') return [toKey(column), attribute];
      const all = EXPORT_ATTRIBUTES.join(', ');
      throw new InvalidRequest(`\`map\` is column=attribute; the attributes are ${all}.`);
    }),
  );
}

/** The attributes that name whom a row is about: ids of a server and of a provider say nothing of each other. */
const NAMING: Readonly<Record<EntryReading['idsOf'], readonly ExportAttribute[]>> = {
  provider: ['externalId', 'userName', 'email'],
  server: ['externalId', 'userName', 'email', 'displayName'],
};

/** Places of columns that are known, and of those of the map. @throws InvalidRequest where nobody is named by any */
function assignColumns(columns: readonly string[], { map, idsOf }: EntryReading) {
  const keys = columns.map(toKey);
  const refuse = (why: string) => new InvalidRequest(`${why}. Say which is which with \`map\`.`);
  if ([...map.keys()].some((key) => !keys.includes(key)))
    throw refuse('A column of map is not in the file');
  const places = new Map<ExportAttribute, number>();
  for (const attribute of EXPORT_ATTRIBUTES) {
    const isOther = idsOf === 'server' && attribute === 'externalId';
    const usual: readonly string[] = isOther ? ['externalid'] : COLUMNS[attribute];
    const mapped = keys.findLastIndex((key) => map.get(key) === attribute);
    const known = usual.map((name) => (map.has(name) ? -1 : keys.indexOf(name)));
    const place = [mapped, ...known].find((one) => one >= 0);
    if (place !== undefined) places.set(attribute, place);
  }
  const naming = NAMING[idsOf];
  if (naming.some((attribute) => places.has(attribute))) return places;
  // Not which columns there are: without a line of names they would be somebody's.
  throw refuse(`None of the ${columns.length} columns is known as ${naming.join(', ')}`);
}

/** Entra's templates have the name in brackets: `User name [userPrincipalName] Required`. */
function toKey(column: string): string {
  const name = /\[([^\]]+)\]/.exec(column)?.[1] ?? column;
  return foldCase(name).replaceAll(/[\s_-]/g, '');
}

function parseEntry(
  { row, cells }: ExportRecord,
  places: ReadonlyMap<ExportAttribute, number>,
  { idsOf }: EntryReading,
): ExportEntry {
  const texts: Partial<Record<ExportAttribute, string>> = {};
  for (const [attribute, place] of places) {
    const text = (cells[place] ?? '').trim();
    const why = (attribute === 'id' || attribute === 'externalId') && findIdFault(text);
    if (why) throw new InvalidRequest(`Row ${row} of the file: ${attribute} ${why}.`);
    texts[attribute] = text;
  }
  const naming = NAMING[idsOf];
  if (naming.every((attribute) => (texts[attribute] ?? '') === ''))
    throw new InvalidRequest(`Row ${row} of the file names nobody: no ${naming.join(', ')}.`);
  if (idsOf === 'server' && !texts.id)
    throw new InvalidRequest(`Row ${row} of the file has no id: \`map\` says which column has it.`);
  const { active, ...others } = texts;
  return { row, active: parseActive(active ?? '', row), texts: others };
}

/** Finds out why a store would refuse to keep an id. */
function findIdFault(text: string): string | undefined {
  if (!isStorable(text))
    return 'holds a NUL character, half of a surrogate pair, or more than 30 combining marks in a row';
  return isIndexable(text) ? undefined : `is longer than ${INDEXED_LENGTH_MAX} characters`;
}

/** The words for people who may work; those of Okta as the report and the API have them. */
const ACTIVE =
  'true yes 1 active enabled provisioned pendinguseraction recovery passwordreset passwordexpired lockedout'.split(
    ' ',
  );
const INACTIVE =
  'false no 0 inactive disabled deprovisioned deactivated suspended staged deleted'.split(' ');

/** @throws InvalidRequest for a word that is not known: nobody may be taken for active or inactive by mistake */
function parseActive(text: string, row: number): boolean | undefined {
  const word = toKey(text);
  if (word === '') return undefined;
  if (ACTIVE.includes(word) || INACTIVE.includes(word)) return ACTIVE.includes(word);
  throw new InvalidRequest(
    `Row ${row} of the file: the column of active says neither ${ACTIVE.join(', ')} nor ${INACTIVE.join(', ')}. To leave it out: map=<column>=`,
  );
}

const FILE_BYTES_MAX = 100_000_000;

/** Stores of bridges that read a file. One at a time: each keeps a whole export in memory. */
const reading = new WeakSet<Store>();

/**
 * Reads the people or groups of the file of a request, and works with them; only one request at a time may. @param map
 * text of the parameter @param providers that have to be there @throws Problem; InvalidRequest as `readEntries`, for a
 * compressed or too large file
 */
export async function withEntries<T>(
  { store }: Pick<OpsSources, 'store'>,
  req: Request,
  {
    map = '',
    idsOf,
    providers,
  }: Pick<EntryReading, 'idsOf'> & { map: string | undefined; providers: readonly string[] },
  work: (entries: readonly ExportEntry[] | undefined) => Promise<T>,
): Promise<T> {
  const how = { map: parseColumnMap(map), idsOf };
  for (const name of providers) if (!(await isProvider(store.read, name))) throw unknownProvider();
  if (reading.has(store)) throw new Problem(429, 'too-many', 'Another file is being compared.');
  reading.add(store);
  try {
    const file = await receiveFile(req);
    return await work(file && (await readEntries(file, how)));
  } finally {
    reading.delete(store);
  }
}

/** Receives a body that is a file; undefined: there is none. @throws InvalidRequest */
async function receiveFile(req: Request): Promise<Buffer | undefined> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length = 0 } = req.headers;
  if (req.headers['transfer-encoding'] === undefined && Number(length) === 0) return undefined;
  if (encoding !== 'identity') throw new InvalidRequest('Send the file as it is, not compressed.');
  const chunks: Uint8Array[] = [];
  let came = 0;
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      // A request without an encoding gives bytes.
      const bytes: Uint8Array = chunk;
      chunks.push(bytes);
      came += bytes.length;
      if (Math.max(came, Number(length)) > FILE_BYTES_MAX)
        throw new InvalidRequest(`The file has more than ${FILE_BYTES_MAX} bytes.`);
    }
  } catch (error) {
    // Its sender has gone, which is no fault of the bridge.
    throw req.destroyed ? new InvalidRequest('The file did not come as a whole.') : error;
  } finally {
    // The connection takes the next request when nothing is left of this one.
    req.resume();
  }
  return Buffer.concat(chunks);
}
