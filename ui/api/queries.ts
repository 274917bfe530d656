import {
  type InfiniteData,
  QueryCache,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { askSession, change, OpsError, read } from './ask.ts';
import { PAGES_LIVE, useLiveness } from './live.ts';
import type { LiveTopic, Ops, OpsName } from './types.ts';

/** Interval of reads while live events do not come, in milliseconds. */
const POLL_MS = 5_000;
/** Time within which a bridge that works answers a read, in milliseconds. */
const ANSWER_MS = 10_000;
/** Entries that a page of a long list asks for. */
const PAGE = 200;

/** Creates the cache of answers; a failed sign-in is not tried again. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      // Whoever is signed out is asked to sign in, and stays at the address.
      onError: (error) => void (isSignedOut(error) && client.resetQueries({ queryKey: ['me'] })),
    }),
    defaultOptions: {
      queries: {
        retry: (count, error) => count < 2 && isPassing(error),
        ...{ staleTime: 2_000, refetchOnWindowFocus: true },
        // A bridge on this machine answers without a network.
        networkMode: 'always',
      },
      // What is to be done is asked for at once or not at all, never later when nobody expects it.
      mutations: { networkMode: 'always' },
    },
  });
  return client;
}

function isSignedOut(error: Error): boolean {
  return error instanceof OpsError && error.status === 401;
}

/** True for what the next attempt may not meet. */
function isPassing(error: Error | null): boolean {
  return !(error instanceof OpsError && error.status < 500 && error.status !== 429);
}

/** Options of a read. */
export interface ReadOptions {
  /** Parts of the store whose changes lead to another read. */
  readonly topics?: readonly LiveTopic[];
  readonly isOn?: boolean;
  /** Interval of reads also while live events come, in milliseconds. */
  readonly everyMs?: number;
}

/** Parts of the store that the state of the bridge tells of. */
export const STATUS_TOPICS = ['work', 'plans', 'drifts', 'access', 'sweeps'] as const;

/** Reads below `/ops`, again at each change, and now and then if changes do not arrive. */
export function useRead<Name extends OpsName>(
  name: Name,
  path: string,
  { topics = [], isOn = true, everyMs }: ReadOptions = {},
) {
  const isLive = useLiveness() === 'live';
  const { data, error, failureReason, dataUpdatedAt } = useQuery({
    queryKey: ['ops', path],
    // A bridge that stands still is not heard either.
    queryFn: ({ signal }) =>
      read(name, path, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])),
    enabled: isOn,
    meta: { topics },
    refetchInterval: everyMs ?? (isLive ? false : POLL_MS),
  });
  // What was read before stays in sight while the bridge does not answer; the frame of the page says so.
  const isKept = data !== undefined && isPassing(error);
  const isHeard = failureReason === null && error === null;
  return { data, error: isKept ? null : error, isHeard, dataUpdatedAt };
}

/** Name of a schema that is a list with `items` and `nextCursor`. */
export type ListName = {
  [Name in OpsName]: Ops<Name> extends { items: readonly unknown[]; nextCursor: string | null }
    ? Name
    : never;
}[OpsName];
/** An entry of the list. */
export type ItemOf<Name extends ListName> = Ops<Name>['items'][number];

/** A list of which more is read as it is needed. */
export interface LongList<Item> {
  readonly items: readonly Item[];
  /** Entries, where some rows are headings. */
  readonly count?: number;
  readonly isLoading: boolean;
  /** True while rows of the filters before are shown. */
  readonly isOld: boolean;
  readonly error: Error | null;
  /** It is read again at each change. */
  readonly isLive: boolean;
  /** More follows. */
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readMore(): void;
  /** Reads everything that is shown again. */
  refresh(): void;
}

/** Options of a list. */
export interface ListOptions {
  /** Filters; what is empty is left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Parts of the store whose changes lead to another read. */
  readonly topics?: readonly LiveTopic[];
}

/** Reads a list below `/ops` page by page. */
export function useList<Name extends ListName>(
  name: Name,
  path: string,
  { query = {}, topics = [] }: ListOptions = {},
): LongList<ItemOf<Name>> {
  const isLive = useLiveness() === 'live';
  const asked = toQuery({ limit: String(PAGE), ...query });
  const result = useInfiniteQuery({
    queryKey: ['ops', path, asked],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === '' ? '' : `&cursor=${encodeURIComponent(pageParam)}`;
      return read(name, `${path}?${asked}${cursor}`, signal);
    },
    initialPageParam: '',
    getNextPageParam: (page) => parsePage<ItemOf<Name>>(page).nextCursor,
    meta: { topics },
    // Those of other filters stay in sight until the new ones are there; of another list they do not.
    placeholderData: (before: InfiniteData<Ops<Name>, string> | undefined, query) =>
      query?.queryKey[1] === path ? before : undefined,
    refetchInterval: ({ state }) =>
      isLive || (state.data?.pages.length ?? 0) > PAGES_LIVE ? false : POLL_MS,
  });
  const pages = result.data?.pages;
  const items = useMemo(
    () => (pages ?? []).flatMap((page) => parsePage<ItemOf<Name>>(page).items),
    [pages],
  );
  return {
    items,
    isLoading: result.isPending,
    isOld: result.isPlaceholderData,
    isLive: (pages?.length ?? 0) <= PAGES_LIVE,
    error: pages !== undefined && isPassing(result.error) ? null : result.error,
    hasMore: result.hasNextPage,
    isReadingMore: result.isFetchingNextPage,
    readMore: () => void result.fetchNextPage({ cancelRefetch: false }),
    refresh: () => void result.refetch(),
  };
}

/** Reads every entry of a list. @throws OpsError */
export async function readAll<Name extends ListName>(
  name: Name,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<ItemOf<Name>[]> {
  const asked = toQuery({ limit: '1000', ...query });
  const items: ItemOf<Name>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = parsePage<ItemOf<Name>>(await read(name, `${path}?${asked}${from}`));
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** Every list has this form; the type of the name says so. */
function parsePage<Item>(page: unknown): { items: readonly Item[]; nextCursor: string | null } {
  return page as { items: readonly Item[]; nextCursor: string | null };
}

/** Text of a query string, without what is undefined or empty. */
function toQuery(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return new URLSearchParams(given).toString();
}

/** Changes something below `/ops`; afterwards everything that is shown is read again. */
export function useChange<Answer>() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ path, body }: { path: string; body?: object }) => change<Answer>(path, body),
    onSettled: () => client.invalidateQueries({ queryKey: ['ops'] }),
  });
}

/** Person who is signed in, also while the bridge does not answer; it is asked until it does. */
export function useMe() {
  const { data, error } = useQuery({
    queryKey: ['me'],
    queryFn: () => askSession('GET'),
    staleTime: 30_000,
    refetchInterval: ({ state }) => (state.error === null ? false : POLL_MS),
  });
  return { data, error: data === undefined ? error : null };
}

/** True when the person may change things. */
export function useIsOperator(): boolean {
  return useMe().data?.role === 'operator';
}
