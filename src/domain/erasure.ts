import { listFoldedEmails } from './address.ts';
import type { JsonObject } from './values.ts';
import { foldCase, isJsonObject, parseFields } from './values.ts';

/** Text that replaces the name or id of an erased user. */
export const ERASED = 'erased';

/** Reasons why a user is not erased yet, as the steps that have to come first, in sentences for an operator. */
export const OBSTACLE_WORDS = {
  managed:
    'A provider still has this person: have them deleted there, or send DELETE /scim/v2/Users/{id}.',
  'in-service':
    'The service shows this account, which would bring everything back: remove it there, then compare (scim-bridge sweep).',
  active:
    'The account works in the service: deactivate it there, or have the drift user.activated repaired.',
  pending:
    'Something of the deletion has not reached the service yet: GET /ops/users/{id} says what waits.',
  held: 'A plan or a recovery that is about this person waits: decide about it, or wait until it is done.',
  drifting: 'The service differs in something that is about this person: GET /ops/drifts shows it.',
  recent:
    'The bridge changed this person less than ten minutes ago, and the audit log may still tell of it: try again then.',
  erased: 'It was done before: nothing personal is left.',
} as const;

/** Reason why a user is not erased yet. */
export type ErasureObstacle = keyof typeof OBSTACLE_WORDS;

/** Every such reason. */
export const OBSTACLES = parseFields<ErasureObstacle>(OBSTACLE_WORDS);

/** Lists the names under which words of the service may mention a user: names and addresses. */
export function listPersonalNames(
  attributes: JsonObject,
  observed: Readonly<Partial<Record<'userName' | 'email' | 'fullName', string>>> | null,
): string[] {
  const { name } = attributes;
  const shown = [attributes.userName, attributes.displayName, isJsonObject(name) && name.formatted];
  const seen = [observed?.userName, observed?.email, observed?.fullName];
  const texts = [...shown, ...listFoldedEmails(attributes), ...seen];
  const isText = (text: unknown) => typeof text === 'string';
  // A name of two letters is in too many texts to identify a user.
  return [...new Set(texts.filter(isText))].filter((text) => text.trim().length > 2);
}

/** Checks whether a text has one of these names in it, in any case, and not as a part of a longer word. */
export function createMention(names: readonly string[]): (text: string | null) => boolean {
  if (names.length === 0) return () => false;
  const any = names.map((name) => RegExp.escape(foldCase(name))).join('|');
  const mention = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, 'u');
  return (text) => text !== null && mention.test(foldCase(text));
}
