import type { JsonObject } from '../../domain/json.ts';
import { type Work, workAtOnce } from '../../domain/turns.ts';
import type { Repairs } from '../repairs.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { type BodyEntry, readBody } from './entries.ts';
import { countSchemas, isSchemaOf, openBody } from './parse-body.ts';
import { type MemberRef, type PeopleList, parseMembers } from './parse-members.ts';
import { assertNamed, toInput } from './parse-user.ts';

/** What the body of a POST or PUT says of a group. */
export interface GroupInput {
  /** Canonical, without the two lists of people. */
  readonly attributes: JsonObject;
  /** Attributes and extensions that the body names, be it to say that they have no value. */
  readonly mentioned: ReadonlySet<string>;
  /** Left out: the body does not speak of them. Empty: there shall be none. */
  readonly members?: readonly MemberRef[];
  /** As `members`. */
  readonly admins?: readonly MemberRef[];
}

/** Which list of people an entry of a group is about; undefined: it is an ordinary attribute. */
export function findPeopleList({
  path: { attribute },
}: Pick<BodyEntry, 'path'>): PeopleList | undefined {
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
  const people = entries.filter((entry) => findPeopleList(entry) !== undefined);
  const { attributes, mentioned } = toInput(
    entries.filter((entry) => findPeopleList(entry) === undefined),
    extensions,
    repairs,
  );
  assertNamed(attributes, 'displayName', groupSchema);
  return { attributes, mentioned: withPeople(mentioned, people), ...parsePeople(people, repairs) };
}

/** `readGroup` at once. */
export function parseGroup(body: unknown, repairs: Repairs): GroupInput {
  return workAtOnce(readGroup(body, repairs));
}

function withPeople(mentioned: ReadonlySet<string>, people: readonly BodyEntry[]): Set<string> {
  return new Set([
    ...mentioned,
    ...people.map(({ path }) => path.extension ?? path.attribute.name),
  ]);
}

function parsePeople(people: readonly BodyEntry[], repairs: Repairs): Pick<GroupInput, PeopleList> {
  const lists: { members?: MemberRef[]; admins?: MemberRef[] } = {};
  for (const entry of people) {
    const list = findPeopleList(entry);
    if (list && !entry.path.sub) lists[list] = parseMembers(list, entry.value, repairs);
  }
  return lists;
}
