import { limitMarks } from './text.ts';

/**
 * The form in which names that ignore case are stored and compared: NFC, lower case, few combining marks in a row.
 * Folding twice changes nothing; NFC comes again because lower-casing can leave marks out of order, and can make more of
 * them. Linear in the length of the text.
 */
export function foldCase(text: string): string {
  const lower = limitMarks(text).normalize('NFC').toLowerCase();
  return limitMarks(lower.normalize('NFC'));
}
