import { toPatch } from '../support/provider.ts';
import type { RequestSource } from './load-client.ts';
import type { BenchUser, Company, LargeGroup } from './program.ts';

/** One kind of request. */
interface Scenario {
  /** On the command line. */
  readonly name: string;
  readonly title: string;
  readonly source: RequestSource;
}

const listed = 100;
/** A prime, so that steps of this length visit every row of a table, far apart from each other. */
const stride = 7_919;

/** Reads first; last the scenario that makes the company grow, so that the others meet it as it was prepared. */
export function createScenarios({ users, largeGroups }: Company, lanes: number): Scenario[] {
  return [
    { name: 'get', title: 'GET user by id', source: getUsers(users) },
    { name: 'filter', title: 'filter by userName', source: filterUsers(users) },
    { name: 'list', title: 'list of 100', source: listUsers(users) },
    { name: 'active', title: 'PATCH active', source: patchActive(users, lanes) },
    ...largeGroups.map((group, index) => ({
      name: index === 0 ? 'member' : 'member-large',
      title: `PATCH one of ${group.memberIds.length.toLocaleString('en')} members`,
      source: patchMembers(group, lanes),
    })),
    { name: 'post', title: 'POST user', source: postUsers() },
  ];
}

function getUsers(users: readonly BenchUser[]): RequestSource {
  const nextUser = scatter(users);
  return () => ({ method: 'GET', path: `/Users/${nextUser().id}` });
}

function filterUsers(users: readonly BenchUser[]): RequestSource {
  const nextUser = scatter(users);
  return () => {
    const filter = encodeURIComponent(`userName eq "${nextUser().userName}"`);
    return { method: 'GET', path: `/Users?filter=${filter}` };
  };
}

function listUsers(users: readonly BenchUser[]): RequestSource {
  const nextStart = scatter(users.slice(listed).map((_, index) => index + 1));
  return () => ({ method: 'GET', path: `/Users?startIndex=${nextStart()}&count=${listed}` });
}

/** Each lane deactivates and at once reactivates people of its own, one after the other. */
function patchActive(users: readonly BenchUser[], lanes: number): RequestSource {
  const nextChange = inTurns(users, lanes);
  return (lane) => {
    const { item, first } = nextChange(lane);
    const body = JSON.stringify(toPatch({ op: 'replace', path: 'active', value: !first }));
    return { method: 'PATCH', path: `/Users/${item.id}`, body };
  };
}

/** Each lane takes members of its own out of the group and at once puts them back, one after the other. */
function patchMembers({ id, memberIds }: LargeGroup, lanes: number): RequestSource {
  const nextChange = inTurns(memberIds, lanes);
  return (lane) => {
    const { item, first } = nextChange(lane);
    const change = first
      ? { op: 'remove', path: `members[value eq "${item}"]` }
      : { op: 'add', path: 'members', value: [{ value: item }] };
    return { method: 'PATCH', path: `/Groups/${id}`, body: JSON.stringify(toPatch(change)) };
  };
}

function postUsers(): RequestSource {
  let posted = 0;
  return () => {
    posted += 1;
    const userName = `new${posted}@example.com`;
    return { method: 'POST', path: '/Users', body: JSON.stringify(toNewUser(userName, posted)) };
  };
}

/** A user as a provider creates it. */
function toNewUser(userName: string, number: number) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    name: { givenName: 'Grace', familyName: `Number${number}` },
    displayName: `Grace Number${number}`,
    emails: [{ primary: true, value: userName, type: 'work' }],
    externalId: `new-${number}`,
    active: true,
  };
}

/** Gives one after another, for ever, so that two that follow each other stand far apart. */
function scatter<T>(items: readonly T[]): () => T {
  let given = 0;
  return () => {
    given += 1;
    return getAt(items, given * stride);
  };
}

/** Gives each lane its own share of the items, each of them twice in a row: to change it and to change it back. */
function inTurns<T>(
  items: readonly T[],
  lanes: number,
): (lane: number) => { item: T; first: boolean } {
  const shares = Array.from({ length: lanes }, (_, lane) =>
    items.filter((_item, index) => index % lanes === lane),
  );
  const given = shares.map(() => 0);
  return (lane) => {
    const turn = getAt(given, lane);
    given[lane] = turn + 1;
    return { item: getAt(getAt(shares, lane), Math.floor(turn / 2)), first: turn % 2 === 0 };
  };
}

/** Begins again at the end. @throws RangeError when there are none. */
function getAt<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
}
