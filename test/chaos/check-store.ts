import { isDeepStrictEqual } from 'node:util';
import type { Company, Group, Person } from './company.ts';
import type { Fact } from './fact.ts';
import type { Shown, ShownGroup, ShownUser } from './shown.ts';

/** Accounts that are in the service and in nobody's company: the owner and the administrator. */
export type Bystanders = ReadonlySet<string>;

/** What the store shows that cannot be true after what was asked for and answered. */
export function listStoreFindings(
  { people, groups }: Company,
  shown: Shown,
  bystanders: Bystanders,
): string[] {
  const known = new Set([...bystanders, ...people.map(({ address }) => address)]);
  const isKnown = ({ displayName }: ShownGroup) =>
    groups.some(({ names }) => names.has(displayName));
  return [
    ...people.flatMap((person) =>
      judgePerson(
        person,
        shown.users.filter(({ userName }) => userName === person.address),
      ),
    ),
    ...groups.flatMap((group) =>
      judgeGroup(
        group,
        people,
        shown.groups.filter(({ displayName }) => group.names.has(displayName)),
      ),
    ),
    ...shown.users
      .filter(({ userName }) => !known.has(userName))
      .map(({ userName }) => `SCIM shows ${userName}, whom nobody knows`),
    ...shown.groups
      .filter((group) => !isKnown(group))
      .map(({ displayName }) => `SCIM shows the group ${displayName}, which nobody knows`),
    ...shown.users.flatMap((user) => judgeGroupsOf(user, shown.groups)),
  ];
}

/** A user shows the groups that show the user. */
function judgeGroupsOf({ userName, groups }: ShownUser, all: readonly ShownGroup[]): string[] {
  const its = all.filter(({ members }) => members.has(userName));
  const names = its.map(({ displayName }) => displayName).toSorted();
  if (isDeepStrictEqual(names, groups)) return [];
  return [`SCIM shows ${userName} in ${groups.join(', ')}, and as a member of ${names.join(', ')}`];
}

function judgePerson(person: Person, users: readonly ShownUser[]): string[] {
  const { address, origin } = person;
  const [user] = users;
  if (user === undefined) return toFinding(`SCIM shows ${address}`, person.isThere, false);
  if (users.length > 1) return [`SCIM shows ${address} ${users.length} times`];
  // What administrators do to their own is compared with the service alone.
  if (origin === 'unmanaged') return [];
  return [
    ...toFinding(`SCIM shows ${address}`, person.isThere, true),
    ...(origin === 'found' && !person.isThere.isAsked ? [] : judgeFields(person, user)),
  ];
}

function judgeFields(person: Person, user: ShownUser): string[] {
  const { address } = person;
  return [
    ...toFinding(`${address} in SCIM is active`, person.active, user.active),
    ...toFinding(`${address} in SCIM is called`, person.fullName, user.fullName),
    ...toFinding(`${address} in SCIM has the title`, person.title, user.title),
    ...toFinding(`${address} in SCIM has the address`, person.email, user.email ?? ''),
    ...toFinding(`${address} in SCIM is suspended`, person.suspended, user.isSuspended),
  ];
}

function judgeGroup(
  group: Group,
  people: readonly Person[],
  shown: readonly ShownGroup[],
): string[] {
  const what = `group ${group.n}`;
  const [one] = shown;
  if (one === undefined) return toFinding(`SCIM shows ${what}`, group.isThere, false);
  if (shown.length > 1) return [`SCIM shows ${what} ${shown.length} times`];
  if (group.origin === 'unmanaged') return [];
  const isManaged = group.isThere.isAsked;
  return [
    ...toFinding(`SCIM shows ${what}`, group.isThere, true),
    ...toFinding(`${what} in SCIM is called`, group.name, one.displayName),
    ...(isManaged ? toFinding(`${what} in SCIM is offered`, group.isOffered, one.isOffered) : []),
    ...listLinkFindings(`in ${what} in SCIM`, people, { facts: group.members, shown: one.members }),
    ...listLinkFindings(`admin of ${what} in SCIM`, people, {
      facts: group.admins,
      shown: one.admins,
    }),
  ];
}

interface Links {
  readonly facts: Group['members'];
  readonly shown: ReadonlySet<string>;
}

function listLinkFindings(
  what: string,
  people: readonly Person[],
  { facts, shown }: Links,
): string[] {
  const addresses = new Set(people.map(({ address }) => address));
  const strangers = [...shown].filter((name) => !addresses.has(name));
  return [
    ...strangers.map((name) => `${name} ${what} is nobody`),
    ...people.flatMap((person) => {
      const fact = facts.get(person);
      const isShown = shown.has(person.address);
      if (fact === undefined)
        return isShown ? [`${person.address} ${what} was never asked for`] : [];
      return toFinding(`${person.address} ${what}`, fact, isShown);
    }),
  ];
}

/** A finding unless the value is one that may be true. */
function toFinding<T>(what: string, fact: Fact<T>, value: T): string[] {
  return fact.allows(value) ? [] : [`${what}: ${value}, not ${fact}`];
}
