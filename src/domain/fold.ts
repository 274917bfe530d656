/**
 * The form in which names that ignore case are stored and compared: NFC, lower case. Folding twice
 * changes nothing; NFC comes again at the end because lower-casing can leave marks out of order.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().normalize('NFC');
}
