/** How many ids go into one statement: below every engine's limit of parameters. */
const CHUNK = 500;

/** Cuts a list into statements' worth. */
export function* chunks<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += CHUNK) yield list.slice(start, start + CHUNK);
}
