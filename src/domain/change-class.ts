/** Classes of changes by providers, each with its own service level. `leaver`: out. `joiner`: in. */
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
