import { isWaiting } from '../../domain/cell.ts';
import { hasMoreBits } from '../../domain/mask.ts';
import {
  type Deactivation,
  isObservedActive,
  isWantedActive,
  type UserState,
} from '../../domain/user.ts';
import type { LeaverRow } from '../../store/audit/leavers.ts';

/** State of a removal as the store shows it now. */
type LeaverJudgement =
  | { readonly kind: 'waits' }
  | { readonly kind: 'withdrawn' }
  /** Nothing of it waits, and the account works: seen at `at`. */
  | { readonly kind: 'in'; readonly at: number }
  | {
      readonly kind: 'out';
      readonly seen: { readonly at: number; readonly by: string } | undefined;
    };

type Judge = (state: UserState, leaver: LeaverRow, deactivation: Deactivation) => LeaverJudgement;

const WAITS: LeaverJudgement = { kind: 'waits' };
const WITHDRAWN: LeaverJudgement = { kind: 'withdrawn' };
const NOBODY: LeaverJudgement = { kind: 'out', seen: undefined };

/** Judges a removal by what is wanted and observed. Pure. @param state undefined: nothing is known of the person any more */
export function judgeLeaver(
  leaver: LeaverRow,
  state: UserState | undefined,
  deactivation: Deactivation,
): LeaverJudgement {
  if (state === undefined) return NOBODY;
  const isOfAccess = leaver.kind === 'deactivated' || leaver.kind === 'deleted';
  const judge = isOfAccess
    ? judgeAccess
    : leaver.kind === 'licence'
      ? judgeLicence
      : judgeSuspension;
  return judge(state, leaver, deactivation);
}

const judgeAccess: Judge = (state, _leaver, deactivation) => {
  const { desired, observed, cells, upstreamId, mustLook, deleted } = state;
  if (isWantedActive(desired, deactivation)) return WITHDRAWN;
  if (isWaiting(cells.active) || isWaiting(cells.account) || mustLook) return WAITS;
  if (observed === undefined) return upstreamId === undefined ? NOBODY : WAITS;
  const isIn = isObservedActive(observed, deactivation);
  if (upstreamId === undefined) return deleted && isIn ? WITHDRAWN : NOBODY;
  return isIn ? { kind: 'in', at: observed.at } : { kind: 'out', seen: observed };
};

const judgeSuspension: Judge = ({ desired, observed, cells, mustLook }) => {
  if (desired.temporarilyInactive !== true && desired.active) return WITHDRAWN;
  const isPending = isWaiting(cells.temporarilyInactive) || isWaiting(cells.active);
  if (isPending || mustLook || observed === undefined) return WAITS;
  const isOut = observed.temporarilyInactive === true || !observed.active;
  return isOut ? { kind: 'out', seen: observed } : WAITS;
};

const judgeLicence: Judge = ({ desired, observed, cells, mustLook }, { licence }) => {
  if (hasMoreBits(desired.appsPermissions ?? 0, licence ?? 0)) return WITHDRAWN;
  if (isWaiting(cells.appsPermissions) || mustLook || observed === undefined) return WAITS;
  const held = observed.appsPermissions;
  if (held === undefined || hasMoreBits(held, licence ?? 0)) return WAITS;
  return { kind: 'out', seen: observed };
};
