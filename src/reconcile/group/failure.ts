import { assertNever } from '../../domain/errors.ts';
import type { ReconcileDeps } from '../deps.ts';
import { isSectionUp } from '../sections.ts';
import type { Judged } from '../verdict.ts';
import type { GroupOutcome, GroupPart } from './outcome.ts';

/** What a failed call means for the parts of the group it was about. */
export async function toGroupFailure(
  deps: ReconcileDeps,
  { verdict, problem, retryAfterMs }: Judged,
  parts: readonly GroupPart[],
): Promise<GroupOutcome> {
  const later: GroupOutcome = {
    kind: 'later',
    problem,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  switch (verdict) {
    case 'missing':
      return { kind: 'unknown', problem, lookNow: true };
    case 'forbidden':
      return (await isSectionUp(deps, 'groups', problem))
        ? { kind: 'refused', parts, problem }
        : later;
    case 'conflict':
    case 'refused':
    case 'smaller':
      return { kind: 'refused', parts, problem };
    case 'later':
      return later;
    case 'unknown':
      return { kind: 'unknown', problem };
    default:
      return assertNever(verdict);
  }
}
