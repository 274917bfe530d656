import type { SentCreate } from '../domain/sent-create.ts';
import { LOST_CREATE } from '../store/resources/sent-creates.ts';
import type { Outcome } from './outcome.ts';

/** How long to wait before the second and the last look, in milliseconds: the create may arrive late. */
const DELAYS_MS = [60_000, 15 * 60_000];

/** When to look next for what an undone create may have left (epoch milliseconds), or undefined: never again. */
export function planNextLostLook(looksLeft: number, now: number): number | undefined {
  if (looksLeft <= 0) return undefined;
  const made = LOST_CREATE.lost_looks - looksLeft;
  return made <= 0 ? now : now + (DELAYS_MS[made - 1] ?? 0);
}

/**
 * The row without the create of a step that ended and surely created nothing. What earlier ones were sent with
 * stays: they may have left something.
 */
export function withoutUncreated<Row extends { readonly sent_creates: string }>(
  row: Row,
  {
    planned,
    outcome,
  }: {
    readonly planned: { readonly sentCreates: readonly SentCreate[] };
    readonly outcome: Outcome<unknown, unknown>;
  },
): Row {
  const isKnown = outcome.kind === 'refused' || outcome.kind === 'later';
  return isKnown ? { ...row, sent_creates: JSON.stringify(planned.sentCreates) } : row;
}
