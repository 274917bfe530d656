import { createHash } from 'node:crypto';
import { type GroupField, type GroupState, listGroupDifferences } from '../../domain/group.ts';
import type { HeldAction, HeldKind } from '../../domain/plan.ts';
import {
  type Deactivation,
  listUserDifferences,
  type ObservedUser,
  type UserField,
  type UserState,
} from '../../domain/user.ts';
import type { DifferingLink } from '../../store/links/links.ts';

/** Policy by which differences are found. */
export interface HeldPolicy {
  readonly deactivation: Deactivation;
  readonly groupDeletion: 'created' | 'never';
  /** Beginning of the complete read (epoch milliseconds): a resource last seen before it was not shown. */
  readonly readSince: number;
}

/**
 * Lists the actions that bring a user to the desired state, field by field. userName and address are never compared for
 * repair. A user that the complete read did not show is only suspected to be gone.
 */
export function toHeldUserActions(state: UserState, policy: HeldPolicy): HeldAction[] {
  const { desired, observed, deleted, upstreamId, id } = state;
  const toAction = (kind: HeldKind, field: UserField, facts: unknown): HeldAction => ({
    resourceType: 'user',
    resourceId: id,
    kind,
    field,
    precondition: digest(facts),
  });
  const isWanted = !deleted && desired.active;
  if (upstreamId === undefined) {
    return isWanted && desired.address !== undefined
      ? [toAction('user.create', 'account', '')]
      : [];
  }
  // Lists say nothing of a deleted user, so the last observation counts.
  const isSeen = observed !== undefined && (deleted || observed.at >= policy.readSince);
  if (!isSeen) {
    if (deleted) return [toAction('user.deactivate', 'active', '')];
    return isWanted ? [toAction('user.missing', 'account', '')] : [];
  }
  return listUserDifferences(desired, observed, state.echoes, policy.deactivation)
    .filter((field) => (deleted ? field === 'active' : field !== 'address'))
    .map((field) => toAction(toUserKind(state, field), field, toUserFacts(state, observed, field)));
}

/** Desired and observed value of one field; a change of another field does not affect it. */
function toUserFacts({ desired }: UserState, observed: ObservedUser, field: UserField): unknown {
  switch (field) {
    case 'name':
      return [desired.name, observed.fullName];
    case 'appsPermissions':
      return [desired.appsPermissions, observed.appsPermissions];
    default:
      return [
        desired.active,
        desired.temporarilyInactive,
        observed.active,
        observed.temporarilyInactive,
      ];
  }
}

function toUserKind({ desired }: UserState, field: UserField): HeldKind {
  switch (field) {
    case 'active':
      return desired.active ? 'user.activate' : 'user.deactivate';
    case 'temporarilyInactive':
      return desired.temporarilyInactive ? 'user.deactivate' : 'user.activate';
    case 'appsPermissions':
      return 'user.access';
    default:
      return 'user.rename';
  }
}

/** Lists the actions that bring a group to the desired state, its members and admins one by one. */
export function toHeldGroupActions(
  state: GroupState,
  links: readonly DifferingLink[],
  policy: HeldPolicy,
): HeldAction[] {
  const { desired, observed, deleted, created, ids, id } = state;
  const toAction = (kind: HeldKind, field: GroupField, facts: unknown): HeldAction => ({
    resourceType: 'group',
    resourceId: id,
    kind,
    field,
    precondition: digest(facts),
  });
  const isKnown = (ids.scimId ?? ids.restId ?? ids.uid) !== undefined;
  const linkActions = links.map((link) => toLinkAction(state, link));
  if (!isKnown) return deleted ? [] : [toAction('group.create', 'existence', ''), ...linkActions];
  if (deleted && created) {
    const isToGo = observed !== undefined && policy.groupDeletion === 'created';
    return isToGo ? [toAction('group.delete', 'existence', '')] : [];
  }
  if (deleted) return linkActions;
  if (observed === undefined || observed.at < policy.readSince) {
    return [toAction('group.missing', 'existence', '')];
  }
  const fields = listGroupDifferences(desired, observed).flatMap((field) => {
    if (field === 'existence') return [];
    const kind = field === 'displayName' ? 'group.rename' : 'group.permissions';
    return [toAction(kind, field, [desired[field], observed[field]])];
  });
  return [...fields, ...linkActions];
}

function toLinkAction({ id }: GroupState, { list, userId, wanted }: DifferingLink): HeldAction {
  const person = list === 'memberships' ? 'member' : 'admin';
  return {
    resourceType: 'group',
    resourceId: id,
    kind: `${person}.${wanted ? 'add' : 'remove'}`,
    field: list,
    memberId: userId,
    precondition: wanted ? 'out' : 'in',
  };
}

/** Makes a short text, because a plan may have many. It serves to notice a change, and hides the value. */
function digest(facts: unknown): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 16);
}
