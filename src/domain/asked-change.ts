/**
 * Kinds of changes that providers ask for:
 * - `leaver`: somebody is deactivated or deleted
 * - `joiner`: somebody is created or activated
 * - `user`: anything else of a user
 * - `member-removed`: somebody leaves a group or its admins
 * - `member-added`: somebody enters a group or its admins
 * - `group`: anything else of a group
 */
export const ASKED_KINDS = [
  'leaver',
  'joiner',
  'user',
  'member-removed',
  'member-added',
  'group',
] as const;

/** Kind of one change that a provider asked for. */
export type AskedKind = (typeof ASKED_KINDS)[number];
