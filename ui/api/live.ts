import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { createStream, type LiveMessage } from './stream.ts';

const listeners = new Set<() => void>();
/** Time after which a page without live events says so, in milliseconds. */
const PATIENCE_MS = 4_000;

/** How a page is kept current: `coming` for its first seconds. */
export type Liveness = 'coming' | 'live' | 'lost';
const live: { state: Liveness } = { state: 'coming' };

/** Tells whether changes arrive as they happen. */
export function useLiveness(): Liveness {
  return useSyncExternalStore(subscribe, () => live.state);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function setState(state: Liveness): void {
  live.state = state;
  for (const listener of listeners) listener();
}

/** Pages of a long list that are read again at each change; beyond that a person asks for it. */
export const PAGES_LIVE = 2;

/** Follows the live events of the bridge and reads again what they name; ends with the returned function. */
export function followLive(client: QueryClient): () => void {
  let isLost = false;
  const late = setTimeout(() => live.state === 'coming' && setState('lost'), PATIENCE_MS);

  function hear(message: LiveMessage): void {
    if (message.kind === 'changed') refresh(client, message.topics);
    else if (message.isConnected) {
      setState('live');
      // What changed while nothing arrived is not sent again.
      if (isLost) void client.invalidateQueries({ queryKey: ['ops'] });
      isLost = false;
    } else if (live.state === 'live') {
      setState('lost');
      isLost = true;
      // The session may be over, or the bridge gone: whatever is shown is asked for at once.
      void client.invalidateQueries();
    }
  }

  const end = 'SharedWorker' in globalThis ? followTogether(hear) : followAlone(hear);
  return () => {
    clearTimeout(late);
    end();
    setState('coming');
  };
}

/** Shares one stream with the other tabs of the browser. */
function followTogether(hear: (message: LiveMessage) => void): () => void {
  const { port } = new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
    type: 'module',
    name: 'scim-bridge live events',
  });
  const follow = () => port.postMessage('follow');
  const leave = () => port.postMessage('leave');
  const listen = ({ data }: MessageEvent<LiveMessage>) => hear(data);
  port.addEventListener('message', listen);
  port.start();
  follow();
  // A tab that goes says so; one that comes back from the history of the browser follows again.
  addEventListener('pagehide', leave);
  addEventListener('pageshow', follow);
  return () => {
    removeEventListener('pagehide', leave);
    removeEventListener('pageshow', follow);
    port.removeEventListener('message', listen);
    leave();
    port.close();
  };
}

/** Browsers of some phones share nothing between their tabs. */
function followAlone(hear: (message: LiveMessage) => void): () => void {
  const stream = createStream(hear);
  stream.open();
  return () => stream.close();
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

function parseNames(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
