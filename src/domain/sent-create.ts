/**
 * Names that a create was sent with. Until its outcome is known it may have left an account or a group under these
 * names, also when the resource was renamed since, so the look is for these.
 */
export interface SentCreate {
  /** The userName of a user, the name of a group. */
  readonly name: string;
  /** The e-mail address of a user. */
  readonly address?: string;
}
