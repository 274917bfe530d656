import { pipeline, Readable } from 'node:stream';
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
const NOTE = /^(?:version:[^\n]*|sep=[^\n]?\r?|[ \t]*\r?)\n/i;

/** Reads an export: CSV with commas, semicolons or tabs, or one JSON object a line; UTF-8 or UTF-16. @throws InvalidRequest */
export async function* readRecords(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ExportRecord, void, undefined> {
  const texts = decode(bytes);
  let head = '';
  let skipped = 0;
  for (let isEnd = false; !(isEnd || head.includes('\n') || head.length >= RECORD_LENGTH_MAX); ) {
    const { value = '', done = false } = await texts.next();
    isEnd = done;
    head += value;
    for (let note = NOTE.exec(head); note !== null; note = NOTE.exec(head)) {
      head = head.slice(note[0].length);
      skipped += 1;
    }
  }
  if (head.trim() === '') return;
  const all = (async function* () {
    yield head;
    yield* texts;
  })();
  yield* head.startsWith('{') ? readJsonLines(all, skipped) : readCsv(all, head, skipped);
}

const ENCODINGS: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };

/** Decodes text, without the mark at its beginning. @throws InvalidRequest */
async function* decode(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const open = (encoding = 'utf-8') => new TextDecoder(encoding, { fatal: true });
  let decoder: ReturnType<typeof open> | undefined;
  let first = Buffer.alloc(0);
  try {
    for await (const chunk of bytes) {
      first = Buffer.concat([first, chunk]);
      if (decoder === undefined && first.length < 2) continue;
      decoder ??= open(ENCODINGS[first.toString('hex', 0, 2)]);
      yield decoder.decode(first, { stream: true });
      first = Buffer.alloc(0);
    }
    yield (decoder ?? open()).decode(first);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidRequest('The file is neither UTF-8 nor UTF-16: save it as "CSV UTF-8".');
  }
}

async function* readCsv(texts: AsyncIterable<string>, head: string, skipped: number) {
  // Loaded only here: a bridge reads an export now and then.
  const { CsvError, parse } = await import('csv-parse');
  const [line = ''] = head.replaceAll(/"[^"]*"/g, '').split('\n', 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  const parser = parse({
    delimiter: [',', ';', '\t'].reduce((most, one) => (count(one) > count(most) ? one : most)),
    skip_empty_lines: true,
    max_record_size: RECORD_LENGTH_MAX,
    // A lone CR of an old export ends a line too.
    record_delimiter: ['\r\n', '\n', '\r'],
  });
  // A failure reaches the loop through the parser.
  pipeline(Readable.from(texts), parser, () => undefined);
  let columns: readonly string[] | undefined;
  let row = skipped;
  try {
    // The parser gives texts alone.
    for await (const found of parser) {
      const cells: readonly string[] = found;
      row += 1;
      if (columns === undefined) columns = cells;
      else yield { row, columns, cells };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser is ahead of this loop.
    const failed = skipped + parser.info.records + 1;
    const why = WORDS[error.code] ?? 'a quote where none may be';
    throw new InvalidRequest(`Row ${failed} of the file is no CSV (${why}).`);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'not as many cells as the first',
  CSV_MAX_RECORD_SIZE: `more than ${RECORD_LENGTH_MAX} characters`,
};

async function* readJsonLines(texts: AsyncIterable<string>, skipped: number) {
  let rest = '';
  let row = skipped;
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      row += 1;
      yield* parseLine(line, row);
    }
    assertLength(rest, row + 1);
  }
  yield* parseLine(rest, row + 1);
}

function assertLength(line: string, row: number): void {
  if (line.length <= RECORD_LENGTH_MAX) return;
  const words = `Row ${row} of the file has more than ${RECORD_LENGTH_MAX} characters.`;
  throw new InvalidRequest(words);
}

function* parseLine(line: string, row: number): Generator<ExportRecord> {
  if (line.trim() === '') return;
  assertLength(line, row);
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
