import { z } from 'zod';
import type { FileInput } from '../../upstream/operations/file-input.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import { isFileType, toTypes } from '../../upstream/operations/part.ts';
import { callBody, type SentFile } from '../schemas/requests.ts';

/** The body of `POST /ops/api/{group}/{operation}`. `content` is base64. */
export type SentCall = z.input<typeof callBody>;

/**
 * Parses the body of a call. Text in place of a file would be the path of one on this machine, so files are taken
 * from `files` alone.
 * @throws TypeError saying what is wrong
 */
export function parseCall({ id, body: fields = {} }: Operation, sent: unknown): object {
  const parsed = callBody.safeParse(sent ?? {});
  if (!parsed.success) throw new TypeError(`${id}: ${z.prettifyError(parsed.error)}`);
  const { files = {}, body, ...args } = parsed.data;
  const types = toTypes(fields);
  for (const name of Object.keys(body ?? {})) {
    if (!isFileType(types.get(name))) continue;
    throw new TypeError(`${id}: body.${name} is a file; it is sent in files`);
  }
  const entries = Object.entries(files).map(([name, list]) => {
    const type = types.get(name);
    if (!isFileType(type)) throw new TypeError(`${id}: files.${name} is unknown`);
    return [name, toInput(type, list.map(toFile))] as const;
  });
  if (entries.length === 0) return body === undefined ? args : { ...args, body };
  return { ...args, body: { ...body, ...Object.fromEntries(entries) } };
}

/** A list where the operation takes several; where it takes one, the operation refuses several. */
function toInput(type: 'file' | 'file[]', files: FileInput[]): unknown {
  return type === 'file[]' || files.length > 1 ? files : files[0];
}

function toFile({ content, ...told }: SentFile): FileInput {
  return { content: Buffer.from(content, 'base64'), ...told };
}
