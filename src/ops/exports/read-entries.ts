import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../domain/values.ts';
import {
  foldCase,
  INDEXED_LENGTH_MAX,
  isIndexable,
  isJsonObject,
  isStorable,
  parseFields,
} from '../../domain/values.ts';
import { InvalidRequest } from '../http/body.ts';

/**
 * Attributes that a column of an export may hold, by their SCIM names, with the names of their columns, in the order of
 * preference. `email` is the address of the account, `formerExternalId` the id by which an earlier provider knows
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
  nickName: ['nickname'],
  title: ['title'],
  preferredLanguage: ['preferredlanguage'],
  locale: ['locale'],
  timezone: ['timezone'],
  employeeNumber: ['employeenumber'],
  costCenter: ['costcenter'],
  organization: ['organization'],
  division: ['division'],
  department: ['department'],
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
export const ENTRIES_MAX = 100_000;

/** Owner of the column `id`: the provider, which sends it as `externalId`, or the SCIM server that is listed. */
export type IdsOf = 'provider' | 'server';

/** Reads the people of an export. @throws InvalidRequest for a wrong entry, one that names nobody, or too many */
export async function readEntries(file: Uint8Array, idsOf: IdsOf): Promise<ExportEntry[]> {
  const entries: ExportEntry[] = [];
  for await (const record of readRecords(file)) {
    entries.push(parseEntry(record, idsOf));
    if (entries.length > ENTRIES_MAX)
      throw new InvalidRequest(`The file has more than ${ENTRIES_MAX} people.`);
  }
  return entries.length > 0 ? entries : refuseNothing();
}

/** @throws InvalidRequest of a file without people */
export function refuseNothing(): never {
  throw new InvalidRequest('The file has no line behind the names of the columns.');
}

/** The attributes that identify a person. The id of a server and the id of a provider are different attributes. */
const NAMING: Readonly<Record<IdsOf, readonly ExportAttribute[]>> = {
  provider: ['externalId', 'userName', 'email'],
  server: ['externalId', 'userName', 'email', 'displayName'],
};

/** Entra's templates have the name in brackets: `User name [userPrincipalName] Required`. */
function toKey(column: string): string {
  const name = /\[([^[\]]+)\]/.exec(column)?.[1] ?? column;
  return foldCase(name).replaceAll(/[\s_-]/g, '');
}

function parseEntry({ row, cells }: ExportRecord, idsOf: IdsOf): ExportEntry {
  const refuse = (why: string) => new InvalidRequest(`Row ${row} of the file ${why}.`);
  const texts: Partial<Record<ExportAttribute, string>> = {};
  for (const attribute of EXPORT_ATTRIBUTES) {
    const isOther = idsOf === 'server' && attribute === 'externalId';
    const known = isOther ? ['externalid'] : COLUMNS[attribute];
    const text = known.map((name) => cells[name]).find((cell) => cell !== undefined);
    if (text === undefined) continue;
    const isKept = attribute === 'id' || attribute === 'externalId';
    if (isKept && !(isStorable(text.trim()) && isIndexable(text.trim())))
      throw refuse(`has an ${attribute} that ${NOT_KEPT}`);
    texts[attribute] = text.trim();
  }
  const naming = NAMING[idsOf];
  if (naming.every((attribute) => !texts[attribute]))
    throw refuse(`names nobody: no column is known as ${naming.join(', ')}, or they are empty`);
  if (idsOf === 'server' && !texts.id) throw refuse('has no id');
  const { active, ...others } = texts;
  return { row, active: parseActive(active ?? '', row), texts: others };
}

const NOT_KEPT = `has more than ${INDEXED_LENGTH_MAX} characters, or holds a NUL character, half of a surrogate pair, or more than 30 combining marks in a row`;

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
    `Row ${row} of the file: the column of active says neither ${ACTIVE.join(', ')} nor ${INACTIVE.join(', ')}. Rename the column to leave it out.`,
  );
}

/** One entry of a provider's export, with its texts by the folded names of their columns. */
interface ExportRecord extends Pick<ExportEntry, 'row'> {
  readonly cells: Readonly<Record<string, string>>;
}

const RECORD_LENGTH_MAX = 100_000;
const TOO_LONG = `more than ${RECORD_LENGTH_MAX} characters`;

/** Lines before the names of the columns: Entra's `version:v1.0`, Excel's `sep=;`, and empty ones. */
const NOTES = /(?:version:[^\n]*|sep=[^\n]?\r?|[ \t]*\r?)\n/giy;

/** Reads an export: CSV with commas, semicolons or tabs, or one JSON object a line; UTF-8 or UTF-16. @throws InvalidRequest */
function readRecords(file: Uint8Array): AsyncGenerator<ExportRecord> {
  const whole = decode(file);
  const notes = [...whole.slice(0, RECORD_LENGTH_MAX).matchAll(NOTES)].map(([note]) => note);
  const text = whole.slice(notes.reduce((length, note) => length + note.length, 0));
  return /^[[{]/.test(text) ? readLines(text, notes.length) : readCsv(text, notes.length);
}

const ENCODINGS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Decodes text, without the mark at its beginning. @throws InvalidRequest */
function decode(file: Uint8Array): string {
  const encoding = ENCODINGS[Buffer.from(file.subarray(0, 2)).toString('hex')];
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(file);
  } catch {
    throw new InvalidRequest('The file is neither UTF-8 nor UTF-16: save it as "CSV UTF-8".');
  }
}

/** @param skipped lines before the names of the columns */
async function* readCsv(text: string, skipped: number): AsyncGenerator<ExportRecord> {
  // Loaded only here: a bridge reads an export now and then.
  const csv = await import('csv-parse');
  const parser = csv.parse({
    columns: (names: string[]) => {
      const seen = new Set<string>();
      // Of two columns with one name the first counts.
      return names.map(toKey).map((key) => seen.size < seen.add(key).size && key);
    },
    delimiter: findDelimiter(text),
    skip_empty_lines: true,
    // A lone CR of an old export ends a line too.
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: RECORD_LENGTH_MAX,
  });
  // A failure reaches the loop through the parser.
  pipeline(Readable.from(split(text)), parser, () => undefined);
  let row = skipped + 1;
  try {
    for await (const cells of parser) {
      row += 1;
      yield { row, cells };
    }
  } catch (error) {
    if (!(error instanceof csv.CsvError)) throw error;
    const why = WORDS[error.code] ?? 'a quote where none may be';
    // The parser is ahead of its reader.
    const wrong = skipped + parser.info.records + 2;
    throw new InvalidRequest(`Row ${wrong} of the file is no CSV (${why}).`);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_COLUMNS: 'not as many cells as the first',
  CSV_MAX_RECORD_SIZE: TOO_LONG,
};

/** The one of which the first line has the most outside of quotes. */
function findDelimiter(text: string): string {
  const start = text.slice(0, RECORD_LENGTH_MAX).replaceAll(/"[^"]*"/g, '');
  const [line = ''] = start.split('\n', 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, one) => (count(one) > count(most) ? one : most));
}

/** Parts of whole characters; other requests are served between them. */
async function* split(text: string): AsyncGenerator<string> {
  for (const [part] of text.matchAll(/.{1,65536}/gsu)) {
    yield part;
    await nextTurn();
  }
}

const LINES_PART = 500;

async function* readLines(text: string, skipped: number): AsyncGenerator<ExportRecord> {
  let row = skipped;
  for (const [line] of text.matchAll(/[^\n]*\n?/g)) {
    row += 1;
    if (row % LINES_PART === 0) await nextTurn();
    if (line.trim() === '') continue;
    const texts = flatten(parseObject(line, row));
    yield { row, cells: Object.fromEntries(texts.map(([path, text]) => [toKey(path), text])) };
  }
}

function parseObject(line: string, row: number): JsonObject {
  try {
    const value: unknown = line.length > RECORD_LENGTH_MAX ? undefined : JSON.parse(line);
    if (isJsonObject(value) && !Array.isArray(value.Resources ?? value.value)) return value;
  } catch {
    // The message names the row; the words of the parser quote the text.
  }
  throw new InvalidRequest(
    `Row ${row} of the file is no JSON object of one person, or has ${TOO_LONG}: jq -c '.[]' writes one a line (Graph '.value[]', SCIM '.Resources[]').`,
  );
}

const DEPTH_MAX = 5;

/** Texts by their paths: `profile.login`. A list gives its best entry; the URN of an extension is left out. */
function* flatten(value: JsonObject, prefix = '', depth = 0): Generator<[string, string]> {
  for (const [name, part] of Object.entries(value)) {
    const one = Array.isArray(part) ? findBest(part.filter(isJsonObject)) : part;
    const path = `${prefix}${name}`;
    if (!isJsonObject(one)) yield [path, one === null || one === undefined ? '' : String(one)];
    else if (depth < DEPTH_MAX)
      yield* flatten(one, name.startsWith('urn:') ? prefix : `${path}.`, depth + 1);
  }
}

/** The address that an account is known by comes first: primary, else of work. */
function findBest(values: readonly JsonObject[]): JsonObject | undefined {
  const isWork = ({ type }: JsonObject) => type === 'work';
  return values.find(({ primary }) => primary === true) ?? values.find(isWork) ?? values[0];
}
