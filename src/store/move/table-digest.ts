import { createHash } from 'node:crypto';

/** A row in the order of its columns, each value as the text that PostgreSQL has for it; null where there is none. */
export type TextRow = readonly (string | null)[];

/** Number of rows of a table, and one hash of all of them in any order. */
export interface TableDigest {
  readonly rows: number;
  readonly hash: string;
}

const MODULUS = 2n ** 256n;

/** Digest that rows are added to one by one. Sums of hashes need no order, in which the engines may differ. */
export function createDigest(): { add(row: TextRow): void; result(): TableDigest } {
  let rows = 0;
  let sum = 0n;
  return {
    add(row) {
      rows += 1;
      sum = (sum + hashRow(row)) % MODULUS;
    },
    result: () => ({ rows, hash: sum.toString(16).padStart(64, '0') }),
  };
}

/** JSON keeps apart what separators would not: null and text, and where one value ends. */
function hashRow(row: TextRow): bigint {
  return BigInt(`0x${createHash('sha256').update(JSON.stringify(row)).digest('hex')}`);
}
