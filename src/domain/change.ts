import { DRIFT_KINDS, type DriftKind } from './drift.ts';

/** Changes that bring the service to what is desired. */
export const CHANGE_KINDS = [
  'user.create',
  'user.activate',
  'user.deactivate',
  'user.rename',
  'user.access',
  'group.create',
  'group.rename',
  'group.permissions',
  'group.delete',
  'member.add',
  'member.remove',
  'admin.add',
  'admin.remove',
] as const;

/**
 * Kind of change. `user.access` is the licence or a suspension, `member` and `admin` are one user in a group. A create
 * of something that the service had looks for it first.
 */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Kind of drift that a change can repair: all but those of unmanaged accounts and groups. */
export type RepairableKind = Exclude<DriftKind, 'user.unmanaged' | 'group.unmanaged'>;

const REPAIRS: Readonly<Record<RepairableKind, ChangeKind>> = {
  'user.missing': 'user.create',
  'user.deactivated': 'user.activate',
  'user.activated': 'user.deactivate',
  'user.renamed': 'user.rename',
  'user.access': 'user.access',
  'group.missing': 'group.create',
  'group.renamed': 'group.rename',
  'group.permissions': 'group.permissions',
  'member.added': 'member.remove',
  'member.removed': 'member.add',
  'admin.added': 'admin.remove',
  'admin.removed': 'admin.add',
};

/** Finds the change that repairs a drift; undefined: nothing is done about what is unmanaged. */
export function findRepair(kind: DriftKind): ChangeKind | undefined {
  return isRepairable(kind) ? REPAIRS[kind] : undefined;
}

function isRepairable(kind: DriftKind): kind is RepairableKind {
  return Object.hasOwn(REPAIRS, kind);
}

/** Finds the drift that a change repairs; undefined: no drift needs it. */
export function findDrift(kind: ChangeKind): RepairableKind | undefined {
  return REPAIRABLE_KINDS.find((drift) => REPAIRS[drift] === kind);
}

const REPAIRABLE_KINDS = DRIFT_KINDS.filter(isRepairable);

/** Key that tells the changes of one resource apart. */
export function toChangeKey({
  kind,
  memberId,
}: {
  readonly kind: ChangeKind;
  readonly memberId: string;
}): string {
  return `${kind} ${memberId}`;
}
