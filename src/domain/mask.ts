/** True if `bits` has a bit that `others` lacks, beyond 32 bits too. @throws RangeError for what is no whole number */
export const hasMoreBits = (bits: number, others: number | bigint) =>
  (BigInt(bits) & ~BigInt(others)) !== 0n;

/** The bits of both. @throws RangeError as `hasMoreBits` */
export const joinBits = (one: number, other: number) => BigInt(one) | BigInt(other);
