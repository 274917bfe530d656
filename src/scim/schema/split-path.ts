import { badRequest } from '../errors.ts';

/** Path of an attribute without its filter, and that filter. */
interface SplitPath {
  /** `emails.value` of `emails[type eq "work"].value`. */
  readonly name: string;
  /** Text between the brackets; undefined: there are none. */
  readonly filter: string | undefined;
}

/**
 * Takes the value filter out of a path. @throws ScimError 400 `invalidPath`: no closing bracket, or something else
 * than a sub-attribute behind it. @see RFC 7644 §3.5.2, figure 1
 */
export function splitPath(path: string): SplitPath {
  const opening = path.indexOf('[');
  if (opening === -1) return { name: path, filter: undefined };
  const closing = findClosingBracket(path, opening);
  const after = path.slice(closing + 1).trimStart();
  if (closing === -1 || (after !== '' && !after.startsWith('.'))) {
    throw badRequest('invalidPath', 'The path is malformed.');
  }
  const name = path.slice(0, opening).trimEnd() + after;
  return { name, filter: path.slice(opening + 1, closing) };
}

/** Place of the bracket that closes the filter, outside of quoted texts, or -1. */
export function findClosingBracket(path: string, opening: number): number {
  let quoted = false;
  for (let i = opening + 1; i < path.length; i += 1) {
    if (path[i] === '"') quoted = !quoted;
    else if (path[i] === '\\' && quoted)
      i += 1; // Whatever is escaped, it does not close the text.
    else if (path[i] === ']' && !quoted) return i;
  }
  return -1;
}
