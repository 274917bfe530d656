import { toWrittenName } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { at, invalidValue } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { type AttributeRule, findRule } from '../schema/attribute-table.ts';
import { groupSchema, type UserList } from '../schema/resource-schemas.ts';
import { type BodyEntry, readResource } from './entries.ts';
import { countSchemas, findPart, openBody, toItems } from './parse-body.ts';
import { assertNamed, toInput } from './parse-user.ts';
import { type SentLists, toSentLists } from './sent-place.ts';

/** Content of the body of a POST or PUT of a group. */
export interface GroupInput {
  /** Canonical, without the two lists of users. */
  readonly attributes: JsonObject;
  /** Attributes (`toWrittenName`) and extensions that the body names, also those that it clears. */
  readonly mentioned: ReadonlySet<string>;
  readonly sent: SentLists;
  /** Absent: the body does not name the list. Empty: the list is cleared. */
  readonly members?: readonly MemberRef[];
  /** As `members`. */
  readonly admins?: readonly MemberRef[];
}

/**
 * Reads the body of a POST or PUT of a group in any provider's dialect.
 * @throws ScimError 400 `invalidSyntax`: no object; `invalidValue`: displayName missing, a member without an id or a group as one, see `openBody`
 */
export function parseGroup(body: unknown, repairs: Repairs): GroupInput {
  const object = openBody(body);
  countSchemas(object, groupSchema.urns, repairs);
  const { entries, extensions } = readResource(object, groupSchema, repairs);
  const users = entries.filter((entry) => isWholeList(entry, repairs));
  const { attributes, mentioned } = toInput(
    entries.filter(({ path }) => path.userList === undefined),
    extensions,
    repairs,
  );
  assertNamed(attributes, 'displayName', groupSchema);
  const lists = parseLists(users, repairs);
  const named = withLists(mentioned, users);
  return { attributes, mentioned: named, sent: toSentLists(users), ...lists };
}

/** True for a list of users; a part of one belongs to no value, and is dropped. */
function isWholeList(entry: BodyEntry, repairs: Repairs): boolean {
  if (entry.path.userList === undefined) return false;
  if (entry.path.sub) repairs.count('unknown-attribute-dropped');
  return entry.path.sub === undefined;
}

function withLists(mentioned: ReadonlySet<string>, users: readonly BodyEntry[]): Set<string> {
  return new Set([
    ...mentioned,
    ...users.map(({ path }) => toWrittenName(path.extension, path.attribute.name)),
  ]);
}

function parseLists(users: readonly BodyEntry[], repairs: Repairs): Pick<GroupInput, UserList> {
  const lists: { members?: MemberRef[]; admins?: MemberRef[] } = {};
  for (const entry of users) {
    const list = entry.path.userList;
    if (!list) continue;
    const ids = readUserIds(list, entry, repairs);
    lists[list] = ids.map((value) => ({ value }));
  }
  return lists;
}

/** Reference to a user in a list. */
export interface MemberRef {
  /** SCIM id of a user, who may not exist. */
  readonly value: string;
}

/**
 * The ids of the users of a list, each once, in the order sent; null and "" are no user. Linear in their number.
 * @param list for errors
 * @throws ScimError 400 `invalidValue`: an element without an id, or a group
 */
export function readUserIds(
  list: UserList,
  { path, value }: BodyEntry,
  repairs: Repairs,
): string[] {
  const items = toItems(value, repairs);
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const place = () => `Value ${index + 1} of ${list}`;
    ids.add(at(place, () => readId(path.attribute, item, repairs)));
  }
  if (ids.size < items.length) repairs.count('duplicate-values');
  return [...ids];
}

function readId(rule: AttributeRule, item: JsonValue, repairs: Repairs): string {
  if (!isJsonObject(item)) repairs.count('value-for-object');
  const member = isJsonObject(item) ? item : { value: item };
  const type = findPart(member, 'type');
  if (typeof type === 'string' && type.toLowerCase() === 'group') {
    throw invalidValue(`Groups as ${rule.name} are not supported.`);
  }
  // The id alone is taken, and the type is known.
  for (const name of Object.keys(member)) {
    const sub = findRule(rule.subAttributes, name);
    if (!sub) repairs.count('unknown-attribute-dropped');
    else if (sub.mutability === 'readOnly') repairs.count('read-only-dropped');
  }
  const value = findPart(member, 'value');
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value !== 'number') {
    throw invalidValue(`Each of the ${rule.name} needs a value: the id of a user.`);
  }
  repairs.count('text-as-other');
  return String(value);
}
