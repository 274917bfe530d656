/** An attribute that a request writes, and of how many values; never the values. */
export interface WrittenPath {
  /** Of parts that were dropped, repaired or refused `path` is the kind of reason: their names may be personal. */
  readonly op: 'set' | 'add' | 'replace' | 'remove' | 'drop' | 'repair' | 'refuse';
  /** Path in the spelling of the schema, an extension's after its URN. */
  readonly path: string;
  /** 0: it is to have none; of a filter it is not known how many it meets, and counts as 1. */
  readonly values: number;
}
