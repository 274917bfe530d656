/**
 * What a create that left was sent with. Until its outcome is known it may have left an account or a group under
 * these names, whatever the resource is called by now, so this is what is looked for.
 */
export interface SentCreate {
  /** The userName of a person, the name of a group. */
  readonly name: string;
  /** The e-mail address of a person. */
  readonly address?: string;
}
