import { InvalidRequest } from './body.ts';

const PAGE = 100;
const PAGE_MAX = 1_000;
/** Most characters of a parameter that may be any text. */
export const TEXT_MAX = 200;

/** Words that a filter may have, or any text. */
export type FilterWords = readonly string[] | 'text';

/** The filters of a list, by name. */
export type Filters = Readonly<Record<string, FilterWords>>;

/** One page of a list as it was asked for. */
export interface ListQuery<F extends Filters> {
  readonly limit: number;
  /** `nextCursor` of the page before; undefined: from the beginning. */
  readonly cursor: string | undefined;
  readonly filters: {
    readonly [Name in keyof F]?: F[Name] extends readonly string[] ? F[Name][number] : string;
  };
}

/** Parameters of the address that a request reads. */
export interface QueryOptions {
  readonly filters?: Filters | undefined;
  readonly parameters?: Filters | undefined;
  /** The newest of a list: with `limit`, and without a cursor. */
  readonly newest?: true | undefined;
}

/** Reads the parameters of an address. @throws InvalidRequest for an unknown one, which must not list everything */
export function parseQuery<F extends Filters>(
  query: Readonly<Record<string, unknown>>,
  { filters, parameters, newest }: QueryOptions,
): ListQuery<F> {
  const words: Filters = filters ?? parameters ?? {};
  const paging = filters ? ['limit', 'cursor'] : newest ? ['limit'] : [];
  const names = [...paging, ...Object.keys(words)];
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const unknown = `There is no parameter ${name.slice(0, TEXT_MAX)}`;
    if (!names.includes(name))
      throw new InvalidRequest(`${unknown}; there are ${names.join(', ') || 'none'}.`);
    if (typeof value !== 'string' || value === '')
      throw new InvalidRequest(`\`${name}\` is to be given once, and with a value.`);
    assertWord(name, value, words[name]);
    given[name] = value;
  }
  const { limit = `${PAGE}`, cursor, ...others } = given;
  const isLimit = /^\d{1,4}$/.test(limit) && Number(limit) >= 1 && Number(limit) <= PAGE_MAX;
  if (!isLimit) throw new InvalidRequest(`limit is 1 to ${PAGE_MAX}.`);
  // Only known names with known words come this far.
  return { limit: Number(limit), cursor, filters: others as ListQuery<F>['filters'] };
}

/** @param words undefined: it says which page is asked for. @throws InvalidRequest */
function assertWord(name: string, text: string, words: FilterWords | undefined): void {
  if (typeof words === 'object' && !words.includes(text))
    throw new InvalidRequest(`\`${name}\` is one of: ${words.join(', ')}.`);
  if (typeof words === 'string' && text.length > TEXT_MAX)
    throw new InvalidRequest(`\`${name}\` has ${TEXT_MAX} characters at most.`);
}

/** The numbers of a cursor; none: it asks for the beginning. @throws InvalidRequest for one that the bridge has not given */
export function parseCursor(cursor: string | undefined): number[] {
  if (cursor === undefined) return [];
  if (/^\d{1,15}(-\d{1,15})?$/.test(cursor)) return cursor.split('-').map(Number);
  throw new InvalidRequest('cursor is the nextCursor of an answer.');
}

/** A page of a list as it is answered. */
export interface ListAnswer<Item> {
  readonly items: readonly Item[];
  /** Asks for what follows; null: nothing does. */
  readonly nextCursor: string | null;
}

/** The beginning of a list in order of creation, and of one that has the newest first. */
export const [OLDEST, NEWEST] = [0, Number.MAX_SAFE_INTEGER] as const;

/** A page of a list that is known as a whole. @throws InvalidRequest for a cursor that is no number */
export function toPage<Item>(
  all: readonly Item[],
  { limit, cursor }: Pick<ListQuery<Filters>, 'limit' | 'cursor'>,
): ListAnswer<Item> {
  const [from = OLDEST] = parseCursor(cursor);
  const end = from + limit;
  return { items: all.slice(from, end), nextCursor: end < all.length ? String(end) : null };
}
