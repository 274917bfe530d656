import { assertNever } from '../../domain/errors.ts';
import type { GroupAction } from '../../plan/actions.ts';
import type { GroupOutcome } from './outcome.ts';

/** Groups that are remembered; of another one it is found out anew. */
const GROUPS_MAX = 10_000;
/** Failures in a row after which it is the service that fails, not one change. */
const IN_A_ROW_MAX = 3;
/** How often one run goes on with another change; each time costs a look. */
const GOING_ON_MAX = 5;

/** The code of a call that was held back because something else is wanted by now. */
const OVERTAKEN = 'stopped';

/** What fails in one group. */
interface Trouble {
  /** How many times each change failed since it last worked. */
  readonly counts: Map<string, number>;
  /** Failures since anything worked. */
  inARow: number;
  /** How often this run has gone on with another change. */
  wentOn: number;
}

/**
 * Remembers which changes of groups fail without a clear answer, so that no other change of the group waits for them.
 * In memory alone: after a restart it is found out anew.
 */
export interface Failing {
  /** The same actions, those first that failed least. */
  order(groupId: string, actions: readonly GroupAction[]): readonly GroupAction[];
  /** How many times this action failed since it last worked. */
  count(groupId: string, action: GroupAction): number;
  /** Notes how an action ended; of one that failed, the outcome says whether the run goes on with another one. */
  note(groupId: string, ended: EndedAction): GroupOutcome;
}

/** An action that ended; `list` gives all that the group needs. */
export interface EndedAction {
  readonly action: GroupAction;
  readonly list: () => readonly GroupAction[];
  readonly outcome: GroupOutcome;
}

/** Nothing has failed yet. */
export function createFailing(): Failing {
  const troubles = new Map<string, Trouble>();

  function count(groupId: string, action: GroupAction): number {
    return troubles.get(groupId)?.counts.get(toKey(action)) ?? 0;
  }

  function open(groupId: string): Trouble {
    const trouble = troubles.get(groupId) ?? { counts: new Map(), inARow: 0, wentOn: 0 };
    troubles.delete(groupId);
    troubles.set(groupId, trouble);
    const [oldest] = troubles.keys();
    if (troubles.size > GROUPS_MAX && oldest !== undefined) troubles.delete(oldest);
    return trouble;
  }

  function worked(groupId: string, action: GroupAction): void {
    const trouble = troubles.get(groupId);
    trouble?.counts.delete(toKey(action));
    if (trouble) trouble.inARow = 0;
  }

  /** True: another one, which failed less, is to be tried at once. */
  function failed(groupId: string, { action, list, outcome }: EndedAction): boolean {
    const trouble = open(groupId);
    const failures = count(groupId, action) + 1;
    trouble.counts.set(toKey(action), failures);
    trouble.inARow += 1;
    const mayGoOn = trouble.inARow < IN_A_ROW_MAX && trouble.wentOn < GOING_ON_MAX;
    const isAny = () => list().some((other) => count(groupId, other) < failures);
    const goesOn = outcome.kind === 'unknown' && mayGoOn && isAny();
    trouble.wentOn = goesOn ? trouble.wentOn + 1 : 0;
    return goesOn;
  }

  return {
    order(groupId, actions) {
      if (actions.length === 0) troubles.delete(groupId);
      if (!troubles.has(groupId)) return actions;
      return actions.toSorted((a, b) => count(groupId, a) - count(groupId, b));
    },
    count,
    note(groupId, ended) {
      const { action, outcome } = ended;
      switch (outcome.kind) {
        case 'done':
        case 'refused':
          if (action.kind !== 'look-at-group') worked(groupId, action);
          return outcome;
        case 'later':
        case 'unknown':
          if (!isFailure(ended)) return outcome;
          return failed(groupId, ended) ? { ...outcome, lookNow: true } : outcome;
        default:
          return assertNever(outcome);
      }
    },
  };
}

/** What was held back did not fail, and "not there" is looked at first. */
function isFailure({ action, outcome }: EndedAction): boolean {
  if (action.kind === 'look-at-group') return false;
  if (outcome.kind === 'later') return outcome.problem.code !== OVERTAKEN;
  return outcome.kind === 'unknown' && !outcome.lookNow;
}

/** What fails together: all batches of one group, and everything else by itself. */
function toKey(action: GroupAction): string {
  switch (action.kind) {
    case 'change-member':
    case 'change-admin':
      return `${action.kind} ${action.change.userId}`;
    case 'change-members':
      return `${action.kind} ${action.changes.every(({ stuck }) => stuck)}`;
    default:
      return action.kind;
  }
}
