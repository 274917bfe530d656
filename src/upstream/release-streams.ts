import { isNamed } from './operations/part.ts';

/**
 * Ends the streams among the files that a call was given. A stream belongs to the call: one that was never sent would
 * hold its file or its connection open. Never throws.
 */
export function releaseStreams(body: unknown): void {
  if (!isNamed(body)) return;
  for (const value of Object.values(body).flat()) {
    release(value);
    if (isNamed(value) && !isBytes(value) && 'content' in value) release(value.content);
  }
}

function release(source: unknown): void {
  if (typeof source !== 'object' || source === null || isBytes(source)) return;
  if (source instanceof ReadableStream) {
    if (!source.locked) source.cancel().catch(ignore);
  } else if ('destroy' in source && typeof source.destroy === 'function') {
    if ('on' in source && typeof source.on === 'function') source.on('error', ignore);
    source.destroy();
  } else if (Symbol.asyncIterator in source && 'return' in source) {
    if (typeof source.return === 'function') Promise.resolve(source.return()).catch(ignore);
  }
}

function isBytes(value: object): boolean {
  return value instanceof Blob || value instanceof Uint8Array;
}

/** The call has ended already; its own error says more. */
function ignore(): void {}
