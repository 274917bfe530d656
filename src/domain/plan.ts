import type { Cell } from './cell.ts';
import type { ChangeKind, Difference, HarmKind } from './change.ts';
import { isEntityField } from './entity.ts';
import type { ComparedState, Deactivation, Field, OwnField } from './kinds.ts';
import { FIELDS, listDiffering, toValues } from './kinds.ts';
import type { LinkKey } from './link.ts';
import { LINK_LISTS } from './link.ts';
import type { JsonObject } from './values.ts';
import { isJsonObject, parseFields, userId } from './values.ts';

/** Status of a plan. `held`: it waits for an operator. `approved`: it is under way. */
export const PLAN_STATUSES = ['held', 'approved', 'applied', 'discarded'] as const;
/** One of these statuses. */
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** Sources of plans that repair differences by the policy: a newer plan of them replaces one that waits. */
export const REPAIR_SOURCES = ['sweep', 'audit', 'operator'] as const;

/** Sources of plans of a store that was observing, or is older than the service. */
export const RECOVERY_SOURCES = ['first-run', 'restore'] as const;

/** Sources of plans that hold changes back: discarding one makes what the service holds the desired state. */
export const HOLDING_SOURCES = ['provider', ...RECOVERY_SOURCES] as const;

/**
 * Sources of plans. `audit`: a look after an event. `provider`: removals above `limits.provider`. `restore`: an old
 * backup.
 */
export const PLAN_SOURCES = [...REPAIR_SOURCES, 'undo', ...HOLDING_SOURCES, 'handover'] as const;
/** One of these sources. */
export type PlanOrigin = (typeof PLAN_SOURCES)[number];

/** Status of an action. `released`: it waits for the service. `dropped`: its precondition no longer held. */
export type ActionStatus = 'planned' | 'released' | 'done' | 'dropped';

/** One action of a plan: has the service hold `desired` where it was seen to hold `observed`. */
export interface PlanAction extends Omit<Difference, 'kind'> {
  readonly kind: ChangeKind;
  readonly harm: HarmKind | null;
}

type ChangePlace =
  | { readonly kind: 'fields'; readonly fields: readonly Field[] }
  | ({ readonly kind: 'link' } & LinkKey);

/** Finds the place of a change; one of several fields concerns those that have a value. */
export function toPlace(change: Pick<PlanAction, 'kind' | 'member_id' | 'desired'>): ChangePlace {
  const { kind, member_id, desired } = change;
  if (kind.startsWith('entity.')) {
    return { kind: 'fields', fields: isEntityField(member_id) ? [member_id] : [] };
  }
  const list = LINK_LISTS.find((one) => kind.startsWith(one));
  if (list !== undefined) return { kind: 'link', list, userId: userId(member_id) };
  const fields = listChangedFields(kind);
  const isIn = (field: string) => isJsonObject(desired) && Object.hasOwn(desired, field);
  return { kind: 'fields', fields: fields.length === 1 ? fields : fields.filter(isIn) };
}

/** Lists the fields that a kind of change may concern. */
export const listChangedFields = (kind: ChangeKind) =>
  parseFields<OwnField>(FIELDS).filter((field) => FIELDS[field].changes.includes(kind));

/** Lists the changes of those fields that are meant and differ. A value that the service does not tell cannot differ. */
export function listFieldChanges(
  state: ComparedState,
  deactivation: Deactivation,
  isMeant: (cell: Cell | undefined) => boolean,
) {
  const values = toValues(state, deactivation);
  const changes = new Map<ChangeKind, Readonly<Record<'desired' | 'observed', JsonObject>>>();
  for (const field of listDiffering(state, deactivation) ?? []) {
    const [wanted, seen] = values[field] ?? [];
    if (wanted === undefined || seen === undefined || !isMeant(state.cells[field])) continue;
    const [on, off = on] = FIELDS[field].changes;
    const kind = wanted === false ? off : on;
    const { desired, observed } = changes.get(kind) ?? {};
    changes.set(kind, {
      desired: { ...desired, [field]: wanted },
      observed: { ...observed, [field]: seen },
    });
  }
  return [...changes].map(([kind, values]) => ({ kind, ...values }));
}

/** Numbers of actions: all, of each kind, and of each kind of harm. */
export interface PlanCounts extends JsonObject {
  readonly total: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly harm: Readonly<Record<string, number>>;
}
