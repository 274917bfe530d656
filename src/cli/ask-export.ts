import { readFile } from 'node:fs/promises';
import { BridgeError } from '../domain/errors.ts';
import { isJsonObject } from '../domain/json.ts';
import { toCount } from '../domain/text.ts';
import type { CliContext } from './context.ts';
import { parseAnswer } from './json.ts';
import { parseCount, toFirstOf } from './listing.ts';
import type { Column } from './table.ts';

/** Options of every command that sends a provider's export. */
export interface ExportOptions {
  readonly map?: readonly string[];
  readonly dryRun?: true;
  readonly limit: number;
  readonly json?: true;
  readonly names?: true;
}

/** Option that says what columns mean. */
export const MAP = [
  '--map <column=attribute...>',
  'columns that are not known; <column>= leaves one out',
] as const;

/** Option of how long a table is, after the word for its lines. */
export const toLimit = (lines: string) =>
  ['--limit <number>', `how many ${lines} the table has at most`, parseCount, 50] as const;

/** A large company takes a while, in milliseconds. */
const TIMEOUT_MS = 600_000;

/**
 * Sends a provider's export to the running bridge, and gives its answer.
 * @param file path; undefined: there is none
 * @throws BridgeError as `readExportFile`, and whatever the bridge refuses
 */
export async function askWithExport<Answer>(
  context: CliContext,
  file: string | undefined,
  { path, query, options: { map = [], dryRun } }: ExportRequest,
): Promise<Answer> {
  const asked = new URLSearchParams({
    ...query,
    ...(dryRun && { dryRun: 'true' }),
    ...(map.length > 0 && { map: map.join(',') }),
  });
  const bytes = file === undefined ? new Uint8Array() : await readExportFile(file);
  return parseAnswer<Answer>(await context.connect(TIMEOUT_MS).sendFile(`${path}?${asked}`, bytes));
}

/** Request with an export. */
interface ExportRequest {
  readonly path: `/${string}`;
  readonly query: Readonly<Record<string, string>>;
  readonly options: Pick<ExportOptions, 'map' | 'dryRun'>;
}

/** Writes how often each outcome came, as `2 imported, 1 ambiguous`; empty: none came. */
export function toSums<Outcome extends string>(
  words: Readonly<Record<Outcome, string>>,
  counts: Readonly<Partial<Record<string, number>>>,
): string {
  const sums = Object.entries<string>(words).flatMap(([outcome, said]) => {
    const count = counts[outcome] ?? 0;
    return count === 0 ? [] : [`${count} ${said}`];
  });
  return sums.join(', ');
}

/** Writes the first entries as a table under an empty line; empty: there are none. */
export function toShort<Item>(
  items: readonly Item[],
  {
    columns,
    limit,
    context,
  }: {
    readonly columns: readonly Column<Item>[];
    readonly limit: number;
    readonly context: CliContext;
  },
): string {
  if (items.length === 0) return '';
  const hasMore = items.length > limit;
  return `\n${toFirstOf(items.slice(0, limit), { columns, context, hasMore })}`;
}

/**
 * Reads a provider's export. A list in one JSON document (SCIM, Microsoft Graph, Okta) becomes one object a line, which
 * the bridge takes; all else is left as it is.
 * @throws BridgeError `file-unreadable`; `file-incomplete` for the first pages of a list, which would show people as gone
 */
async function readExportFile(path: string): Promise<Uint8Array> {
  const bytes = await read(path);
  const list = findList(bytes);
  if (list === undefined) return bytes;
  const { items, isWhole } = list;
  if (!isWhole) {
    const message = `${path} is one page of a list, with ${toCount(items.length, 'entry', 'entries')}: put all pages into one file, one object a line.`;
    throw new BridgeError('file-incomplete', message);
  }
  return Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new BridgeError('file-unreadable', `${path} cannot be read.`, { cause });
  }
}

const [BRACE, BRACKET] = ['{'.charCodeAt(0), '['.charCodeAt(0)];

interface List {
  readonly items: readonly unknown[];
  /** False: the document says that more follow. */
  readonly isWhole: boolean;
}

function findList(bytes: Buffer): List | undefined {
  // Behind the mark of UTF-8, which is above all letters.
  const first = bytes.find((byte) => byte > 0x20 && byte < 0x80);
  if (first !== BRACE && first !== BRACKET) return undefined;
  try {
    return toList(JSON.parse(bytes.toString().replace(/^\uFEFF/, '')));
  } catch {
    return undefined; // One object a line, or no JSON: the bridge says which row it does not understand.
  }
}

/** A bare list has no place to say that more follow. @see RFC 7644 §3.4.2 (totalResults) */
function toList(value: unknown): List | undefined {
  if (Array.isArray(value)) return { items: value, isWhole: true };
  if (!isJsonObject(value)) return undefined;
  const { Resources, value: graph, totalResults, '@odata.nextLink': next } = value;
  if (Array.isArray(Resources)) {
    const isWhole = !(typeof totalResults === 'number' && totalResults > Resources.length);
    return { items: Resources, isWhole };
  }
  return Array.isArray(graph) ? { items: graph, isWhole: next === undefined } : undefined;
}
