import { toWrittenName } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import { attempt, type Repairs } from '../repairs.ts';
import { type AttributeRule, findRule } from '../schema/attribute-table.ts';
import { type AttributePath, groupSchema, toPathText } from '../schema/resource-schemas.ts';
import { unwrapNamed } from './coerce.ts';
import { type BodyEntry, readResource } from './entries.ts';
import { countSchemas, findPart, openBody, toItems, unpackText } from './parse-body.ts';
import { assertNamed, toInput } from './parse-user.ts';
import { type SentLists, toSentLists } from './sent-place.ts';

/** Content of the body of a POST or PUT of a group. */
export interface GroupInput {
  /** Canonical, without the two lists of users. */
  readonly attributes: JsonObject;
  /** Attributes (`toWrittenName`) and extensions that the body names, also those that it clears. */
  readonly mentioned: ReadonlySet<string>;
  readonly sent: SentLists;
  /** Attributes that are left out: what was held of them stays. */
  readonly leftOut: readonly AttributePath[];
  /** Ids of users, who may not exist. Absent: the body does not name the list. Empty: the list is cleared. */
  readonly members?: readonly string[];
  /** As `members`. */
  readonly admins?: readonly string[];
}

/**
 * Reads the body of a POST or PUT of a group in any provider's dialect.
 * @throws ScimError 400 `invalidSyntax`: no object; `invalidValue`: displayName missing, a member without an id, see `openBody`
 */
export function parseGroup(body: unknown, repairs: Repairs): GroupInput {
  const object = openBody(body);
  countSchemas(object, groupSchema.urns, repairs);
  const { entries, extensions } = readResource(object, groupSchema, repairs);
  const users = entries.filter((entry) => isWholeList(entry, repairs));
  const input = toInput(
    entries.filter(({ path }) => path.userList === undefined),
    extensions,
    repairs,
  );
  attempt(repairs, undefined, () => assertNamed(input.attributes, 'displayName', groupSchema));
  const lists: { members?: readonly string[]; admins?: readonly string[] } = {};
  const mentioned = new Set(input.mentioned);
  for (const entry of users) {
    const { userList, extension, attribute } = entry.path;
    if (userList) lists[userList] = readUserIds(entry, repairs);
    mentioned.add(toWrittenName(extension, attribute.name));
  }
  return { ...input, mentioned, sent: toSentLists(users), ...lists };
}

/** True for a list of users; a part of one belongs to no value, and is dropped. */
function isWholeList(entry: BodyEntry, repairs: Repairs): boolean {
  if (entry.path.userList === undefined) return false;
  if (entry.path.sub) repairs.count('unknown-attribute-dropped', toPathText(entry.path));
  return entry.path.sub === undefined;
}

/**
 * The ids of the users of a list, each once, in the order sent; null and "" are no user. Linear in their number.
 * @throws ScimError 400 `invalidValue`: an element without an id
 */
export function readUserIds({ path: { attribute }, value }: BodyEntry, repairs: Repairs): string[] {
  const items = toItems(unwrapNamed(attribute, value, repairs), repairs);
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const place = () => `Value ${index + 1} of ${attribute.name}`;
    const id = attempt(repairs, place, (inside) =>
      readId(attribute, toMember(item, inside), inside),
    );
    if (id !== undefined) ids.add(id);
  }
  if (ids.size < items.length) repairs.count('duplicate-values');
  return [...ids];
}

function toMember(given: JsonValue, repairs: Repairs): JsonObject {
  const item = unpackText(given, repairs);
  if (isJsonObject(item)) return item;
  repairs.count('value-for-object');
  return { value: item };
}

/** Address of a member, absolute or not. */
const ADDRESS = /(?:^|\/)(?:Users|Groups)\/([^/?#]+)$/i;

function readId(rule: AttributeRule, member: JsonObject, repairs: Repairs): string {
  // The id alone is taken: `keepKnown` finds out whose it is.
  for (const name of Object.keys(member)) {
    const sub = findRule(rule.subAttributes, name);
    if (!sub) repairs.count('unknown-attribute-dropped', `${rule.name}.${name}`);
    else if (sub.mutability === 'readOnly') repairs.count('read-only-dropped');
  }
  const address = findPart(member, '$ref');
  const value =
    findPart(member, 'value') ??
    (typeof address === 'string' ? ADDRESS.exec(address)?.[1] : undefined);
  // A broken document is the id of nobody.
  if (typeof value === 'string' && value !== '' && !/^\s*[[{].*"/s.test(value)) return value;
  if (typeof value !== 'number') {
    throw invalidValue(`Each of the ${rule.name} needs a value: the id of a user.`);
  }
  repairs.count('text-as-other');
  return String(value);
}
