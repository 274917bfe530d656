import type { DriftKind } from '../../domain/drift.ts';

/**
 * Actions of the service's documents that bring a difference of each kind about. They have none for a new name, and an
 * action that stands nowhere here may have done anything.
 */
const ACTIONS: Readonly<Record<DriftKind, readonly string[]>> = {
  'user.missing': ['depersonalization', 'delete', 'deactivate'],
  'user.deactivated': ['deactivate', 'depersonalization', 'delete'],
  'user.activated': ['activate', 'invite', 'create'],
  'user.renamed': [],
  'user.access': ['change_apps_permissions'],
  'user.unmanaged': ['invite', 'create'],
  'group.missing': ['delete', 'group_deactivate'],
  'group.renamed': [],
  'group.permissions': ['grant_access', 'revoke_access'],
  'group.unmanaged': ['create', 'group_activate'],
  'member.added': ['add_user', 'admin_add_user'],
  'member.removed': ['delete_user', 'admin_delete_user'],
  'admin.added': ['add_admin'],
  'admin.removed': ['delete_admin'],
  'entity.added': ['grant_access'],
  'entity.removed': ['revoke_access'],
  'entity.changed': ['grant_access', 'revoke_access'],
};
const LISTED: ReadonlySet<string> = new Set(Object.values(ACTIONS).flat());

/** True when the documents say that this action makes a difference of this kind. */
export function makes(action: string, kind: DriftKind): boolean {
  return ACTIONS[kind].includes(action);
}

/** True when nobody knows what an action does. */
export function isVague(action: string): boolean {
  return !LISTED.has(action) && !isIrrelevant(action);
}

/** True when an action changes the members or admins of a group, and not the user whom its event names. */
export function isOfList(action: string): boolean {
  return makes(action, 'member.added') || makes(action, 'member.removed') || isOfAdmins(action);
}

/** True when an action changes the admins of a group. */
export function isOfAdmins(action: string): boolean {
  return makes(action, 'admin.added') || makes(action, 'admin.removed');
}

const IRRELEVANT: ReadonlySet<string> = new Set(
  `start stop request_auth_pin change_password set_sd_password change_temporary_sd_password
  invite_fail publish_document publish_document_group publish_card unpublish_document
  unpublish_document_group unpublish_card share_entity unshare_entity public_link extend_trial`.split(
    /\s+/,
  ),
);
/** A sign-in or a session, in any spelling: `sign_in_fail`, `userLoggedIn`, `session.created`. */
const SIGN_IN =
  /sign(ed)?[^a-z]?(in|out)|log(ged)?[^a-z]?(in|out|on|off)(?![a-z])|session|authenticat/i;

/** True when an action changes nothing that the bridge keeps, whomever its event names. */
export function isIrrelevant(action: string): boolean {
  return IRRELEVANT.has(action) || (SIGN_IN.test(action) && !LISTED.has(action));
}
