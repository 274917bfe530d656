import { DRIFTS, UNMANAGED } from '../../src/ops/lists/drifts.ts';
import { toKind } from '../../src/ops/lists/words.ts';

/** Repair of each kind of difference, in words. */
const REPAIRS: Readonly<Record<string, string>> = {
  'user.missing': 'makes the account again',
  'user.deactivated': 'activates',
  'user.activated': 'deactivates',
  'user.renamed': 'gives back the name',
  'user.access': 'gives back licence and rights',
  'group.missing': 'makes the group again',
  'group.renamed': 'gives back the name',
  'group.permissions': 'gives back the permissions',
  'member.added': 'takes out of the group',
  'member.removed': 'puts into the group',
  'admin.added': 'takes away the admin right',
  'admin.removed': 'gives back the admin right',
  'entity.added': 'takes away the roles',
  'entity.removed': 'gives back the roles',
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
