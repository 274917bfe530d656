/** The value of an entry that comes bare or, as in SCIM, as `{ value }`; undefined when it has none. */
export function findEntryValue(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'value' in entry ? entry.value : entry;
}
