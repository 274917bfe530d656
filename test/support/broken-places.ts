import type { GateName } from '../../src/cli/gallery/gates.ts';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import { type Asked, alter, type Break, type Replied, refuse } from './broken-bridge.ts';

/** A place where a bridge is broken on purpose. */
export interface BrokenPlace {
  readonly what: string;
  readonly gate: GateName;
  readonly breakIt: Break;
  /** Checks that turn red, and no other one; sorted. */
  readonly red: readonly string[];
  /** People and groups that cannot be taken away; left out: none. */
  readonly left?: number;
}

const isAny = () => true;
const isPost = ({ method }: Asked) => method === 'POST';
const isPatch = ({ method }: Asked) => method === 'PATCH';
const isPut = ({ method }: Asked) => method === 'PUT';
const isCreation = (of: string) => (asked: Asked) => isPost(asked) && asked.path === of;
const isOneUser = ({ path }: Asked) => /^\/Users\/[^/?]+$/.test(path);
const isSearch = ({ path }: Asked) => path.includes('filter=');
const isFound = (pattern: RegExp) => (asked: Asked) => pattern.test(asked.path);

const toStatus = (from: number, to: number) => (replied: Replied) =>
  replied.status === from ? { status: to } : {};
const withBody = (change: (body: JsonObject) => JsonObject) => (replied: Replied) => ({
  body: { ...replied.body, ...change(replied.body) },
});
const withHeader = (name: string, value: string | undefined) => (replied: Replied) => ({
  headers: { ...replied.headers, [name]: value },
});
const toNobody = withBody(() => ({ totalResults: 0, Resources: [] }));

/** Places whose checks `npm test` sees turn red. */
export const brokenPlaces: readonly BrokenPlace[] = [
  {
    ...{ what: 'a user who is there is created again', gate: 'okta', red: ['duplicate-user'] },
    breakIt: alter(isPost, toStatus(409, 201)),
  },
];

/** More of them, for `npm run test:long`. */
export const morePlaces: readonly BrokenPlace[] = [
  {
    ...{ what: 'Location is missing', gate: 'ipsie', red: ['location'] },
    breakIt: alter(isPost, withHeader('location', undefined)),
  },
  {
    ...{ what: 'DELETE is answered 200 and does nothing', gate: 'entra', left: 7 },
    red: ['create-again', 'delete-group', 'delete-user'],
    breakIt: refuse(200, ({ method }) => method === 'DELETE'),
  },
  {
    ...{ what: 'PATCH is answered 500', gate: 'entra' },
    red: [
      ...['add-member', 'deactivate-as-text', 'deactivate-user', 'find-group-without-members'],
      ...['invalid-patch', 'manager', 'null-update', 'patch-group', 'patch-user'],
      ...['reactivate-user', 'remove-member', 'several-members'],
    ],
    breakIt: refuse(500, isPatch),
  },
  {
    ...{ what: 'a new user is answered 200', gate: 'okta', red: ['create-user'] },
    breakIt: alter(isCreation('/Users'), toStatus(201, 200)),
  },
  {
    ...{ what: 'totalResults is one too many', gate: 'okta' },
    red: ['find-group', 'find-user', 'unknown-name', 'user-name-case'],
    breakIt: alter(
      isSearch,
      withBody(({ totalResults }) => ({ totalResults: Number(totalResults) + 1 })),
    ),
  },
  {
    ...{ what: 'filters are ignored', gate: 'ipsie' },
    red: [
      ...['delete-user', 'find-email', 'find-external-id', 'find-group', 'find-group-by-member'],
      ...['find-group-external-id', 'find-user', 'find-work-email', 'unknown-filter'],
    ],
    breakIt: (_, pass) => pass((address) => address.replace(/\?filter=.*/, '')),
  },
  {
    ...{ what: 'answers are application/json', gate: 'okta', red: ['content-type'] },
    breakIt: alter(isAny, withHeader('content-type', 'application/json')),
  },
  {
    ...{ what: 'active is not returned', gate: 'okta' },
    red: [
      ...['create-user', 'deactivate-without-path', 'first-user', 'reactivate-without-path'],
      'read-user',
    ],
    breakIt: alter(isAny, ({ body }) => ({ body: withoutActive(body) })),
  },
  {
    ...{ what: '/Schemas is missing', gate: 'ipsie' },
    red: ['group-schema', 'no-password', 'schemas', 'user-schema'],
    breakIt: refuse(404, isFound(/^\/Schemas/)),
  },
  {
    ...{ what: '/Bulk is answered 501', gate: 'entra', red: ['bulk'] },
    breakIt: refuse(501, isFound(/^\/Bulk/)),
  },
  {
    ...{ what: 'a PATCH of more than 20 operations is refused', gate: 'ipsie' },
    red: ['fifty-member-operations'],
    breakIt: refuse(413, ({ body: { Operations } }) => Object(Operations).length > 20),
  },
  {
    ...{ what: 'a new group is answered 200', gate: 'entra', red: ['create-group'] },
    breakIt: alter(isCreation('/Groups'), toStatus(201, 200)),
  },
  {
    ...{ what: 'a filter on externalId or an address finds nobody', gate: 'entra' },
    red: ['find-external-id', 'find-matching-email'],
    breakIt: alter(isFound(/filter=(externalId|emails)/), toNobody),
  },
  {
    ...{ what: 'userNames are compared to the letter', gate: 'okta', red: ['user-name-case'] },
    breakIt: alter(isFound(/"GALLERY-/), toNobody),
  },
  {
    ...{ what: 'PATCH cuts the connection', gate: 'okta' },
    red: [
      ...['deactivate-without-path', 'password-dropped', 'reactivate-without-path'],
      ...['rename-group', 'replace-members', 'swap-members'],
    ],
    breakIt: async (asked, pass) => (isPatch(asked) ? undefined : pass()),
  },
  {
    ...{ what: 'PUT is answered 501', gate: 'okta', red: ['replace-members', 'replace-user'] },
    breakIt: refuse(501, isPut),
  },
  {
    ...{ what: 'a password is shown', gate: 'okta', red: ['password-dropped'] },
    breakIt: alter(
      isOneUser,
      withBody(() => ({ password: 'of-no-use-1' })),
    ),
  },
  {
    ...{ what: 'discovery says nothing', gate: 'ipsie' },
    red: ['page-limit', 'resource-types', 'service-provider-config'],
    breakIt: alter(isFound(/^\/(ServiceProviderConfig|ResourceTypes)/), () => ({ body: {} })),
  },
  {
    ...{ what: 'twenty requests are too many', gate: 'entra', red: ['requests-per-second'] },
    breakIt: limitTo20(),
  },
  {
    ...{ what: 'a wrong credential opens', gate: 'okta', red: ['refused-credential'] },
    breakIt: alter(({ authorization }) => authorization === 'non-token', toStatus(401, 200)),
  },
  {
    ...{ what: 'an access token lasts a day', gate: 'entra', red: ['client-credentials'] },
    breakIt: alter(
      ({ path, authorization }) => path === '/oauth/token' && authorization !== undefined,
      withBody(() => ({ expires_in: 86_400 })),
    ),
  },
  {
    ...{
      what: 'OAuth has no metadata',
      gate: 'ipsie',
      red: ['client-assertion', 'oauth-metadata'],
    },
    breakIt: refuse(404, isFound(/well-known/)),
  },
  {
    ...{ what: 'an unknown id is 400 without a word', gate: 'okta' },
    red: ['error-detail', 'unknown-id'],
    breakIt: alter(isOneUser, ({ status }) => (status === 404 ? { status: 400, body: {} } : {})),
  },
  {
    ...{ what: 'groups cannot be listed', gate: 'okta', red: ['list-groups-in-time'] },
    breakIt: refuse(500, ({ method, path }) => `${method} ${path}` === 'GET /Groups'),
  },
  {
    ...{ what: 'users cannot be listed', gate: 'ipsie', red: ['list-users'] },
    breakIt: refuse(500, ({ method, path }) => `${method} ${path}` === 'GET /Users'),
  },
  {
    ...{
      what: 'excludedAttributes is ignored',
      gate: 'entra',
      red: ['find-group-without-members'],
    },
    breakIt: (_, pass) => pass((address) => address.replace('&excludedAttributes=members', '')),
  },
  {
    ...{ what: 'unknown attributes are taken', gate: 'ipsie', red: ['unknown-attribute'] },
    breakIt: alter(isPut, toStatus(400, 200)),
  },
  {
    ...{ what: 'If-Match is ignored', gate: 'ipsie', red: ['etag'] },
    breakIt: alter(isAny, toStatus(412, 200)),
  },
  {
    ...{ what: 'every page is the first', gate: 'entra', red: ['group-pages', 'user-pages'] },
    breakIt: (_, pass) => pass((address) => address.replace('startIndex=3', 'startIndex=1')),
  },
  {
    ...{ what: 'there are no cursors', gate: 'ipsie', red: ['cursor-pages'] },
    breakIt: (_, pass) => pass((address) => address.replace(/cursor=[^&]*&/, '')),
  },
  {
    ...{ what: 'groups cannot be read', gate: 'ipsie' },
    red: [
      ...['duplicate-group', 'fifty-member-operations', 'find-group-by-member'],
      ...['list-groups', 'patch-group', 'read-group'],
    ],
    breakIt: alter(isFound(/^\/Groups(?!.*filter)/), ({ status }) =>
      status === 201 ? {} : { status: 418 },
    ),
  },
];

function withoutActive({ active: _, Resources, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(Resources)) return rest;
  const listed = Resources.map((each) => (isJsonObject(each) ? withoutActive(each) : each));
  return { ...rest, Resources: listed };
}

/** Answers 429 to the same request from the twenty-first time after itself on. */
function limitTo20(): Break {
  let [last, times] = ['', 0];
  return async ({ method, path }, pass) => {
    times = last === `${method} ${path}` ? times + 1 : 1;
    last = `${method} ${path}`;
    return times > 20 ? { status: 429, headers: {}, body: {} } : pass();
  };
}
