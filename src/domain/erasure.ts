import { foldCase } from './fold.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { isJsonObject } from './json.ts';
import type { ObservedUser } from './user.ts';

/** Text that replaces the name or id of an erased user. */
export const ERASED = 'erased';

/** Every reason why a user is not erased yet. */
export const OBSTACLES = [
  'managed',
  'in-service',
  'active',
  'pending',
  'held',
  'drifting',
  'recent',
  'erased',
] as const;

/**
 * Reason why a user is not erased yet.
 * - `managed`: a provider has them
 * - `in-service`: the service shows the account, which would bring everything back
 * - `active`: the account of a deleted user works
 * - `pending`: something of the deletion, or a look, is still to be done
 * - `held`: a plan or a recovery that is about them waits for a decision
 * - `drifting`: the service differs in something that is about them
 * - `recent`: the bridge changed them a moment ago, and the audit log may still tell of it
 * - `erased`: it was done
 */
export type ErasureObstacle = (typeof OBSTACLES)[number];

/** Lists the names under which texts of others may mention a user: names, addresses, numbers, and the provider's id. */
export function listPersonalNames(
  attributes: JsonObject,
  observed: Pick<ObservedUser, 'userName' | 'email' | 'fullName'> | undefined,
): string[] {
  const { userName, displayName, nickName, externalId, name, emails, phoneNumbers } = attributes;
  const parts = isJsonObject(name) ? name : {};
  const whole = [parts.givenName, parts.familyName].filter(isText).join(' ');
  const texts = [
    ...[userName, displayName, nickName, externalId, parts.formatted, whole],
    ...[...listValues(emails), ...listValues(phoneNumbers)],
    ...[observed?.userName, observed?.email, observed?.fullName],
  ];
  // A name of two letters is in too many texts to identify a user.
  return [...new Set(texts.filter(isText))].filter((text) => text.trim().length > 2);
}

function listValues(list: JsonValue | undefined): (JsonValue | undefined)[] {
  return Array.isArray(list)
    ? list.map((entry) => (isJsonObject(entry) ? entry.value : undefined))
    : [];
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The JSON of a failure without the words that mention a name; undefined: none does. */
export function silence(
  json: string,
  isMentioned: (text: string | null) => boolean,
): string | undefined {
  let isSilenced = false;
  const silent: unknown = JSON.parse(json, (key, value: unknown) => {
    if (key !== 'words' || typeof value !== 'string' || !isMentioned(value)) return value;
    isSilenced = true;
    return ERASED;
  });
  return isSilenced ? JSON.stringify(silent) : undefined;
}

/** Checks whether a text has one of these names in it, in any case, and not as a part of a longer word. */
export function createMention(names: readonly string[]): (text: string | null) => boolean {
  if (names.length === 0) return () => false;
  const any = names.map((name) => RegExp.escape(foldCase(name))).join('|');
  const mention = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, 'u');
  return (text) => text !== null && mention.test(foldCase(text));
}
