import { CHANGE_KINDS, CHANGES } from './change.ts';
import type { JsonValue } from './values.ts';

/** Differences of what is managed, which can arise in the service without a request through the bridge. */
export const MANAGED_KINDS = Object.values(CHANGES).flatMap(({ repairs }) => repairs ?? []);
/** Kinds of what no provider asked for. */
export const UNMANAGED_KINDS = ['user.unmanaged', 'group.unmanaged'] as const;
/** All kinds of drift. */
export const DRIFT_KINDS = [...MANAGED_KINDS, ...UNMANAGED_KINDS] as const;

/** Kind of drift. `*.unmanaged`: an account or group that no provider asked for; it is never touched. */
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** True for drifts of unmanaged accounts and groups. */
export const isUnmanagedKind = (kind: DriftKind) => kind.endsWith('.unmanaged');

/** Finds the change that repairs a drift; undefined: nothing is done about what is unmanaged. */
export const findRepair = (kind: DriftKind) =>
  CHANGE_KINDS.find((change) => CHANGES[change].repairs === kind);

/** Automatic reactions to a drift. */
export const DRIFT_ACTIONS = ['report', 'repair', 'accept'] as const;

/** Automatic reaction to a drift: show it, bring the service to what is desired, or take what is observed. */
export type DriftAction = (typeof DRIFT_ACTIONS)[number];

/** Reaction to each kind of drift; settings: drift.policy. */
export interface DriftPolicy {
  readonly default: DriftAction;
  readonly kinds: Readonly<Partial<Record<DriftKind, DriftAction>>>;
}

/** Statuses of an active drift; of each difference at most one drift is active. */
export const ACTIVE_STATUSES = ['open', 'repairing', 'contested', 'ignored'] as const;
/** The statuses of one that is over. */
export const ENDED_STATUSES = ['repaired', 'accepted', 'gone'] as const;

/** Status of a drift. `contested`: repaired again and again, now only reported. `gone`: it went by itself. */
export type DriftStatus = (typeof ACTIVE_STATUSES)[number] | (typeof ENDED_STATUSES)[number];

/** All statuses of drifts, for filters. */
export const DRIFT_STATUSES: readonly DriftStatus[] = [...ACTIVE_STATUSES, ...ENDED_STATUSES];

/** Detector of a difference: the audit log, a complete comparison, a write that met it, or a look that an operator asked for or caused. */
export type Detector = 'audit' | 'sweep' | 'discovery' | 'operator';

/** Difference between what is desired and what the service holds, with no change that waits. */
export interface Difference {
  readonly kind: DriftKind;
  readonly type: 'user' | 'group';
  /** The SCIM id of the user or group. */
  readonly resourceId: string;
  /** The SCIM id of the user in a list of the group, or the field of the entity (`toEntityField`); empty elsewhere. */
  readonly memberId: string;
  /** Null: it is not desired, or it is not there. */
  readonly desired: JsonValue;
  readonly observed: JsonValue;
}
