import { UpstreamError } from '../../upstream/errors.ts';
import type { PageContent } from '../../upstream/page-progress.ts';
import { parseEntries } from '../../upstream/shapes/reader.ts';
import { type Look, look, skipped } from './look.ts';

/** The part of a list that is asked for; `offset` counts from 0. */
interface Place {
  readonly offset: number;
  readonly limit: number;
}

/** The way in which one list of the service is read. */
export interface ListSource<T> {
  readonly fetch: (place: Place) => Promise<unknown>;
  /** @throws UpstreamError `unreadable` */
  readonly toPage: (body: unknown) => PageContent;
  /** @throws UpstreamError `unreadable` */
  readonly parse: (item: unknown) => T;
}

/** The first page of a list, and what shows whether it is the whole list. */
export interface ListSample<T> {
  /** Entries as they came. */
  readonly raw: readonly unknown[];
  readonly items: readonly T[];
  /** Undefined where the service does not say. */
  readonly total: number | undefined;
  /** Entries asked for. */
  readonly asked: number;
  /** One entry, asked for after the last one of the first page. */
  readonly after: Look<readonly unknown[]>;
}

/** More than any page of the service is known to hold. */
const manyEntries = 1_000;

/**
 * Reads the first page, asking for more than any page is known to hold, and proves its end with one more call at most.
 * An answer larger than the limit of the settings is asked for again with fewer entries.
 */
export async function sampleList<T>(source: ListSource<T>): Promise<Look<ListSample<T>>> {
  const first = await look(() => readFirst(source));
  if (first.kind !== 'seen') return first;
  const { items, total } = first.value;
  const isOpenEnded = total === undefined && items.length > 0 && items.length < first.value.asked;
  const readOne = (offset: number) =>
    look(async () => source.toPage(await source.fetch({ offset, limit: 1 })).items);
  return {
    kind: 'seen',
    value: {
      ...first.value,
      after: isOpenEnded ? await readOne(items.length) : skipped('the first page says enough'),
    },
  };
}

/** The page of a REST list. @throws UpstreamError `unreadable` */
export function parseArrayPage(body: unknown): PageContent {
  return { items: parseEntries('REST list', body), total: undefined };
}

/** The entry's id as text; REST shows some things by `uid`. Undefined when it has none. */
export function findIdText(item: unknown): string | undefined {
  const id = findField(item, 'id') ?? findField(item, 'uid');
  return id === undefined || id === null ? undefined : String(id);
}

function findField(item: unknown, name: string): unknown {
  return typeof item === 'object' && item !== null
    ? new Map<string, unknown>(Object.entries(item)).get(name)
    : undefined;
}

type FirstPage<T> = Pick<ListSample<T>, 'raw' | 'items' | 'total' | 'asked'>;

async function readFirst<T>(source: ListSource<T>): Promise<FirstPage<T>> {
  for (let asked = manyEntries; ; asked = Math.floor(asked / 10)) {
    try {
      const { items, total } = source.toPage(await source.fetch({ offset: 0, limit: asked }));
      return { raw: items, items: items.map((item) => source.parse(item)), total, asked };
    } catch (error) {
      const tooLarge = error instanceof UpstreamError && error.code === 'response-too-large';
      if (!tooLarge || asked <= 1) throw error;
    }
  }
}
