import type { Cells } from '../domain/cell.ts';
import type { SentChange } from '../domain/change.ts';
import type { GroupField, LinkChange, UpstreamGroupIds } from '../domain/group.ts';
import type { GroupId, UserId } from '../domain/ids.ts';
import type { LinkKey } from '../domain/link.ts';
import type { ResourceState, SentCreate } from '../domain/resource-state.ts';
import type { UserField } from '../domain/user.ts';
import type { Rules } from '../rules/rules.ts';
import type { WaitingSummary } from '../store/links/waiting.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';
import type { LinkPart, Outcome, Part, Problem } from './outcome.ts';
import type { Recorded, Undone } from './recorded.ts';
import type { Waiter } from './waiters.ts';

/** State from which a step is planned, as far as all kinds have it. */
export interface PlannedState extends ResourceState<UserField | GroupField> {
  readonly id: UserId | GroupId;
  readonly links?: readonly LinkChange[];
}

/** Knowledge that a step gains, as far as all kinds have it. */
export interface Known {
  /** True when the service says that the resource does not exist. */
  readonly missing?: true;
  /** True when the resource existed before, so that it is adopted, not created. */
  readonly adopted?: true;
  /** Account, when the step found or created it. */
  readonly upstreamId?: number;
  /** Ids of a group that the step learned; the others stay. */
  readonly ids?: Partial<UpstreamGroupIds>;
  /** Changes that the service refused alone, while it took the others. */
  readonly refusedLinks?: readonly RefusedLink[];
  /** Those at which the service failed again and again while it took others: they rest, and nothing is taken back. */
  readonly failedLinks?: readonly RefusedLink[];
}

/** A change of a list, and the service's words about it. */
export interface RefusedLink extends LinkPart {
  readonly problem: Problem;
}

/** Types of a kind of resource. */
export interface KindTypes {
  readonly state: PlannedState;
  readonly action: { readonly kind: string };
  readonly known: Known;
  readonly field: UserField | GroupField;
  readonly row: ResourceRow;
}

/** Step that ended, with all that recording it needs. */
export interface Step<T extends KindTypes> {
  readonly outcome: Outcome<T['known']>;
  /** False if the failure may be an outage of the service. */
  readonly isOwn: boolean;
  /** Number of steps of this run that have failed. */
  readonly failures: number;
  /** State that the step was planned from. */
  readonly planned: T['state'];
  /** Writes that are not answered yet; refused ones are undone. */
  readonly undos: readonly Waiter[];
  readonly rules: Rules;
  /** Times that a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  /** Longest duration of a call, in milliseconds: an attempt may take effect for so long after it left. */
  readonly callMs: number;
  readonly now: number;
  readonly random: number;
}

/** Step while it is recorded. */
export interface Recording<T extends KindTypes> extends Step<T> {
  /** Row as it was read. */
  readonly original: T['row'];
  /** Users whose changes in a group were taken back; their rules are followed afterwards. */
  readonly reverted: UserId[];
}

/** Result of linking a row to what a step found or created in the service. */
export type Link<Row> =
  | { readonly kind: 'linked'; readonly columns: Partial<Row> }
  | { readonly kind: 'later'; readonly problem: Problem }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** Refused parts of one write. */
export interface RefusedWrite<Field> {
  readonly waiter: Waiter;
  /** Refused fields. */
  readonly fields: readonly Field[];
  /** Refused users of a group's lists, who are put back already. */
  readonly links: readonly LinkKey[];
  /** True: no other write was stored since. */
  readonly isLast: boolean;
}

/** Kind of resource: what convergence does differently for users and groups. The frame is written once. */
export interface ResourceKind<T extends KindTypes> {
  /** The field that stands for the whole. */
  readonly existence: T['field'];
  load(db: Db, id: string): Promise<T['state'] | undefined>;
  /** Plans the next steps, and tells the fields that need none because they already hold. */
  plan(state: T['state']): {
    readonly actions: readonly T['action'][];
    readonly done: readonly T['field'][];
  };
  /** State from which the next step is planned: a stuck change is hidden until its next attempt. */
  toPlannable(state: T['state'], now: number): T['state'];
  /** Lists the changes that an action makes; none: it looks. */
  toChanges(action: T['action']): readonly SentChange[];
  /** Key by which the service would know the resource that this action creates; undefined for other actions. */
  toSentCreate(action: T['action']): SentCreate | undefined;
  /** Takes the step; every call of it goes through `upstream`, which asks the send guard before it leaves. */
  apply(deps: ReconcileDeps, state: T['state'], action: T['action']): Promise<Outcome<T['known']>>;
  /** Waits for more changes of a resource of which some came during the step. */
  gather?(state: T['state']): Promise<T['state']>;

  lock(tx: Db, planned: T['state']): Promise<T['row'] | undefined>;
  /** Stores the columns of the row that the step has changed. */
  save(tx: Db, step: Recording<T>, row: T['row']): Promise<void>;
  /** The state of a row, with what waits of its lists. */
  toState(tx: Db, row: T['row'], now: number): Promise<T['state']>;
  /** True when the resource has other names than those with which the step was planned. */
  isRenamed(row: T['row'], planned: T['state']): boolean;
  /** Names that the service held when the step was planned, where they tell whether it made a change. */
  toHeldNames(planned: T['state']): { readonly [F in T['field']]?: string };
  /** Finds the row of what a step has found in the service; undefined: it has found nothing. */
  findHolder(tx: Db, known: T['known']): Promise<T['row'] | undefined> | undefined;
  link(tx: Db, row: T['row'], known: T['known']): Promise<Link<T['row']>>;
  /** The row after a step that worked, beside its link. */
  toDoneRow(row: T['row'], step: Recording<T>, known: T['known']): T['row'];
  /** Stores what follows from a step that worked for others, and returns the row with what follows for itself. */
  settle(
    tx: Db,
    row: T['row'],
    step: Recording<T>,
    known: T['known'],
  ): Promise<{ readonly row: T['row']; readonly notified: readonly GroupId[] }>;
  /** The row after the service was found not to have it; `undone`: it is forgotten, and so are these writes. */
  end(
    tx: Db,
    row: T['row'],
    step: Recording<T>,
  ): Promise<{ readonly row: T['row'] } | { readonly undone: readonly Undone[] }>;
  /** True when the service was asked for this value by a rule and not by a provider. */
  isRuled(row: T['row'], field: T['field']): boolean;
  /** The row after the refused parts of one write were taken back, or all of it where no other write was stored since. */
  revert(
    tx: Db,
    row: T['row'],
    step: Recording<T>,
    write: RefusedWrite<T['field']>,
  ): Promise<T['row']>;
  /** Cells at the end of a step, without those that nobody needs any more. */
  withoutOver(cells: Cells<T['field']>, state: T['state']): Cells<T['field']>;
  /** True when something that waits removes access. */
  removes(state: T['state'], links: WaitingSummary): boolean;
  /** Has others follow that the deleted resource has nothing left to do; returns those that are due now. */
  leave(tx: Db, row: T['row'], now: number): Promise<readonly GroupId[]>;
  /** True once a deleted resource is out of the service. */
  isOut(row: T['row'], state: T['state']): boolean;
  /** Follows the rules after the step. */
  follow(tx: Db, step: Recording<T>, recorded: Recorded<T['state']>): Promise<Recorded<T['state']>>;
}

/** Refused fields among these parts. */
export function listFields<Field extends UserField | GroupField>(parts: readonly Part[]): Field[] {
  return parts.filter((part): part is Field => typeof part === 'string');
}

/** Refused changes of users in lists among these parts. */
export function listLinkParts(parts: readonly Part[]): LinkPart[] {
  return parts.filter((part) => typeof part !== 'string');
}
