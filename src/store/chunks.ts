/** How many ids go into one statement: below every engine's limit of parameters. */
const CHUNK = 500;

/** Cuts a list into statements' worth. @param size entries of one statement, for those that take long */
export function* chunks<T>(list: readonly T[], size = CHUNK): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}
