import type { BenchUser, Company, LargeGroup } from './company.ts';
import type { RequestSource } from './load-client.ts';
import { toPatch } from './scim-target.ts';
import type { Yardstick } from './yardsticks.ts';

/** What the yardsticks answered in a second on the machine that aims in requests a second were set on. */
const REFERENCE = { express: 45_740, commits: 6_970 };

/** One kind of request. */
export interface Scenario {
  /** On the command line and in the names of files. */
  readonly name: string;
  readonly title: string;
  /** What the project wants: at least this part of what the yardstick answers. */
  readonly aim: number;
  /** Whose numbers stand beside it: bare express, or express with two commits. */
  readonly yardstick: Extract<Yardstick, 'express' | 'commits'>;
  /** The least that must be done for it, without our code. */
  readonly floor: Extract<Yardstick, 'read' | 'page' | 'write'>;
  readonly source: RequestSource;
}

const listed = 100;
/** A prime, so that steps of this length visit every row of a table, far apart from each other. */
const stride = 7_919;

/** Reads first; last the scenario that makes the company grow, so that the others meet it as it was prepared. */
export function createScenarios(company: Company, lanes: number): Scenario[] {
  return [...createReads(company), ...createWrites(company, lanes)];
}

function createReads({ users }: Company): Scenario[] {
  const one = { yardstick: 'express', floor: 'read' } as const;
  return [
    { name: 'get', title: 'GET user by id', aim: 0.6, ...one, source: getUsers(users) },
    {
      name: 'filter',
      title: 'filter by userName',
      aim: 0.55,
      ...one,
      source: filterUsers(users),
    },
    {
      name: 'list',
      title: 'list of 100',
      aim: 5_000 / REFERENCE.express,
      ...{ yardstick: 'express', floor: 'page' },
      source: listUsers(users),
    },
  ];
}

function createWrites({ users, largeGroups }: Company, lanes: number): Scenario[] {
  const write = { yardstick: 'commits', floor: 'write' } as const;
  const active = patchActive(users, lanes);
  return [
    { name: 'active', title: 'PATCH active', aim: 0.5, ...write, source: active },
    ...largeGroups.map(
      (group, index): Scenario => ({
        name: index === 0 ? 'member' : 'member-large',
        title: `PATCH one of ${group.memberIds.length.toLocaleString('en')} members`,
        aim: 3_000 / REFERENCE.commits,
        ...write,
        source: patchMembers(group, lanes),
      }),
    ),
    {
      name: 'post',
      title: 'POST user',
      aim: 2_500 / REFERENCE.commits,
      ...write,
      source: postUsers(),
    },
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
    return {
      method: 'PATCH',
      path: `/Users/${item.id}`,
      body: toPatch('replace', 'active', !first),
    };
  };
}

/** Each lane takes members of its own out of the group and at once puts them back, one after the other. */
function patchMembers({ id, memberIds }: LargeGroup, lanes: number): RequestSource {
  const nextChange = inTurns(memberIds, lanes);
  return (lane) => {
    const { item, first } = nextChange(lane);
    const body = first
      ? toPatch('remove', `members[value eq "${item}"]`)
      : toPatch('add', 'members', [{ value: item }]);
    return { method: 'PATCH', path: `/Groups/${id}`, body };
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
