/** A moment in epoch milliseconds as ISO 8601; null stays null. */
export function toMoment(ms: number): string;
export function toMoment(ms: number | null): string | null;
export function toMoment(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
