import {
  type Answer,
  assertAt,
  assertError,
  assertFilled,
  assertList,
  assertListed,
  assertNumbers,
  assertStatus,
  fail,
  findAt,
  LIST,
} from '../answer.ts';
import { type Stage, USER } from '../stage.ts';
import { toSearch } from '../talk.ts';
import type { Check } from './check.ts';

/** Id that no server gives, of the suite of Okta. */
const UNKNOWN_ID = '010101001010101011001010101011';

/** Checks of people who are made, read, found and deleted. */
export const users = {
  list: {
    id: 'list-users',
    title: 'All users are listed',
    async run(stage) {
      await stage.idOf('ada');
      assertList(await stage.send('GET', '/Users'));
    },
  },
  first: {
    id: 'first-user',
    title: 'The first of all users comes whole, in a list whose numbers are numbers',
    async run(stage) {
      await stage.idOf('ada');
      const answer = await stage.send('GET', '/Users?count=1&startIndex=1');
      assertList(answer);
      assertNumbers(answer, 'itemsPerPage', 'startIndex', 'totalResults');
      assertUser(answer, 'Resources/0/');
    },
  },
  create: {
    id: 'create-user',
    title: 'A new user is 201 with the whole user',
    async run(stage) {
      const answer = await stage.made('ada');
      assertStatus(answer, 201);
      assertFilled(answer, 'id');
      assertListed(answer, 'schemas', [USER]);
      assertAt(answer, 'userName', stage.userNameOf('ada'));
      assertAt(answer, 'name/givenName', 'Ada');
      assertAt(answer, 'name/familyName', 'Gallery');
      assertAt(answer, 'active', true);
    },
  },
  location: {
    id: 'location',
    title: 'A new user comes with its address in Location',
    async run(stage) {
      const answer = await stage.made('ada');
      const { location } = answer.headers;
      if (typeof location !== 'string') fail(answer, 'there is no Location');
      answer.parts.push('Location is there');
      assertAt(answer, 'meta/location', location);
    },
  },
  read: {
    id: 'read-user',
    title: 'A user is read by its id as it was sent',
    async run(stage) {
      const id = await stage.idOf('bob');
      const answer = await stage.send('GET', `/Users/${id}`);
      assertStatus(answer, 200);
      assertAt(answer, 'id', id);
      assertAt(answer, 'userName', stage.userNameOf('bob'));
      assertAt(answer, 'name/givenName', 'Bob');
      assertAt(answer, 'name/familyName', 'Gallery');
      assertUser(answer);
    },
  },
  find: found('find-user', 'A user is found by userName', (name) => `userName eq "${name}"`),
  findInCapitals: found(
    'user-name-case',
    'A userName is found in any case',
    (name) => `userName eq "${name.toUpperCase()}"`,
  ),
  findByExternalId: {
    id: 'find-external-id',
    title: 'A user is found by externalId',
    run: (stage) => assertFound(stage, `externalId eq "${stage.mark}-bob"`),
  },
  findByEmail: found(
    'find-email',
    'A user is found by an address',
    (name) => `emails[value eq "${name}"]`,
  ),
  findByWorkEmail: found(
    'find-work-email',
    'A user is found by the work address',
    (name) => `emails[type eq "work" and value eq "${name}"]`,
  ),
  findByMatchingEmail: found(
    'find-matching-email',
    'A user is found by the work address as a matching attribute',
    (name) => `emails[type eq "work"].value eq "${name}"`,
  ),
  unknownName: {
    id: 'unknown-name',
    title: 'Nobody of a userName is 200 with an empty list',
    async run({ send, mark }) {
      const answer = await send('GET', toSearch('Users', `userName eq "${mark}-nobody"`));
      assertStatus(answer, 200);
      assertListed(answer, 'schemas', [LIST]);
      assertAt(answer, 'totalResults', 0);
    },
  },
  unknownId: {
    id: 'unknown-id',
    title: 'An unknown id is 404 with a SCIM error',
    run: async ({ send }) => assertError(await send('GET', `/Users/${UNKNOWN_ID}`), 404),
  },
  detail: {
    id: 'error-detail',
    title: 'An error says in words what is wrong',
    run: async ({ send }) => assertFilled(await send('GET', `/Users/${UNKNOWN_ID}`), 'detail'),
  },
  duplicate: {
    id: 'duplicate-user',
    title: 'A userName that is taken is 409',
    async run(stage) {
      await stage.idOf('bob');
      const answer = await stage.makeAgain('bob');
      assertError(answer, 409);
      assertAt(answer, 'scimType', 'uniqueness');
    },
  },
  unknownFilter: {
    id: 'unknown-filter',
    title: 'A filter on an attribute that no schema has is 400 invalidFilter',
    async run({ send }) {
      const answer = await send('GET', toSearch('Users', 'favouriteColour eq "green"'));
      assertError(answer, 400);
      assertAt(answer, 'scimType', 'invalidFilter');
    },
  },
  contentType: {
    id: 'content-type',
    title: 'Answers are application/scim+json',
    async run(stage) {
      const answer = await stage.send('GET', `/Users/${await stage.idOf('ada')}`);
      const type = String(answer.headers['content-type']);
      if (!/^application\/scim\+json\b/i.test(type)) fail(answer, `Content-Type is ${type}`);
      answer.parts.push(`Content-Type is ${type}`);
    },
  },
  remove: {
    id: 'delete-user',
    title: 'DELETE is 204, and nobody is there any more',
    async run(stage) {
      const path = `/Users/${await stage.idOf('cyd')}`;
      assertStatus(await stage.send('DELETE', path), 204);
      assertError(await stage.send('GET', path), 404);
      const filter = `userName eq "${stage.userNameOf('cyd')}"`;
      assertAt(await stage.send('GET', toSearch('Users', filter)), 'totalResults', 0);
      assertError(await stage.send('DELETE', path), 404);
    },
  },
  createAgain: {
    id: 'create-again',
    title: 'The userName of a deleted user can be sent again',
    async run(stage) {
      await stage.send('DELETE', `/Users/${await stage.idOf('cyd')}`);
      const answer = await stage.makeAgain('cyd');
      assertStatus(answer, 201);
      assertAt(answer, 'userName', stage.userNameOf('cyd'));
    },
  },
} as const satisfies Record<string, Check>;

function found(id: string, title: string, toFilter: (userName: string) => string): Check {
  return { id, title, run: (stage) => assertFound(stage, toFilter(stage.userNameOf('bob'))) };
}

/** Asserts that a filter finds bob, and nobody else. */
async function assertFound(stage: Stage, filter: string): Promise<void> {
  await stage.idOf('bob');
  const answer = await stage.send('GET', toSearch('Users', filter, '&startIndex=1&count=100'));
  assertStatus(answer, 200);
  assertAt(answer, 'totalResults', 1);
  assertAt(answer, 'Resources/0/userName', stage.userNameOf('bob'));
  assertFilled(answer, 'Resources/0/name/givenName', 'Resources/0/emails/0/value');
}

/** Asserts that what Okta needs of a user is there. */
function assertUser(answer: Answer, before = ''): void {
  const needed = ['id', 'name/familyName', 'name/givenName', 'userName', 'emails/0/value'];
  assertFilled(answer, ...needed.map((path) => `${before}${path}`));
  if (typeof findAt(answer.body, `${before}active`) === 'boolean') return;
  fail(answer, `${before}active is neither true nor false`);
}
