import { readFile } from 'node:fs/promises';
import { BridgeError } from '../domain/errors.ts';
import { isJsonObject } from '../domain/json.ts';
import { toCount } from '../domain/text.ts';

/**
 * Reads a provider's export. A list in one JSON document (SCIM, Microsoft Graph, Okta) becomes one object a line, which
 * the bridge takes; all else is left as it is.
 * @throws BridgeError `file-unreadable`; `file-incomplete` for the first pages of a list, which would show people as gone
 */
export async function readExport(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw new BridgeError('file-unreadable', `${path} cannot be read.`, { cause });
  });
  const list = findList(bytes);
  if (list === undefined) return bytes;
  const { items, isWhole } = list;
  if (!isWhole) {
    const message = `${path} is one page of a list, with ${toCount(items.length, 'entry', 'entries')}: put all pages into one file, one object a line.`;
    throw new BridgeError('file-incomplete', message);
  }
  return Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''));
}

/** The entries of one JSON document, and whether it has all of them; undefined: it is something else. */
function findList(bytes: Buffer) {
  // Behind the mark of UTF-8, which is above all letters.
  const first = bytes.find((byte) => byte > 0x20 && byte < 0x80) ?? 0;
  if (!'{['.includes(String.fromCharCode(first))) return undefined;
  try {
    return toList(JSON.parse(bytes.toString().replace(/^\uFEFF/, '')));
  } catch {
    return undefined; // One object a line, or no JSON: the bridge says which row it does not understand.
  }
}

/** A bare list has no place to say that more follow. @see RFC 7644 §3.4.2 (totalResults) */
function toList(value: unknown) {
  if (Array.isArray(value)) return { items: value, isWhole: true };
  if (!isJsonObject(value)) return undefined;
  const { Resources, value: graph, totalResults, '@odata.nextLink': next } = value;
  if (Array.isArray(Resources)) {
    const isWhole = !(typeof totalResults === 'number' && totalResults > Resources.length);
    return { items: Resources, isWhole };
  }
  return Array.isArray(graph) ? { items: graph, isWhole: next === undefined } : undefined;
}
