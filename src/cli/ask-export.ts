import type { CliContext } from './context.ts';
import { readExportFile } from './export-file.ts';
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
