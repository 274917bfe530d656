import { type ChangeKind, listChangedFields, type SentChange } from '../domain/change.ts';
import { isEntityField } from '../domain/entity.ts';
import { assertNever } from '../domain/errors.ts';
import type { GroupField, LinkChange } from '../domain/group.ts';
import type { UserField } from '../domain/user.ts';
import type { GroupAction, GroupActionOf, UserAction } from './actions.ts';

/** Lists the changes that the call of an action makes; none: it looks. */
export function toUserChanges(action: UserAction): SentChange[] {
  const upstreamId = action.kind === 'create-user' ? undefined : String(action.upstreamId);
  return listUserKinds(action).map((kind) => ({ kind, upstreamId }));
}

function listUserKinds(action: UserAction): ChangeKind[] {
  switch (action.kind) {
    case 'look-at-user':
      return [];
    case 'create-user':
      return ['user.create'];
    case 'update-user':
      return [
        ...toSwitched(action.active),
        ...(action.name === undefined ? [] : (['user.rename'] as const)),
      ];
    case 'update-company-user':
      return [
        // A suspension is a deactivation, as the audit log calls it.
        ...toSwitched(
          action.temporarilyInactive === undefined ? undefined : !action.temporarilyInactive,
        ),
        ...(action.appsPermissions === undefined ? [] : (['user.access'] as const)),
      ];
    case 'try-address':
      return ['user.address'];
    case 'remove-virtual-user':
      return ['user.delete'];
    default:
      return assertNever(action);
  }
}

/** Change of the switch that lets a user work; undefined: it is not touched. */
function toSwitched(isOn: boolean | undefined): ChangeKind[] {
  if (isOn === undefined) return [];
  return [isOn ? 'user.activate' : 'user.deactivate'];
}

/** Lists the changes that an action makes of a group, under the id that its call uses; none: it looks. */
export function toGroupChanges(action: GroupAction, upstreamId?: string): SentChange[] {
  const own = (kind: ChangeKind): SentChange => ({ kind, upstreamId });
  switch (action.kind) {
    case 'look-at-group':
      return [];
    case 'create-group':
      return [{ kind: 'group.create' }];
    case 'update-group': {
      const { displayName, permissions, addToCardsAndSpacesEnabled } = action;
      const hasRights = (permissions ?? addToCardsAndSpacesEnabled) !== undefined;
      return [
        ...(displayName === undefined ? [] : [own('group.rename')]),
        ...(hasRights ? [own('group.permissions')] : []),
      ];
    }
    case 'delete-group':
      return [own('group.delete')];
    case 'change-members':
      return toLinkChanges(action.changes, upstreamId);
    case 'change-link':
      return toLinkChanges([action.change], upstreamId);
    case 'look-at-entities':
      return [];
    case 'change-entity':
      return [{ ...own(toEntityKind(action)), memberId: action.field }];
    default:
      return assertNever(action);
  }
}

function toEntityKind({ roles, isListed }: GroupActionOf<'change-entity'>): ChangeKind {
  if (roles.length === 0) return 'entity.remove';
  return isListed ? 'entity.change' : 'entity.add';
}

/** Lists the changes of members or admins, under the id of the group that the call uses. */
export function toLinkChanges(
  links: readonly Pick<LinkChange, 'list' | 'upstreamUserId' | 'wanted'>[],
  upstreamId: string | undefined,
): SentChange[] {
  return links.map(({ list, upstreamUserId, wanted }) => ({
    kind: `${list}.${wanted ? 'add' : 'remove'}`,
    upstreamId,
    memberId: String(upstreamUserId),
  }));
}

/** Lists the fields that a call with these changes may change. */
export function listSentFields(changes: readonly SentChange[]): (UserField | GroupField)[] {
  return changes.flatMap(({ kind, memberId }): readonly (UserField | GroupField)[] => {
    if (memberId !== undefined) return isEntityField(memberId) ? [memberId] : [];
    // What a create may leave is looked for by its names.
    if (kind === null || kind.endsWith('.create')) return [];
    // A suspension is a deactivation, as the audit log calls it.
    const isSwitch = kind === 'user.activate' || kind === 'user.deactivate';
    return [...listChangedFields(kind), ...(isSwitch ? (['temporarilyInactive'] as const) : [])];
  });
}
