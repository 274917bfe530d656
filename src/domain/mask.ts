/** True if `held` has a bit that `wanted` lacks, beyond 32 bits too. @throws RangeError for what is no whole number */
export function hasMoreBits(held: number, wanted: number | bigint): boolean {
  return (BigInt(held) & ~BigInt(wanted)) !== 0n;
}

/** The bits of both. @throws RangeError as `hasMoreBits` */
export function joinBits(one: number, other: number): bigint {
  return BigInt(one) | BigInt(other);
}
