import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
const live = { isConnected: false };
const CONNECTED = { isConnected: true } as const;
const NOT_CONNECTED = { isConnected: false } as const;

/** Tells whether changes are told as they happen. */
export function useLive(): { readonly isConnected: boolean } {
  return useSyncExternalStore(subscribe, () => (live.isConnected ? CONNECTED : NOT_CONNECTED));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function setConnected(isConnected: boolean): void {
  live.isConnected = isConnected;
  for (const listener of listeners) listener();
}

/** Time until a stream that was refused is tried again, in milliseconds. */
const AGAIN_MS = 30_000;
/** Pages of a long list that are read again at each change; beyond that a person asks for it. */
export const PAGES_LIVE = 2;

/** Follows the live events of the bridge and reads again what they name; ends with the returned function. */
export function followLive(client: QueryClient): () => void {
  let source: EventSource | undefined;
  let again: number | undefined;
  let isLost = false;

  function open(): void {
    source = new EventSource('/ops/events');
    source.addEventListener('open', () => {
      setConnected(true);
      // What changed while nothing was told is not told again.
      if (isLost) void client.invalidateQueries({ queryKey: ['ops'] });
      isLost = false;
    });
    source.addEventListener('changed', ({ data }) => refresh(client, parseTopics(String(data))));
    source.addEventListener('error', () => {
      setConnected(false);
      isLost = true;
      // A stream that broke off comes back by itself; one that was refused does not.
      if (source?.readyState === EventSource.CLOSED) again = window.setTimeout(open, AGAIN_MS);
    });
  }

  open();
  return () => {
    clearTimeout(again);
    source?.close();
    setConnected(false);
  };
}

function refresh(client: QueryClient, topics: readonly string[]): void {
  void client.invalidateQueries({
    predicate: ({ meta, state }) =>
      parseNames(meta?.topics).some((topic) => topics.includes(topic)) &&
      countPages(state.data) <= PAGES_LIVE,
  });
}

function countPages(data: unknown): number {
  const isPaged = typeof data === 'object' && data !== null && 'pages' in data;
  return isPaged && Array.isArray(data.pages) ? data.pages.length : 0;
}

function parseTopics(data: string): string[] {
  const json: unknown = JSON.parse(data);
  return typeof json === 'object' && json !== null && 'topics' in json
    ? parseNames(json.topics)
    : [];
}

function parseNames(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
