import type { DriftKind } from '../../domain/drift.ts';
import { assertNever } from '../../domain/errors.ts';
import type { GroupField } from '../../domain/group.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { UserField } from '../../domain/user.ts';
import type { LinkTable } from '../../store/links/links.ts';

/** What a difference is in: fields that wait by themselves, or a person in one of a group's lists. */
export type DriftPlace =
  | { readonly kind: 'fields'; readonly fields: readonly (UserField | GroupField)[] }
  | { readonly kind: 'link'; readonly list: LinkTable };

/** A difference, as far as its place is concerned. */
interface Placed {
  readonly kind: DriftKind;
  readonly desired: JsonValue;
}

/** Where a difference is; undefined: nothing of it is ours. */
export function findPlace({ kind, desired }: Placed): DriftPlace | undefined {
  switch (kind) {
    case 'user.missing':
      return { kind: 'fields', fields: ['account'] };
    case 'user.deactivated':
    case 'user.activated':
      return { kind: 'fields', fields: ['active'] };
    case 'user.renamed':
      return { kind: 'fields', fields: ['name'] };
    case 'group.missing':
      return { kind: 'fields', fields: ['existence'] };
    case 'group.renamed':
      return { kind: 'fields', fields: ['displayName'] };
    case 'user.access':
      return { kind: 'fields', fields: ACCESS.filter(isIn(desired)) };
    case 'group.permissions':
      return { kind: 'fields', fields: PERMISSIONS.filter(isIn(desired)) };
    case 'member.added':
    case 'member.removed':
      return { kind: 'link', list: 'memberships' };
    case 'admin.added':
    case 'admin.removed':
      return { kind: 'link', list: 'group_admins' };
    case 'user.unmanaged':
    case 'group.unmanaged':
      return undefined;
    default:
      return assertNever(kind);
  }
}

const ACCESS = ['appsPermissions', 'temporarilyInactive'] as const;
const PERMISSIONS = ['permissions', 'addToCardsAndSpacesEnabled'] as const;

function isIn(value: JsonValue): (field: string) => boolean {
  return (field) => isJsonObject(value) && Object.hasOwn(value, field);
}
