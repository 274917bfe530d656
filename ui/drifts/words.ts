import { DRIFTS, UNMANAGED } from '../../src/ops/lists/drifts.ts';
import { toKind } from '../../src/ops/lists/words.ts';

/** Repair of each kind of difference, in words. */
const REPAIRS: Readonly<Record<string, string>> = {
  'user.missing': 'makes the account again',
  'user.deactivated': 'activates',
  'user.activated': 'deactivates',
  'user.renamed': 'restores the name',
  'user.access': 'restores licence and rights',
  'group.missing': 'makes the group again',
  'group.renamed': 'restores the name',
  'group.permissions': 'restores the permissions',
  'member.added': 'takes out of the group',
  'member.removed': 'puts into the group',
  'admin.added': 'takes away the admin right',
  'admin.removed': 'restores the admin right',
  'entity.added': 'takes away the roles',
  'entity.removed': 'restores the roles',
  'entity.changed': 'sets the roles as wanted',
};

/** Effect of a repair in words. */
export function toRepair(kind: string): string {
  return REPAIRS[kind] ?? 'changes it back';
}

/** Kinds of differences of what is managed, or of what is not, as choices. */
export function listKinds(
  isManaged: boolean,
): { readonly value: string; readonly label: string }[] {
  const kinds = isManaged ? DRIFTS.filters.kind : UNMANAGED.filters.kind;
  const choices = kinds.map((value) => ({ value, label: toKind(value) }));
  return [{ value: '', label: 'Every kind' }, ...choices];
}
