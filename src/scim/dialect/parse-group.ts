import { toWrittenName } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { type Work, workAtOnce } from '../../domain/turns.ts';
import { at, invalidValue } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { type BodyEntry, readBody } from './entries.ts';
import { countSchemas, findPart, isSchemaOf, openBody } from './parse-body.ts';
import { assertNamed, toInput } from './parse-user.ts';

/** Content of the body of a POST or PUT of a group. */
export interface GroupInput {
  /** Canonical, without the two lists of users. */
  readonly attributes: JsonObject;
  /** Attributes (`toWrittenName`) and extensions that the body names, also those that it clears. */
  readonly mentioned: ReadonlySet<string>;
  /** Absent: the body does not name the list. Empty: the list is cleared. */
  readonly members?: readonly MemberRef[];
  /** As `members`. */
  readonly admins?: readonly MemberRef[];
}

/** List of users that an entry belongs to; undefined: it is an ordinary attribute. */
export function findUserList({
  path: { attribute },
}: Pick<BodyEntry, 'path'>): UserList | undefined {
  const { name } = attribute;
  return name === 'members' || name === 'admins' ? name : undefined;
}

/**
 * Reads the body of a POST or PUT of a group in any provider's dialect.
 * @throws ScimError 400 `invalidSyntax`: no object; `invalidValue`: displayName missing, a member without an id or a group as one, see `openBody`
 */
export function* readGroup(body: unknown, repairs: Repairs): Work<GroupInput> {
  const object = yield* openBody(body);
  countSchemas(object, (urn) => isSchemaOf(groupSchema, urn), repairs);
  const { entries, extensions } = readBody(object, groupSchema, repairs);
  const users = entries.filter((entry) => findUserList(entry) !== undefined);
  const { attributes, mentioned } = toInput(
    entries.filter((entry) => findUserList(entry) === undefined),
    extensions,
    repairs,
  );
  assertNamed(attributes, 'displayName', groupSchema);
  return { attributes, mentioned: withLists(mentioned, users), ...parseLists(users, repairs) };
}

/** `readGroup` at once. */
export function parseGroup(body: unknown, repairs: Repairs): GroupInput {
  return workAtOnce(readGroup(body, repairs));
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
    const list = findUserList(entry);
    if (list && !entry.path.sub) lists[list] = parseMembers(list, entry.value, repairs);
  }
  return lists;
}

/** Lists of users of a group. */
export type UserList = 'members' | 'admins';

/** Reference to a user in a list. */
export interface MemberRef {
  /** SCIM id of a user, who may not exist. */
  readonly value: string;
}

/**
 * The users of a list, each once, in the order sent; null and "" are no user. Linear in their number.
 * @param list for errors
 * @throws ScimError 400 `invalidValue`: an element without an id, or a group
 */
export function parseMembers(list: UserList, value: JsonValue, repairs: Repairs): MemberRef[] {
  const items = toItems(value, repairs);
  const ids = new Set<string>();
  let place = 0;
  at(
    () => `Value ${place} of ${list}`,
    () => {
      for (const item of items) {
        place += 1;
        ids.add(parseId(list, item, repairs));
      }
    },
  );
  if (ids.size < items.length) repairs.count('duplicate-values');
  return [...ids].map((id) => ({ value: id }));
}

function toItems(value: JsonValue, repairs: Repairs): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (value === null || value === '') return [];
  repairs.count('value-for-list');
  return [value];
}

function parseId(list: UserList, item: JsonValue, repairs: Repairs): string {
  if (!isJsonObject(item)) {
    repairs.count('value-for-object');
    return toId(list, item, repairs);
  }
  const type = findPart(item, 'type');
  if (typeof type === 'string' && type.toLowerCase() === 'group') {
    throw invalidValue(`Groups as ${list} are not supported.`);
  }
  return toId(list, findPart(item, 'value'), repairs);
}

function toId(list: UserList, value: JsonValue | undefined, repairs: Repairs): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') {
    repairs.count('text-as-other');
    return String(value);
  }
  throw invalidValue(`Each of the ${list} needs a value: the id of a user.`);
}
