import { assertNever } from '../domain/errors.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Outcome } from './outcome.ts';
import { isSectionUp, type ReadableSection } from './sections.ts';
import type { Judged } from './verdict.ts';

/** What a failed call was about. */
export interface FailedCall<Part> {
  readonly parts: readonly Part[];
  readonly section: ReadableSection;
}

/** What a failed call means for the resource, where nothing about it needs to be known. */
export async function toFailure<Part>(
  deps: ReconcileDeps,
  judged: Judged,
  { parts, section }: FailedCall<Part>,
): Promise<Outcome<never, Part>> {
  const { verdict, problem } = judged;
  switch (verdict) {
    case 'missing':
      return { kind: 'unknown', problem, lookNow: true };
    case 'forbidden':
      return (await isSectionUp(deps, section, problem))
        ? { kind: 'refused', parts, problem }
        : toLater(judged);
    case 'conflict':
    case 'refused':
    case 'smaller':
      return { kind: 'refused', parts, problem };
    case 'later':
      return toLater(judged);
    case 'unknown':
      return { kind: 'unknown', problem };
    default:
      return assertNever(verdict);
  }
}

/** Nothing was changed or seen, and it may work another time: when the service says so, or after the usual delay. */
export function toLater({
  problem,
  retryAfterMs,
}: Judged): Extract<Outcome<never, never>, { kind: 'later' }> {
  return { kind: 'later', problem, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}
