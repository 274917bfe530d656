import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { blob } from 'node:stream/consumers';
import { FormData } from 'undici';
import { notSent } from './errors.ts';
import type { FileInput, FileSource } from './operations/file-input.ts';
import type { PreparedForm } from './operations/prepare.ts';

/**
 * Treatment of text as the path of a local file. `refuse` where the arguments come from another party, who could read
 * any file then.
 */
export type FilePaths = 'read' | 'refuse';

/**
 * Creates a form; files that are named by a path are read when it is sent, streams now. A list is as many fields of its
 * name. @throws TypeError for a path that cannot be read, or where none may be, UpstreamError for a stream.
 */
export async function createForm(
  { id, part, fields, findFile }: PreparedForm,
  filePaths: FilePaths,
): Promise<FormData> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const values = given.flatMap(([name, value]) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) => ({ name, item, file: findFile(name, item) }));
  });
  // Before any stream is read.
  for (const { name, file } of filePaths === 'refuse' ? values : []) {
    if (file === undefined || typeof toGiven(file).content !== 'string') continue;
    throw new TypeError(`${id}: ${part}.${name} must be the file itself, not a path`);
  }
  const form = new FormData();
  for (const { name, item, file } of values) {
    if (file === undefined) {
      form.append(name, typeof item === 'string' ? item : JSON.stringify(item));
      continue;
    }
    const { content, name: fileName = nameOf(content), type } = toGiven(file);
    const bytes = await toBlob(id, `${part}.${name}`, content);
    // A slice shares the bytes of the file.
    form.append(name, type ? bytes.slice(0, bytes.size, type) : bytes, fileName);
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
  if (typeof source === 'string') return await openFile(`${id}: ${field}`, source);
  if (source instanceof Blob) return source;
  if (source instanceof Uint8Array) return new Blob([new Uint8Array(source)]);
  try {
    return await blob(source);
  } catch (cause) {
    throw notSent('connection', id, `${field} could not be read to its end`, { cause });
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
