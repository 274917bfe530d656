import { USER_SCHEMA_URI } from '../../src/domain/extensions.ts';
import { dismiss, replace, toPatch } from '../support/provider.ts';
import type { RequestSource } from './load-client.ts';
import type { Company } from './program.ts';

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
  const patch = (path: string, operation: Parameters<typeof toPatch>[0]) =>
    ({ method: 'PATCH', path, body: JSON.stringify(toPatch(operation)) }) as const;
  return [
    {
      name: 'get',
      title: 'GET user by id',
      source: scatter(users, ({ id }) => ({ method: 'GET', path: `/Users/${id}` })),
    },
    {
      name: 'filter',
      title: 'filter by userName',
      source: scatter(users, ({ userName }) => {
        const filter = encodeURIComponent(`userName eq "${userName}"`);
        return { method: 'GET', path: `/Users?filter=${filter}` };
      }),
    },
    {
      name: 'list',
      title: `list of ${listed}`,
      source: scatter([...users.slice(listed).keys()], (start) => ({
        method: 'GET',
        path: `/Users?startIndex=${start + 1}&count=${listed}`,
      })),
    },
    {
      name: 'active',
      title: 'PATCH active',
      source: inTurns(users, lanes, ({ id }, isBack) =>
        patch(`/Users/${id}`, replace('active', isBack)),
      ),
    },
    ...largeGroups.map(({ id, memberIds }, index) => ({
      name: index === 0 ? 'member' : 'member-large',
      title: `PATCH one of ${memberIds.length.toLocaleString('en')} members`,
      source: inTurns(memberIds, lanes, (value, isBack) =>
        patch(
          `/Groups/${id}`,
          isBack ? { op: 'add', path: 'members', value: [{ value }] } : dismiss(value),
        ),
      ),
    })),
    { name: 'post', title: 'POST user', source: postUsers() },
  ];
}

/** Users as a provider creates them. */
function postUsers(): RequestSource {
  let posted = 0;
  return () => {
    posted += 1;
    const userName = `new${posted}@example.com`;
    const body = {
      schemas: [USER_SCHEMA_URI],
      userName,
      name: { givenName: 'Grace', familyName: `Number${posted}` },
      displayName: `Grace Number${posted}`,
      emails: [{ primary: true, value: userName, type: 'work' }],
      externalId: `new-${posted}`,
      active: true,
    };
    return { method: 'POST', path: '/Users', body: JSON.stringify(body) };
  };
}

type Requested = ReturnType<RequestSource>;

/** Asks for one after another, for ever, so that two that follow each other stand far apart. */
function scatter<T>(items: readonly T[], toRequest: (item: T) => Requested): RequestSource {
  let given = 0;
  return () => {
    given += 1;
    return toRequest(getAt(items, given * stride));
  };
}

/** Each lane changes one after the other of its own share of the items, and at once changes each back. */
function inTurns<T>(
  items: readonly T[],
  lanes: number,
  toRequest: (item: T, isBack: boolean) => Requested,
): RequestSource {
  const turns = Array<number>(lanes).fill(0);
  return (lane) => {
    const turn = getAt(turns, lane);
    turns[lane] = turn + 1;
    const share = Math.floor(items.length / lanes);
    const nth = Math.floor(turn / 2) % share;
    return toRequest(getAt(items, nth * lanes + lane), turn % 2 === 1);
  };
}

/** Begins again at the end. @throws RangeError when there are none. */
function getAt<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('nothing to choose from');
  return item;
}
