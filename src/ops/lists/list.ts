import type { Filters } from '../http/list-query.ts';
import type { OpsSchemaName } from '../schemas/schemas.ts';

/** Meaning of a state, from harmless to urgent. */
export type Tone = 'good' | 'info' | 'waiting' | 'bad' | 'quiet';

/** Page of the console that tells more. */
export interface Link {
  readonly type: 'user' | 'group' | 'plan';
  readonly id: string;
}

/** One column of a list: the same in the command line, in CSV and in the console. */
export interface Column<Item> {
  /** Head of the column. */
  readonly name: string;
  /** Moments, alone or in a sentence, are ISO 8601: each face writes them in its own way. */
  value(item: Item): string | number | boolean | null | undefined;
  /** `id`: is read last, and not shown by the console; `time`: one moment; `ago`: one whose distance says more. */
  readonly kind?: 'id' | 'time' | 'ago';
  /** How the console says it, where a code stands in the command line. */
  words?(item: Item): string;
  /** A sentence: the console gives it the space that is left. */
  readonly isLong?: true;
  /** Filter of the list that takes this value. */
  readonly filter?: string;
  link?(item: Item): Link | null;
  tone?(item: Item): Tone;
  /**
   * `whole`: is typed into another command, so it is cut off last; `minor`: is left out where there is no room;
   * `csv`: in CSV alone; `shown`: not in CSV.
   */
  readonly place?: 'whole' | 'minor' | 'csv' | 'shown';
}

/** Command that shows a list: each filter is an option. */
interface ListCommand {
  /** With the command that it is below. */
  readonly name: string;
  /** Sentence about an empty list, and about one of which nothing fits the filters. */
  readonly none: readonly [none: string, noneFits?: string];
  /** Filters that hold without an option. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** Filter of which the sentence about an empty list speaks. */
  readonly scope?: string;
}

/** A list below `/ops`: what is asked, and how each face shows it. */
export interface List<Item> {
  readonly method: 'get';
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly filters: Filters;
  readonly meanings?: Readonly<Record<string, string>>;
  readonly answers: { readonly 200: OpsSchemaName };
  readonly columns: readonly Column<Item>[];
  readonly command: ListCommand;
}

/** Types one list; what is written there stays known to its route. */
export function listOf<Item>() {
  return <const Row extends List<Item>>(row: Row): Row => row;
}

/** The meanings of filters, unless a list gives them another one. */
export const MEANINGS: Readonly<Record<string, string>> = {
  managed: 'The bridge may write it.',
  due: 'Something is to be done.',
  stuck: 'Something acknowledged is refused by the service.',
  disputed: 'A provider was answered 409 for its name.',
  drifted: 'The service differs in what nobody asked for.',
  deleted: 'Deleted ones instead of the others.',
  q: 'Part of a userName, an address or a displayName, in any case; or a whole id, of SCIM, of the provider or of the service.',
  kind: 'Of this kind.',
  status: 'In this state.',
  limit: 'Entries of a page; 100 by default.',
  cursor: 'The `nextCursor` of the page before.',
};

/** Why something does not come through, and when it is tried next. Who waits for a seat has a turn, and no time. */
export function toProblemText(
  problem: { readonly code: string; readonly words: string } | null,
  nextAt: string | null,
): string {
  if (problem === null) return '';
  const hasTime = nextAt !== null && problem.code !== 'no-seat';
  return `${problem.words}${hasTime ? `; next attempt ${nextAt}` : ''}`;
}

/** A value of JSON as words. */
export function toWords(value: unknown): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** Prints a list as CSV: a line of heads, then one for each item, with CRLF. @see RFC 4180 */
export function toCsv<Item>(items: readonly Item[], columns: readonly Column<Item>[]): string {
  const kept = columns.filter(({ place }) => place !== 'shown');
  const lines = [
    kept.map(({ name }) => name),
    ...items.map((item) => kept.map((column) => String(column.value(item) ?? ''))),
  ];
  return lines.map((cells) => `${cells.map(toField).join(',')}\r\n`).join('');
}

/** A spreadsheet would run a text that begins like a formula, so a mark that it shows as text goes before it. */
function toField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
