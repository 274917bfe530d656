import type { SentChange } from '../domain/change.ts';
import type { GroupId, UserId } from '../domain/ids.ts';
import type { ResourceState, SentCreate } from '../domain/resource-state.ts';
import type { Rules } from '../rules/rules.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import type { GroupUndo, UserUndo } from '../store/resources/undo.ts';
import type { Db } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Outcome, Problem } from './outcome.ts';
import type { Recorded } from './recorded.ts';
import type { Waiter, Waiters } from './waiters.ts';

/** State from which a step is planned, as far as all kinds have it. */
export interface PlannedState extends ResourceState<string> {
  readonly id: UserId | GroupId;
  readonly members?: readonly unknown[];
  readonly admins?: readonly unknown[];
}

/** Types of a kind of resource. */
export interface KindTypes {
  readonly state: PlannedState;
  readonly action: { readonly kind: string; readonly reason: string };
  /** Knowledge that a step gains. */
  readonly known: { readonly missing?: true; readonly adopted?: true };
  /** Subject of a refusal. */
  readonly part: unknown;
  readonly row: ResourceRow;
  readonly undo: UserUndo | GroupUndo;
  /** Settings and learned quirks that recording a step needs. */
  readonly policies: object;
}

/** Outcome of a step of one kind. */
export type OutcomeOf<T extends KindTypes> = Outcome<T['known'], T['part']>;

/** End of a step. */
export interface EndedStep<T extends KindTypes> {
  readonly outcome: OutcomeOf<T>;
  /** False when the service may be at fault for the failure. */
  readonly isOwn: boolean;
  /** Number of steps of this run that have failed. */
  readonly failures: number;
}

/** Facts about a step that ended, as recording it needs them. */
interface StepFacts<T extends KindTypes> extends EndedStep<T> {
  /** State that the step was planned from. */
  readonly planned: T['state'];
  /** Writes that are not answered yet; refused ones are undone. */
  readonly undos: readonly Waiter<T['undo']>[];
  readonly rules: Rules;
  /** Times that a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  /** Longest duration of a call, in milliseconds: an attempt may take effect for so long after it left. */
  readonly callMs: number;
  readonly now: number;
  readonly random: number;
}

/** Step that ended, with all that recording it needs. */
export type Step<T extends KindTypes> = StepFacts<T> & T['policies'];

/** Step while it is recorded. */
export type Recording<T extends KindTypes> = Step<T> & {
  /** Row as it was read. */
  readonly original: T['row'];
  /** Users whose changes in a group were taken back; their rules are followed afterwards. */
  readonly reverted: UserId[];
};

/** Records one kind of end of a step. */
type RecordEnd<T extends KindTypes, End> = (
  tx: Db,
  row: T['row'],
  step: Recording<T>,
  end: End,
) => Promise<Recorded<T['state']>>;

/** The parts of recording a step that differ between users and groups. */
export interface Recorder<T extends KindTypes> {
  lock(tx: Db, planned: T['state']): Promise<T['row'] | undefined>;
  /**
   * Gives to a successor what the service holds of a deleted resource, which has nothing left to do then. Returns what is
   * due now; undefined: there is no successor.
   */
  handOver(
    tx: Db,
    row: T['row'],
    step: Step<T>,
  ): Promise<Recorded<T['state']>['notified'] | undefined>;
  /** True when the resource has other names than those with which the step was planned. */
  isRenamed(row: T['row'], planned: T['state']): boolean;
  readonly done: RecordEnd<T, T['known']>;
  readonly refused: RecordEnd<T, Extract<OutcomeOf<T>, { kind: 'refused' }>>;
  readonly postponed: RecordEnd<T, Extract<OutcomeOf<T>, { kind: 'later' | 'unknown' }>>;
  /** Plans again from the new row. */
  finish(tx: Db, row: T['row'], step: Recording<T>): Promise<Recorded<T['state']>>;
  /** Follows the rules after the step. */
  follow(tx: Db, step: Recording<T>, recorded: Recorded<T['state']>): Promise<Recorded<T['state']>>;
}

/** Kind of resource: what convergence does differently for users and groups. The frame is written once. */
export interface ResourceKind<T extends KindTypes> extends Recorder<T> {
  /** Result of a step without an action. */
  readonly noNews: T['known'];
  readonly waiters: Waiters<T['undo']>;
  /** Narrows the undo that is stored of a request that waits in another process. */
  readonly isUndo: (undo: UserUndo | GroupUndo) => undo is T['undo'];
  load(db: Db, id: string): Promise<T['state'] | undefined>;
  /** Plans the next step, undefined when there is nothing to do. */
  planNext(state: T['state']): T['action'] | undefined;
  /** Lists the changes that an action makes; none: it looks. */
  toChanges(action: T['action']): readonly SentChange[];
  /** Key by which the service would know the resource that this action creates; undefined for other actions. */
  toSentCreate(action: T['action']): SentCreate | undefined;
  /** Takes the step; every call of it goes through `upstream`, which asks the send guard before it leaves. */
  apply(deps: ReconcileDeps, state: T['state'], action: T['action']): Promise<OutcomeOf<T>>;
  toPolicies(): T['policies'];
  /** True when the service may have refused something. */
  mayRefuse(outcome: OutcomeOf<T>): boolean;
  /** Finds the refusal or failure of the service; undefined: there was none. */
  findRefusal(outcome: OutcomeOf<T>): Problem | undefined;
  /** Waits for more changes of a resource of which some came during the step. */
  gather?(state: T['state']): Promise<T['state']>;
}
