/**
 * Classes of changes that providers ask for, each with a service level of its own:
 * - `leaver`: somebody is deactivated or deleted
 * - `joiner`: somebody is created or activated
 * - `user`: anything else of a user
 * - `member-removed`: somebody leaves a group or its admins
 * - `member-added`: somebody enters a group or its admins
 * - `group`: anything else of a group
 */
export const CHANGE_CLASSES = [
  'leaver',
  'joiner',
  'user',
  'member-removed',
  'member-added',
  'group',
] as const;

/** Class of one change that a provider asked for. */
export type ChangeClass = (typeof CHANGE_CLASSES)[number];
