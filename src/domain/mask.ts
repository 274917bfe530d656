/** True if `bits` has a bit that `others` lacks, beyond 32 bits too. @throws RangeError for what is no whole number */
export function hasMoreBits(bits: number, others: number | bigint): boolean {
  return (BigInt(bits) & ~BigInt(others)) !== 0n;
}

/** The bits of both. @throws RangeError as `hasMoreBits` */
export function joinBits(one: number, other: number): bigint {
  return BigInt(one) | BigInt(other);
}
