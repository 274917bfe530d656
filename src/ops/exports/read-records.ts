import { pipeline, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../domain/values.ts';
import { InvalidRequest } from '../http/body.ts';

/** One entry of a provider's export: its texts by the names of their columns. */
export interface ExportRecord {
  /** Its place as a spreadsheet counts, where the first line is 1. */
  readonly row: number;
  readonly columns: readonly string[];
  readonly cells: readonly string[];
}

const RECORD_LENGTH_MAX = 100_000;

/** Lines before the names of the columns: Entra's `version:v1.0`, Excel's `sep=;`, and empty ones. */
const NOTES = /(?:version:[^\n]*|sep=[^\n]?\r?|[ \t]*\r?)\n/giy;

/** Reads an export: CSV with commas, semicolons or tabs, or one JSON object a line; UTF-8 or UTF-16. @throws InvalidRequest */
export async function* readRecords(file: Uint8Array): AsyncGenerator<ExportRecord> {
  const whole = decode(file);
  let start = 0;
  let row = 0;
  for (const [note] of whole.matchAll(NOTES)) {
    start += note.length;
    row += 1;
  }
  const text = whole.slice(start);
  if (text.trim() === '') return;
  const isJson = text.startsWith('{');
  let columns: readonly string[] | undefined;
  for await (const cells of parse(text, isJson ? JSON_LINES : toCsv(text), row)) {
    row += 1;
    if (isJson) yield* parseLine(cells.join(), row);
    else if (columns === undefined) columns = cells;
    else yield { row, columns, cells };
  }
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

/** How the parser reads lines as they are: none holds the delimiter, which JSON does not allow. */
const JSON_LINES = {
  delimiter: '\0',
  quote: null,
  relax_column_count: true,
  record_delimiter: '\n',
} as const;

function toCsv(text: string) {
  const [line = ''] = text
    .slice(0, RECORD_LENGTH_MAX)
    .replaceAll(/"[^"]*"/g, '')
    .split('\n', 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return {
    delimiter: [',', ';', '\t'].reduce((most, one) => (count(one) > count(most) ? one : most)),
    skip_empty_lines: true,
    // A lone CR of an old export ends a line too.
    record_delimiter: ['\r\n', '\n', '\r'],
  };
}

/** The cells of each line. @param skipped lines before @throws InvalidRequest */
async function* parse(
  text: string,
  how: typeof JSON_LINES | ReturnType<typeof toCsv>,
  skipped: number,
): AsyncGenerator<readonly string[]> {
  // Loaded only here: a bridge reads an export now and then.
  const csv = await import('csv-parse');
  const parser = csv.parse({ ...how, max_record_size: RECORD_LENGTH_MAX });
  // A failure reaches the loop through the parser.
  pipeline(Readable.from(split(text)), parser, () => undefined);
  try {
    yield* parser;
  } catch (error) {
    if (!(error instanceof csv.CsvError)) throw error;
    // The parser is ahead of its reader.
    const row = `Row ${skipped + parser.info.records + 1} of the file`;
    if (how === JSON_LINES) throw new InvalidRequest(`${row} has ${TOO_LONG}.`);
    const why = WORDS[error.code] ?? 'a quote where none may be';
    throw new InvalidRequest(`${row} is no CSV (${why}).`);
  }
}

/** Parts of whole characters; other requests are served between them. */
async function* split(text: string): AsyncGenerator<string> {
  for (const [part] of text.matchAll(/.{1,65536}/gsu)) {
    yield part;
    await nextTurn();
  }
}

const TOO_LONG = `more than ${RECORD_LENGTH_MAX} characters`;
const WORDS: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'not as many cells as the first',
  CSV_MAX_RECORD_SIZE: TOO_LONG,
};

function* parseLine(line: string, row: number): Generator<ExportRecord> {
  if (line.trim() === '') return;
  const entries = [...flatten(parseObject(line, row))];
  const columns = entries.map(([name]) => name);
  yield { row, columns, cells: entries.map(([, text]) => text) };
}

function parseObject(line: string, row: number): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isJsonObject(value)) return value;
  } catch {
    // The message names the row; the words of the parser quote the text.
  }
  throw new InvalidRequest(`Row ${row} of the file is no JSON object; each line is one.`);
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
