import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { FileInput, FileSource } from './operations/file-input.ts';
import type { FormPart } from './operations/form-parts.ts';

/** A form that can be sent (multipart/form-data, RFC 7578). */
export interface FormBody {
  readonly contentType: string;
  /** Undefined when the length of a stream in it is unknown. */
  readonly bytes: number | undefined;
  /** False: there is a stream in it, which can be sent once only. */
  readonly isRepeatable: boolean;
  /** Opens all of it, from its beginning. */
  open(): Readable;
}

/** The body could not be read to its end: a fault on this side, which says nothing about the service. */
export class BodyFailed extends Error {
  override readonly name = 'BodyFailed';
  constructor(cause: unknown) {
    super('what was to be sent could not be read to its end', { cause });
  }
}

/**
 * Creates a form; files are read when it is sent.
 * @param label names the operation in errors. @throws TypeError for a path that cannot be read.
 */
export async function createFormBody(label: string, parts: readonly FormPart[]): Promise<FormBody> {
  const boundary = `scim-bridge-${randomUUID()}`;
  const sections: Section[] = [];
  for (const part of parts) {
    const { content, head } = await toSection(label, part);
    sections.push({ content, head: `--${boundary}\r\n${head}\r\n\r\n` });
  }
  const end = `--${boundary}--\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: countBytes(sections, end),
    isRepeatable: sections.every(({ content }) => content.isRepeatable),
    open: () => Readable.from(readForm(sections, end), { objectMode: false }),
  };
}

/** One part of the body: its header lines and its content. */
interface Section {
  readonly head: string;
  readonly content: Content;
}

interface Content {
  readonly bytes: number | undefined;
  readonly isRepeatable: boolean;
  read(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

async function* readForm(sections: readonly Section[], end: string): AsyncGenerator<Uint8Array> {
  for (const { head, content } of sections) {
    yield Buffer.from(head);
    yield* readContent(content);
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(end);
}

async function* readContent(content: Content): AsyncGenerator<Uint8Array> {
  try {
    yield* content.read();
  } catch (cause) {
    throw new BodyFailed(cause);
  }
}

function countBytes(sections: readonly Section[], end: string): number | undefined {
  let bytes = Buffer.byteLength(end);
  for (const { head, content } of sections) {
    if (content.bytes === undefined) return undefined;
    bytes += Buffer.byteLength(head) + content.bytes + 2;
  }
  return bytes;
}

async function toSection(label: string, part: FormPart): Promise<Section> {
  const disposition = `content-disposition: form-data; name="${quote(part.name)}"`;
  if (part.kind === 'text') {
    return { head: disposition, content: toBytesContent(Buffer.from(part.text)) };
  }
  const { content, name, type } = describeFile(part.file);
  return {
    head: `${disposition}; filename="${quote(name)}"\r\ncontent-type: ${toOneLine(type)}`,
    content: await toContent(`${label}: body.${part.name}`, content),
  };
}

function describeFile(file: FileInput): { content: FileSource; name: string; type: string } {
  const given = isSource(file) ? { content: file } : file;
  const { content, name, type } = { name: undefined, type: undefined, ...given };
  return { content, name: name ?? nameOf(content), type: type ?? typeOf(content) };
}

function isSource(file: FileInput): file is FileSource {
  return typeof file === 'string' || !('content' in file);
}

function nameOf(source: FileSource): string {
  if (typeof source === 'string') return basename(source);
  return source instanceof File ? source.name : 'file';
}

function typeOf(source: FileSource): string {
  return (source instanceof Blob && source.type) || 'application/octet-stream';
}

async function toContent(label: string, source: FileSource): Promise<Content> {
  if (typeof source === 'string') return toPathContent(label, source);
  if (source instanceof Uint8Array) return toBytesContent(source);
  if (source instanceof Blob) {
    return { bytes: source.size, isRepeatable: true, read: () => source.stream() };
  }
  return { bytes: undefined, isRepeatable: false, read: () => source };
}

async function toPathContent(label: string, path: string): Promise<Content> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new TypeError(`${label} is a path that cannot be read`, { cause });
  });
  if (!found.isFile()) throw new TypeError(`${label} is a path, but not of a file`);
  const bytes = found.size;
  // Not beyond the announced length, should the file grow meanwhile.
  const read = () => (bytes === 0 ? [] : createReadStream(path, { end: bytes - 1 }));
  return { bytes, isRepeatable: true, read };
}

function toBytesContent(content: Uint8Array): Content {
  return { bytes: content.byteLength, isRepeatable: true, read: () => [content] };
}

/** As browsers write names (the multipart/form-data encoding algorithm of the HTML standard). */
function quote(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** No header line can be added by a media type. */
function toOneLine(type: string): string {
  return type.replace(/[\r\n]+/g, ' ');
}
