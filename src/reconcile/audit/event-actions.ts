import type { DriftKind } from '../../domain/drift.ts';
import type { OwnCallKind } from '../../domain/own-call.ts';
import type { EventWords } from './known-action.ts';

/**
 * What a call of ours may show as, by the action of the event. A new group makes its creator an admin, and what
 * happens to an account may happen to its memberships. An action that is not here may be anything.
 */
export const KINDS: Readonly<Record<string, readonly OwnCallKind[]>> = {
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
};

/** Which actions bring a difference about, surely or perhaps, and which end it. */
interface Origins {
  readonly made: readonly string[];
  readonly ended: readonly string[];
  readonly perhaps: readonly string[];
}

const JOINED = ['add_user', 'admin_add_user'];
const LEFT = ['delete_user', 'admin_delete_user'];

/**
 * Where a difference of each kind may come from. The documents have no action for a new name, so only what
 * may be anything is left for it.
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
};

/** What people do without changing anything that the bridge keeps. */
const IRRELEVANT_ACTIONS: readonly string[] = [
  ...['start', 'stop', 'sign_in', 'sign_in_fail', 'sign_out', 'request_auth_pin'],
  ...['change_password', 'set_sd_password', 'change_temporary_sd_password', 'invite_fail'],
  ...['publish_document', 'publish_document_group', 'publish_card', 'unpublish_document'],
  ...['unpublish_document_group', 'unpublish_card', 'share_entity', 'unshare_entity'],
  ...['public_link', 'extend_trial', 'login', 'logout', 'log_in', 'log_out', 'signin', 'signout'],
];
const IRRELEVANT_CATEGORIES: readonly string[] = ['auth', 'publication'];

/** Whether an event cannot be about anything that the bridge keeps, whomever it names; `action` is a known one. */
export function isIrrelevant({ category, action }: EventWords): boolean {
  if (KINDS[action] !== undefined) return false;
  return IRRELEVANT_ACTIONS.includes(action) || IRRELEVANT_CATEGORIES.includes(category);
}

/**
 * What an event of this action says of a difference.
 * - `made`, `ended`: it brings one about, or is the end of it
 * - `vague`: it may be anything, this too
 * - `other`: it is about something else
 */
export type ActionRole = 'made' | 'ended' | 'vague' | 'other';

/** What an event of this action says of a difference of this kind. */
export function toActionRole(kind: DriftKind, action: string): ActionRole {
  const { made, ended, perhaps } = ORIGINS[kind];
  if (made.includes(action)) return 'made';
  if (ended.includes(action)) return 'ended';
  if (perhaps.includes(action)) return 'vague';
  // How an account or group came to be is said by few actions, and by no other.
  const isSpecific = KINDS[action] !== undefined || kind.endsWith('.unmanaged');
  return isSpecific || IRRELEVANT_ACTIONS.includes(action) ? 'other' : 'vague';
}

/** The actions that are known to be about something else than a difference of this kind. */
export function listOtherActions(kind: DriftKind): string[] {
  // Under some categories these are how accounts come and go.
  const isOfAccounts = kind === 'user.missing' || kind === 'user.unmanaged';
  const links = isOfAccounts ? ['add_user', 'delete_user'] : [];
  const known = [...Object.keys(KINDS), ...IRRELEVANT_ACTIONS].filter(
    (one) => !links.includes(one),
  );
  return known.filter((action) => toActionRole(kind, action) === 'other');
}
