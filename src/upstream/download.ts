import type { AnswerHead } from './answer-body.ts';
import { unreadable } from './errors.ts';
import type { Operation } from './operations/operation.ts';
import type { CallOptions } from './transport-options.ts';

/** Content of an answer, which arrives while it is read, with what the headers say of it. */
export interface Download extends AnswerHead {
  /** Must be read to its end or cancelled: the connection is in use until then. */
  readonly content: ReadableStream<Uint8Array>;
  /** Media type, as the answer names it. */
  readonly type: string | undefined;
  /** Length in bytes, where it is known before the end. */
  readonly bytes: number | undefined;
  /** File name of `Content-Disposition` without any folder; it comes from the other side and must be checked. */
  readonly fileName: string | undefined;
}

/** Row of a content that is handed on as it arrives. */
export const DOWNLOAD: Operation = {
  id: 'client.download',
  api: 'rest',
  method: 'GET',
  path: '/',
  response: { kind: 'stream', fields: [] },
  repeat: 'safe',
  about: 'A content of any kind.',
  source: 'caller',
};

/** Runs a call whose answer is a stream, and puts its head and its content together. */
export async function toDownload(
  options: CallOptions,
  run: (options: CallOptions) => Promise<unknown>,
): Promise<Download> {
  let head: AnswerHead | undefined;
  const onAnswer = (answered: AnswerHead) => {
    head = answered;
  };
  const content = await run({ ...options, onAnswer });
  if (head === undefined || !(content instanceof ReadableStream)) {
    throw unreadable(DOWNLOAD.id, 'the answer has no content', head);
  }
  const find = (name: string) => [head?.headers[name] ?? []].flat()[0];
  const length = Number(find('content-length') ?? 'none');
  const bytes = Number.isSafeInteger(length) ? length : undefined;
  const fileName = findFileName(find('content-disposition') ?? '');
  const { signal } = options;
  const ending = signal ? content.pipeThrough(new TransformStream(), { signal }) : content;
  return { ...head, content: ending, type: find('content-type'), bytes, fileName };
}

/** `filename*=UTF-8''…` goes before `filename=` (RFC 6266 §4.3). */
function findFileName(disposition: string): string | undefined {
  const [, encoded] = /filename\*=UTF-8''([^;\s]+)/i.exec(disposition) ?? [];
  const [, quoted, plain] = /filename=(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? [];
  const name = (decode(encoded) ?? quoted ?? plain)?.split(/[\\/]/).at(-1);
  return name === '' || name === '.' || name === '..' ? undefined : name;
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
