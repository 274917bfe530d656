import type { GroupField } from './group.ts';
import type { UserField } from './user.ts';

/** Rule that drives fields of every group whose name matches. */
export interface GroupRule {
  readonly group: string;
  readonly permissions?: number;
  readonly addToCardsAndSpacesEnabled?: boolean;
  readonly entities?: readonly EntityRule[];
}

/** Roles that a rule gives a group in one entity: a space or document of the service. */
export interface EntityRule {
  /** The uid of the entity. */
  readonly uid: string;
  /** The ids of the roles. */
  readonly roles: readonly string[];
}

/**
 * Makes the members of some groups admins of others. Where both patterns have a `*`, it stands for the
 * same text in both.
 */
export interface AdminsRule {
  readonly adminsOf: string;
  readonly from: string;
}

/** Rule that drives fields of all users in a group whose name matches. */
export interface MembersRule {
  readonly membersOf: string;
  readonly appsPermissions?: number;
  readonly temporarilyInactive?: boolean;
}

/** One rule of the configuration (settings: rules). In patterns `*` stands for any text. */
export type Rule = GroupRule | AdminsRule | MembersRule;

/** The fields of a group that rules can drive. */
export const RULED_GROUP_FIELDS = [
  'permissions',
  'addToCardsAndSpacesEnabled',
] as const satisfies readonly GroupField[];
/** Field of a group that rules can drive. */
export type RuledGroupField = (typeof RULED_GROUP_FIELDS)[number];

/** The fields of a user that rules can drive. */
export const RULED_USER_FIELDS = [
  'appsPermissions',
  'temporarilyInactive',
] as const satisfies readonly UserField[];
/** Field of a user that rules can drive. */
export type RuledUserField = (typeof RULED_USER_FIELDS)[number];

/** A rule as text, as in the configuration. */
export function toRuleText(rule: Rule): string {
  const parts = Object.entries(rule).map(([key, value]) =>
    typeof value === 'string' ? `${key}: '${value}'` : `${key}: ${toText(value)}`,
  );
  return `{ ${parts.join(', ')} }`;
}

function toText(value: number | boolean | readonly EntityRule[]): string {
  if (typeof value !== 'object') return String(value);
  const entities = value.map(({ uid, roles }) => `{ uid: ${uid}, roles: [${roles.join(', ')}] }`);
  return `[${entities.join(', ')}]`;
}
