/** Message to followers of the live events: whether they arrive, or what has changed. */
export type LiveMessage =
  | { readonly kind: 'state'; readonly isConnected: boolean }
  | { readonly kind: 'changed'; readonly topics: readonly string[] };

/** Time until a stream that was refused is tried again, in milliseconds. */
const AGAIN_MS = 30_000;

/** Live events of the bridge. */
export interface Stream {
  /** Opens the stream at once, where it was refused before. */
  open(): void;
  close(): void;
}

/** Creates a stream that is not open yet. @param tell is called with what arrives while the stream is open */
export function createStream(tell: (message: LiveMessage) => void): Stream {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;

  function open(): void {
    clearTimeout(again);
    if (source !== undefined && source.readyState !== EventSource.CLOSED) return;
    const opened = new EventSource('/ops/events');
    source = opened;
    opened.addEventListener('open', () => tell({ kind: 'state', isConnected: true }));
    opened.addEventListener('changed', ({ data }) =>
      tell({ kind: 'changed', topics: parseTopics(String(data)) }),
    );
    opened.addEventListener('error', () => {
      tell({ kind: 'state', isConnected: false });
      // A stream that broke off comes back by itself; one that was refused does not.
      if (opened.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_MS);
    });
  }

  return {
    open,
    close() {
      clearTimeout(again);
      source?.close();
      source = undefined;
    },
  };
}

function parseTopics(data: string): string[] {
  const json: unknown = JSON.parse(data);
  const isNews = typeof json === 'object' && json !== null && 'topics' in json;
  return isNews && Array.isArray(json.topics) ? json.topics.map(String) : [];
}
