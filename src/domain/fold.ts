import { limitMarks } from './text.ts';

/**
 * The form in which names that ignore case are stored and compared: NFC, lower case, few combining marks in a row.
 * Idempotent and linear. Both sigmas become one, because lower-casing chooses between them by the letters around.
 */
export function foldCase(text: string): string {
  // Of ASCII alone, as most texts are, only the case changes.
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  const lower = limitMarks(text).normalize('NFC').toLowerCase().replaceAll('\u03c2', '\u03c3');
  return limitMarks(lower.normalize('NFC'));
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Most characters of an indexed value: folding can triple a text, and PostgreSQL indexes at most 2,704 bytes. */
export const INDEXED_LENGTH_MAX = 512;

/** True for text that the index of every store can hold. */
export function isIndexable(text: string): boolean {
  if (text.length > INDEXED_LENGTH_MAX) return false;
  return text.length * 3 <= INDEXED_LENGTH_MAX || foldCase(text).length <= INDEXED_LENGTH_MAX;
}

/** `foldCase` of one resource, whose texts are compared again and again: each is folded once. */
export function createFolds(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const folded = known.get(text) ?? foldCase(text);
    known.set(text, folded);
    return folded;
  };
}
