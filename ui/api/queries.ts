import {
  type InfiniteData,
  QueryCache,
  QueryClient,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { askSession, change, OpsError, read } from './ask.ts';
import type { Ops, OpsName } from './types.ts';

/** Interval at which what a page shows is read again while somebody sees the page, in milliseconds. */
const POLL_MS = 5_000;
/** Time within which a bridge that works answers a read, in milliseconds. */
const ANSWER_MS = 10_000;
/** Entries that a page of a long list asks for. */
const PAGE = 200;
/** Pages of a long list that are read again by themselves; beyond that a person asks for it. */
const PAGES_LIVE = 2;

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
        staleTime: 2_000,
        refetchInterval: POLL_MS,
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
export function isPassing(error: Error | null): boolean {
  return !(error instanceof OpsError && error.status < 500 && error.status !== 429);
}

/** Reads below `/ops` every few seconds, or every `everyMs`. */
export function useRead<Name extends OpsName>(
  name: Name,
  path: string,
  { isOn = true, everyMs = POLL_MS }: { readonly isOn?: boolean; readonly everyMs?: number } = {},
) {
  const { data, error, failureReason, dataUpdatedAt } = useQuery({
    queryKey: ['ops', path],
    // A bridge that stands still is not heard either.
    queryFn: ({ signal }) =>
      read(name, path, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])),
    enabled: isOn,
    refetchInterval: everyMs,
  });
  // What was read before stays in sight while the bridge does not answer; the frame of the page says so.
  const isKept = data !== undefined && isPassing(error);
  const isHeard = failureReason === null && error === null;
  return { data, error: isKept ? null : error, isHeard, dataUpdatedAt };
}

/** Reads the state of the bridge. */
export const useStatus = () => useRead('Status', '/status');

/** Name of a schema that is a list with `items` and `nextCursor`. */
export type ListName = {
  [Name in OpsName]: Ops<Name> extends Paged<unknown> ? Name : never;
}[OpsName];
/** An entry of the list. */
export type ItemOf<Name extends ListName> = Ops<Name>['items'][number];

interface Paged<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Filters of a list; what is empty is left out. */
type Query = Readonly<Record<string, string | undefined>>;

/** A list of which more is read as it is needed. */
export type LongList<Item> = UseInfiniteQueryResult<readonly Item[]>;

/** Reads a list below `/ops` page by page, and the first pages again every few seconds. */
export function useList<Name extends ListName>(
  name: Name,
  path: string,
  query: Query = {},
): LongList<ItemOf<Name>> {
  return useInfiniteQuery({
    queryKey: ['ops', path, query],
    queryFn: ({ pageParam: cursor, signal }) =>
      readPage(name, path, { limit: String(PAGE), ...query, cursor }, signal),
    initialPageParam: '',
    // Distances of moments are told anew with each read.
    notifyOnChangeProps: 'all',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }) => pages.flatMap((page) => page.items),
    // Those of other filters stay in sight until the new ones are there; of another list they do not.
    placeholderData: (before: InfiniteData<Paged<ItemOf<Name>>, string> | undefined, last) =>
      last?.queryKey[1] === path ? before : undefined,
    refetchInterval: ({ state }) =>
      isLive((state.data?.pages.length ?? 0) * PAGE) ? POLL_MS : false,
  });
}

/** True if a list of so many entries is read again by itself. */
export function isLive(count: number): boolean {
  return count <= PAGES_LIVE * PAGE;
}

/** Reads every entry of a list. @throws OpsError */
export async function readAll<Name extends ListName>(name: Name, path: string, query: Query) {
  const items: ItemOf<Name>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Paged<ItemOf<Name>> = await readPage(name, path, {
      limit: '1000',
      ...query,
      cursor,
    });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

async function readPage<Name extends ListName>(
  name: Name,
  path: string,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<ItemOf<Name>>> {
  const given = Object.entries(query).flatMap(([key, value]) => (value ? [[key, value]] : []));
  return parsePage(await read(name, `${path}?${new URLSearchParams(given)}`, signal));
}

/** Every list has this form; the type of the name says so. */
function parsePage<Item>(page: unknown): Paged<Item> {
  return page as Paged<Item>;
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
