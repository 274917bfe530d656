import { type FieldChange, getChangeRow } from '../../domain/change.ts';
import { type Difference, DRIFT_KINDS, type DriftKind } from '../../domain/drift.ts';
import type { Deactivation } from '../../domain/user.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Seen } from '../read/reading.ts';

/** What was seen of the service, and how people are deactivated in it. */
export interface SeenSince extends Seen {
  readonly deactivation: Deactivation;
}

/** Differences of one resource from what was seen of the service. */
export interface Comparison {
  readonly differences: readonly Difference[];
  /** Kinds of drift of which nothing is known. */
  readonly unread: readonly DriftKind[];
  /** List that dropped the resource, while another list shows it. */
  readonly leftOutBy?: 'users' | 'companyUsers' | 'groups' | 'restGroups';
  /** True of a resource that no list showed: it may be gone, and a look of its own tells. */
  readonly isUnseen?: true;
}

/** Makes a difference of a user or group itself. */
export function toDifference(
  kind: DriftKind,
  resourceId: string,
  { desired, observed }: Pick<Difference, 'desired' | 'observed'>,
): Difference {
  const type = kind.startsWith('user.') ? 'user' : 'group';
  return { kind, type, resourceId, memberId: '', desired, observed };
}

/** Makes the differences that changes of fields would end. */
export function toDifferences(resourceId: string, changes: readonly FieldChange[]): Difference[] {
  return changes.flatMap(({ kind, ...values }) => {
    const { repairs } = getChangeRow(kind);
    return repairs === undefined ? [] : [toDifference(repairs, resourceId, values)];
  });
}

/** Makes a comparison of these differences but for those of the kinds in `unread`, of which nothing is known. */
export function toCompared(
  differences: readonly Difference[],
  unread: readonly DriftKind[] = [],
): Comparison {
  return { differences: differences.filter(({ kind }) => !unread.includes(kind)), unread };
}

/** Makes the comparison of a managed resource that is missing: it is known to differ in nothing else. */
export function toMissing(missing: Difference): Comparison {
  return { differences: [missing], unread: DRIFT_KINDS, isUnseen: true };
}

/** Makes the comparison of a resource that another list showed: the list was not complete, so nothing can be said. */
export function leftOut(leftOutBy: 'users' | 'groups'): Comparison {
  return { differences: [], unread: DRIFT_KINDS, leftOutBy };
}

/** Comparison without a difference. */
export const NOTHING: Comparison = toCompared([]);
/** No difference, of an unmanaged resource that no list showed. */
export const UNSEEN: Comparison = { ...NOTHING, isUnseen: true };

/** True when a worker has the resource or is about to look at it, and will know better. */
export function isBusy(row: { readonly in_flight: number; readonly must_look: number }): boolean {
  return row.in_flight !== 0 || row.must_look !== 0;
}

/** Columns by which a change or a call of a row is noticed. */
type Touched = Pick<ResourceRow, 'version' | 'steps' | 'origin'>;

/** True when the resource was neither written, taken over nor taken by a worker since the row was read. */
export function isUnchanged(now: Touched & Parameters<typeof isBusy>[0], before: Touched): boolean {
  const isSame = now.version === before.version && now.origin === before.origin;
  return !isBusy(now) && isSame && now.steps === before.steps;
}
