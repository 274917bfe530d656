/**
 * A value that can be uploaded. Text is the path of a local file, not its content. A stream is read whole, into memory,
 * before the call waits for its turn; one that a wrong argument keeps from being read stays with its caller.
 */
export type FileSource =
  | Blob
  | Uint8Array
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | string;

/** A file, or one with the name and the media type for the service. */
export type FileInput =
  | FileSource
  | {
      readonly content: FileSource;
      /** The name of the path or of the `File` when absent, else `file`. */
      readonly name?: string | undefined;
      /** That of the `Blob` when absent, else `application/octet-stream`. */
      readonly type?: string | undefined;
    };

/** True for a value that can be uploaded. */
export function isFileInput(value: unknown): value is FileInput {
  if (isFileSource(value)) return true;
  if (typeof value !== 'object' || value === null || !('content' in value)) return false;
  const { content, name, type } = { name: undefined, type: undefined, ...value };
  return isFileSource(content) && isTextOrAbsent(name) && isTextOrAbsent(type);
}

function isFileSource(value: unknown): value is FileSource {
  if (typeof value === 'string') return value !== '';
  return value instanceof Blob || value instanceof Uint8Array || isStream(value);
}

/** Streams of Node and of the web are both iterated over. */
function isStream(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
