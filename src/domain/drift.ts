import type { JsonValue } from './json.ts';

/** What can differ in the service without anybody having asked for it through the bridge. */
export const DRIFT_KINDS = [
  'user.missing',
  'user.deactivated',
  'user.activated',
  'user.renamed',
  'user.access',
  'user.unmanaged',
  'group.missing',
  'group.renamed',
  'group.permissions',
  'group.unmanaged',
  'member.added',
  'member.removed',
  'admin.added',
  'admin.removed',
] as const;

/** One of them. `*.unmanaged`: an account or group that nobody asked for; it is listed and never touched. */
export type DriftKind = (typeof DRIFT_KINDS)[number];

/** `open`: the service differs. `gone`: it did, and does no more, or the provider wrote the field since. */
export type DriftStatus = 'open' | 'gone';

/** Both, for whoever filters. */
export const DRIFT_STATUSES: readonly DriftStatus[] = ['open', 'gone'];

/** A difference between what is desired and what the service holds, and that nothing waits for. */
export interface Difference {
  readonly kind: DriftKind;
  readonly type: 'user' | 'group';
  /** The SCIM id of the person or group. */
  readonly resourceId: string;
  /** The SCIM id of the person in a list of the group; empty elsewhere. */
  readonly memberId: string;
  /** Null: nobody wants it, or it is not there. */
  readonly desired: JsonValue;
  readonly observed: JsonValue;
}

/** Tells the differences of one resource apart. */
export function toDifferenceKey({ kind, memberId }: Pick<Difference, 'kind' | 'memberId'>): string {
  return `${kind} ${memberId}`;
}
