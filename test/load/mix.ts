import type { LoadRequest } from '../bench/load-client.ts';
import type { Draws, LoadPerson } from './draws.ts';

/** One kind of request that identity providers send. */
interface Ingredient {
  readonly title: string;
  /** So many of a thousand requests. */
  readonly perMille: number;
  readonly draw: (draws: Draws) => LoadRequest;
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const PAGE_SIZE = 100;
/** How many pages of people are asked for. */
const PAGES = 100;
const MEMBERS_MAX = 5;
const NAMES = ['Ada', 'Boris', 'Chen', 'Dana', 'Emil', 'Farah', 'Goran', 'Hana'] as const;
const DEPARTMENTS = ['Sales', 'Legal', 'Research', 'Support', 'Logistics'] as const;

/**
 * What providers send between two large changes: mostly questions whether somebody is there, and of the writes
 * many that the service never hears of. In the words of Entra ID and Okta.
 */
export const ingredients: readonly Ingredient[] = [
  {
    title: 'GET user by userName',
    perMille: 330,
    draw: (draws) => search('Users', `userName eq "${draws.person().userName}"`),
  },
  {
    title: 'GET user by a userName that nobody has',
    perMille: 40,
    draw: ({ random }) => search('Users', `userName eq "nobody${random.next()}@example.com"`),
  },
  {
    title: 'GET user by externalId',
    perMille: 120,
    draw: (draws) => search('Users', `externalId eq "${draws.person().externalId}"`),
  },
  {
    title: 'GET user by id',
    perMille: 150,
    draw: (draws) => get(`/Users/${draws.person().id}`),
  },
  {
    title: 'GET group by name, without members',
    perMille: 60,
    draw: (draws) =>
      search('Groups', `displayName eq "${draws.group().displayName}"`, WITHOUT_MEMBERS),
  },
  {
    title: 'GET group by id, without members',
    perMille: 50,
    draw: (draws) => get(`/Groups/${draws.group().id}?${WITHOUT_MEMBERS}`),
  },
  {
    title: 'GET group by id, with members',
    perMille: 5,
    draw: (draws) => get(`/Groups/${draws.group().id}`),
  },
  {
    title: `GET page of ${PAGE_SIZE} users`,
    perMille: 20,
    draw: ({ random }) =>
      get(
        `/Users?startIndex=${1 + PAGE_SIZE * Math.floor(random.next() * PAGES)}&count=${PAGE_SIZE}`,
      ),
  },
  {
    title: `GET page of ${PAGE_SIZE} groups, without members`,
    perMille: 5,
    draw: () => get(`/Groups?startIndex=1&count=${PAGE_SIZE}&${WITHOUT_MEMBERS}`),
  },
  { title: 'PATCH title and department', perMille: 70, draw: patchAttributes },
  {
    title: 'PATCH name',
    perMille: 20,
    draw: (draws) =>
      patch(`/Users/${draws.person().id}`, {
        op: 'Replace',
        path: 'name.givenName',
        value: toGivenName(draws),
      }),
  },
  {
    title: 'PATCH active',
    perMille: 25,
    draw: (draws) => {
      const { person, active } = draws.switched();
      const value = active ? 'True' : 'False';
      return patch(`/Users/${person.id}`, { op: 'Replace', path: 'active', value });
    },
  },
  { title: 'PUT user', perMille: 35, draw: putUser },
  { title: 'POST user', perMille: 20, draw: postUser },
  { title: 'DELETE user', perMille: 5, draw: deleteUser },
  {
    title: `PATCH group: 1 to ${MEMBERS_MAX} members come`,
    perMille: 25,
    draw: (draws) =>
      patch(`/Groups/${draws.group().id}`, {
        op: 'Add',
        path: 'members',
        value: drawMembers(draws).map(({ id }) => ({ value: id })),
      }),
  },
  {
    title: 'PATCH group: one member goes, another comes',
    perMille: 15,
    draw: (draws) =>
      patch(
        `/Groups/${draws.group().id}`,
        { op: 'remove', path: `members[value eq "${draws.person().id}"]` },
        { op: 'add', path: 'members', value: [{ value: draws.person().id }] },
      ),
  },
  {
    title: 'PATCH group: the name that it has',
    perMille: 5,
    draw: (draws) => {
      const { id, displayName } = draws.group();
      return patch(`/Groups/${id}`, { op: 'replace', value: { id, displayName } });
    },
  },
];

const WITHOUT_MEMBERS = 'excludedAttributes=members';

/** Gives one request after another, each kind as often as its part says. */
export function createMix(draws: Draws): () => LoadRequest {
  const all = ingredients.flatMap((one) => Array.from({ length: one.perMille }, () => one));
  return () => draws.random.pick(all).draw(draws);
}

function get(path: string): LoadRequest {
  return { method: 'GET', path };
}

function search(resources: 'Users' | 'Groups', filter: string, more?: string): LoadRequest {
  const query = `filter=${encodeURIComponent(filter)}&startIndex=1&count=${PAGE_SIZE}`;
  return get(`/${resources}?${more === undefined ? query : `${query}&${more}`}`);
}

function patch(path: string, ...operations: readonly object[]): LoadRequest {
  const body = JSON.stringify({ schemas: [PATCH], Operations: operations });
  return { method: 'PATCH', path, body };
}

function patchAttributes(draws: Draws): LoadRequest {
  return patch(
    `/Users/${draws.person().id}`,
    { op: 'Add', path: 'title', value: `Clerk ${Math.floor(draws.random.next() * 1_000)}` },
    { op: 'Replace', path: `${ENTERPRISE}:department`, value: draws.random.pick(DEPARTMENTS) },
  );
}

function putUser(draws: Draws): LoadRequest {
  const { id, userName, externalId } = draws.person();
  const body = { ...toUser(userName, externalId, toGivenName(draws)), id, groups: [] };
  return { method: 'PUT', path: `/Users/${id}`, body: JSON.stringify(body) };
}

function postUser(draws: Draws): LoadRequest {
  const number = draws.newNumber();
  const body = toUser(`new${number}@example.com`, `new-${number}`, toGivenName(draws));
  return { method: 'POST', path: '/Users', body: JSON.stringify(body) };
}

function deleteUser(draws: Draws): LoadRequest {
  const leaver = draws.leaver();
  // In a long run everybody who may go has gone.
  if (leaver === undefined) return patchAttributes(draws);
  return { method: 'DELETE', path: `/Users/${leaver.id}` };
}

function toUser(userName: string, externalId: string, givenName: string) {
  const familyName = 'Example';
  return {
    schemas: [USER],
    userName,
    name: { givenName, familyName },
    emails: [{ primary: true, value: toAddress(userName), type: 'work' }],
    displayName: `${givenName} ${familyName}`,
    locale: 'en-US',
    externalId,
    active: true,
  };
}

/** People of the sandbox have a userName that is no address. */
function toAddress(userName: string): string {
  return userName.includes('@') ? userName : `${userName}@example.com`;
}

function toGivenName({ random }: Draws): string {
  return `${random.pick(NAMES)}-${random.pick(NAMES)}`;
}

function drawMembers(draws: Draws): LoadPerson[] {
  const length = 1 + Math.floor(draws.random.next() * MEMBERS_MAX);
  return Array.from({ length }, () => draws.person());
}
