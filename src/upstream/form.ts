import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { blob } from 'node:stream/consumers';
import { FormData } from 'undici';
import { notSent } from './errors.ts';
import type { FileInput, FileSource } from './operations/file-input.ts';
import type { FormPart } from './operations/form-parts.ts';

/**
 * Creates a form; files that are named by a path are read when it is sent, streams now.
 * @param id names the operation in errors. @throws TypeError for a path that cannot be read, UpstreamError for a stream.
 */
export async function createForm(id: string, parts: readonly FormPart[]): Promise<FormData> {
  const form = new FormData();
  for (const part of parts) {
    if (part.kind === 'text') form.append(part.name, part.text);
    else {
      const { content, name, type } = toGiven(part.file);
      const file = await toBlob(id, part.name, content);
      // A slice shares the bytes of the file.
      form.append(
        part.name,
        type === undefined ? file : file.slice(0, file.size, type),
        name ?? nameOf(content),
      );
    }
  }
  return form;
}

function toGiven(file: FileInput): {
  content: FileSource;
  name?: string | undefined;
  type?: string | undefined;
} {
  const isSource = typeof file === 'string' || !('content' in file);
  return isSource ? { content: file } : file;
}

function nameOf(source: FileSource): string {
  if (typeof source === 'string') return basename(source);
  return source instanceof File ? source.name : 'file';
}

async function toBlob(id: string, field: string, source: FileSource): Promise<Blob> {
  if (typeof source === 'string') return await openFile(`${id}: body.${field}`, source);
  if (source instanceof Blob) return source;
  if (source instanceof Uint8Array) return new Blob([new Uint8Array(source)]);
  try {
    return await blob(source);
  } catch (cause) {
    const words = `body.${field} could not be read to its end`;
    throw notSent('connection', id, words, { cause });
  }
}

async function openFile(label: string, path: string): Promise<Blob> {
  try {
    if ((await stat(path)).isFile()) return await openAsBlob(path);
  } catch (cause) {
    throw new TypeError(`${label} is a path that cannot be read`, { cause });
  }
  throw new TypeError(`${label} is a path, but not of a file`);
}
