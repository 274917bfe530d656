import type { ChangeKind } from '../../domain/change.ts';
import type { DriftKind } from '../../domain/drift.ts';
import { type EventWords, isSignIn } from './known-action.ts';

/**
 * Call kinds that may have caused an event, by the action of the event. A new group makes its creator an admin, and a
 * change of an account may change its memberships. An unlisted action may have any cause.
 */
export const KINDS: ReadonlyMap<string, readonly ChangeKind[]> = new Map(
  Object.entries<readonly ChangeKind[]>({
    invite: ['user.create', 'user.activate'],
    activate: ['user.activate', 'user.create'],
    deactivate: ['user.deactivate', 'user.delete'],
    depersonalization: ['user.delete'],
    change_apps_permissions: ['user.access', 'user.create', 'user.activate', 'user.deactivate'],
    create: ['group.create', 'user.create', 'user.activate'],
    delete: ['group.delete', 'user.delete', 'user.deactivate'],
    add_user: ['member.add', 'group.create'],
    admin_add_user: ['member.add', 'group.create'],
    delete_user: ['member.remove', 'group.delete', 'user.deactivate', 'user.delete'],
    admin_delete_user: ['member.remove', 'group.delete', 'user.deactivate', 'user.delete'],
    add_admin: ['admin.add', 'group.create'],
    delete_admin: ['admin.remove', 'group.delete', 'user.deactivate', 'user.delete'],
  }),
);

/** Actions that cause a difference, surely or perhaps, and actions that end it. */
interface Origins {
  readonly made: readonly string[];
  readonly ended: readonly string[];
  readonly perhaps: readonly string[];
}

const JOINED = ['add_user', 'admin_add_user'];
const LEFT = ['delete_user', 'admin_delete_user'];

/**
 * Actions behind a difference of each kind. The documents have no action for a new name, so only vague actions remain
 * for it.
 */
const ORIGINS: Readonly<Record<DriftKind, Origins>> = {
  'user.missing': {
    made: ['depersonalization', 'delete'],
    ended: ['invite', 'create'],
    perhaps: ['deactivate'],
  },
  'user.deactivated': {
    made: ['deactivate', 'depersonalization'],
    ended: ['activate', 'invite', 'create'],
    perhaps: ['delete'],
  },
  'user.activated': {
    made: ['activate', 'invite', 'create'],
    ended: ['deactivate', 'depersonalization'],
    perhaps: [],
  },
  'user.renamed': { made: [], ended: [], perhaps: ['depersonalization'] },
  'user.access': {
    made: ['change_apps_permissions'],
    ended: [],
    perhaps: ['activate', 'deactivate'],
  },
  'user.unmanaged': { made: ['invite', 'create'], ended: [], perhaps: [] },
  'group.missing': {
    made: ['delete', 'group_deactivate'],
    ended: ['create', 'group_activate'],
    perhaps: [],
  },
  'group.renamed': { made: [], ended: [], perhaps: [] },
  'group.permissions': {
    made: ['change_permissions', 'grant_access', 'revoke_access'],
    ended: [],
    perhaps: [],
  },
  'group.unmanaged': { made: ['create'], ended: [], perhaps: [] },
  'member.added': { made: JOINED, ended: LEFT, perhaps: ['create'] },
  'member.removed': { made: LEFT, ended: JOINED, perhaps: ['deactivate', 'depersonalization'] },
  'admin.added': { made: ['add_admin'], ended: ['delete_admin'], perhaps: ['create'] },
  'admin.removed': {
    made: ['delete_admin'],
    ended: ['add_admin'],
    perhaps: ['deactivate', 'depersonalization'],
  },
  // The documents say of these actions only what their names say.
  'entity.added': { made: ['grant_access'], ended: ['revoke_access'], perhaps: [] },
  'entity.removed': { made: ['revoke_access'], ended: ['grant_access'], perhaps: ['delete'] },
  'entity.changed': {
    made: ['change_permissions', 'grant_access', 'revoke_access'],
    ended: [],
    perhaps: [],
  },
};

/** Actions that change nothing the bridge keeps, whomever they name. */
const IRRELEVANT_ACTIONS: readonly string[] = [
  ...['start', 'stop', 'sign_in', 'sign_in_fail', 'sign_out', 'request_auth_pin'],
  ...['change_password', 'set_sd_password', 'change_temporary_sd_password', 'invite_fail'],
  ...['publish_document', 'publish_document_group', 'publish_card', 'unpublish_document'],
  ...['unpublish_document_group', 'unpublish_card', 'share_entity', 'unshare_entity'],
  ...['public_link', 'extend_trial'],
];
const IRRELEVANT_CATEGORIES: readonly string[] = ['auth', 'publication'];

/** True when an event concerns nothing the bridge keeps, whatever it names; `action` is a known one. */
export function isIrrelevant({ action }: Pick<EventWords, 'action'>): boolean {
  return IRRELEVANT_ACTIONS.includes(action) || isSignIn(action);
}

/** True when an event that names nobody known concerns nothing the bridge keeps either. */
export function isOfNothing({ category, action }: EventWords): boolean {
  if (KINDS.has(action)) return false;
  return isIrrelevant({ action }) || IRRELEVANT_CATEGORIES.includes(category);
}

/**
 * Role of an event's action for a difference.
 * - `made`, `ended`: it causes the difference, or ends it
 * - `vague`: it may be anything, the difference included
 * - `other`: it concerns something else
 */
type ActionRole = 'made' | 'ended' | 'vague' | 'other';

/** Finds the role of an action for a difference of this kind. */
export function toActionRole(kind: DriftKind, action: string): ActionRole {
  const { made, ended, perhaps } = ORIGINS[kind];
  if (made.includes(action)) return 'made';
  if (ended.includes(action)) return 'ended';
  if (perhaps.includes(action)) return 'vague';
  // Few actions tell that an account or group came to be.
  const isSpecific = KINDS.has(action) || kind.endsWith('.unmanaged');
  return isSpecific || IRRELEVANT_ACTIONS.includes(action) ? 'other' : 'vague';
}

/** Lists the known actions that concern something else than a difference of this kind. */
export function listOtherActions(kind: DriftKind): string[] {
  // Under some categories these actions make and remove accounts.
  const isOfAccounts = kind === 'user.missing' || kind === 'user.unmanaged';
  const links = isOfAccounts ? ['add_user', 'delete_user'] : [];
  const known = [...KINDS.keys(), ...IRRELEVANT_ACTIONS].filter((one) => !links.includes(one));
  return known.filter((action) => toActionRole(kind, action) === 'other');
}
