import {
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { askSession, change, type Me, OpsError, read } from './ask.ts';
import type { Ops, OpsName } from './types.ts';

/** Interval at which what a page shows is read again while somebody sees the page, in milliseconds. */
const POLL_MS = 5_000;
/** Time within which a bridge that works answers a read, in milliseconds. */
const ANSWER_MS = 10_000;

/** Creates the cache of answers; a failed sign-in is not tried again. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({
      // Whoever is signed out is asked to sign in, and stays at the address.
      onError(error) {
        if (error instanceof OpsError && error.status === 401)
          void client.refetchQueries({ queryKey: ['me'] });
      },
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

/** True for what the next attempt may not meet. */
function isPassing(error: Error | null): boolean {
  return !(error instanceof OpsError && error.status < 500 && error.status !== 429);
}

/** Parameters of an address; what is empty is left out. */
export type Query = Readonly<Record<string, string | undefined>>;

interface ReadOptions {
  readonly query?: Query;
  readonly isOn?: boolean;
}

/** Reads below `/ops` every few seconds. */
export function useRead<Name extends OpsName>(
  name: Name,
  path: string,
  { query = {}, isOn = true }: ReadOptions = {},
) {
  const { data, error, failureReason, dataUpdatedAt, isPlaceholderData } = useQuery({
    queryKey: ['ops', path, query],
    async queryFn({ signal }) {
      // A bridge that stands still is not heard either.
      const end = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      return { answer: await read(name, toAddress(path, query), end) };
    },
    enabled: isOn,
    // The answer for other parameters stays in sight until this one is there.
    placeholderData: (before: { answer: Ops<Name> } | undefined, last) =>
      last?.queryKey[1] === path ? before : undefined,
  });
  return {
    data: data?.answer,
    // What was read before stays in sight while the bridge does not answer; the frame of the page says so.
    error: data !== undefined && isPassing(error) ? null : error,
    isHeard: failureReason === null && error === null,
    isOld: isPlaceholderData,
    dataUpdatedAt,
  };
}

function toAddress(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) => (value ? [[key, value]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Reads the state of the bridge. */
export const useStatus = () => useRead('Status', '/status');

/** Name of a schema that is a list with `items` and `nextCursor`. */
export type ListName = {
  [Name in OpsName]: Ops<Name> extends Paged<unknown> ? Name : never;
}[OpsName];
/** An entry of the list. */
export type ItemOf<Name extends ListName> = Ops<Name>['items'][number];

/** A page of a list. */
export interface Paged<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Reads every entry of a list. @throws OpsError */
export async function readAll<Name extends ListName>(name: Name, path: string, query: Query) {
  const items: ItemOf<Name>[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const address = toAddress(path, { limit: '1000', ...query, cursor });
    const page: Paged<ItemOf<Name>> = parsePage(await read(name, address));
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

/** Every list has this form; the type of the name says so. */
export function parsePage<Item>(page: unknown): Paged<Item> {
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
    async queryFn({ client, queryKey }) {
      const before = client.getQueryData<Me>(queryKey);
      const me = await askSession('GET');
      const wasIn = before !== undefined && (before.name !== null || before.isOver === true);
      return { ...me, isOver: me.name === null && wasIn };
    },
    staleTime: 30_000,
    refetchInterval: ({ state }) => (state.error === null ? false : POLL_MS),
  });
  return { data, error: data === undefined ? error : null };
}

/** True when the person may change things. */
export function useIsOperator(): boolean {
  return useMe().data?.role === 'operator';
}
