/**
 * True when `held` has a bit that `wanted` lacks. Masks may be wider than the 32 bits that the bitwise operators keep,
 * so this is the one place that compares them.
 * @throws RangeError when one of them is no whole number
 */
export function hasMoreBits(held: number, wanted: number | bigint): boolean {
  return (BigInt(held) & ~BigInt(wanted)) !== 0n;
}

/** The bits of both. @throws RangeError as `hasMoreBits` */
export function joinBits(one: number, other: number): bigint {
  return BigInt(one) | BigInt(other);
}
