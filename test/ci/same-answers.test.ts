import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { toPatch } from '../support/provider.ts';
import { describePostgres } from '../support/stores.ts';

/** One request; the paths name resources by what created them: `{ada}`. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonValue;
  /** The name that the created resource has from then on. */
  readonly names?: string;
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Texts that databases store, fold, compare or refuse in ways of their own. */
const TEXTS: Readonly<Record<string, string>> = {
  plain: 'Plain',
  nul: 'a\u0000b',
  'first half': 'a\uD83D',
  'second half': '\uDE00a',
  emoji: 'a\u{1F600}b',
  'last character': '\u{10FFFF}',
  'no character': 'a\uFFFFb',
  composed: 'caf\u00E9',
  decomposed: 'cafe\u0301',
  'sharp s': 'Stra\u00DFe',
  'capital sharp s': 'STRA\u1E9EE',
  'dotted capital i': '\u0130stanbul',
  'dotless i': '\u0131stanbul',
  sigma: '\u039F\u0394\u03A5\u03A3\u03A3\u0395\u03A5\u03A3',
  ligature: '\uFB01nal',
  'full width': '\uFF21\uFF22',
  'right to left': '\u05D0\u05D1 abc',
  quotes: 'a"b\'c`d',
  backslash: 'a\\b\\\\"c',
  wildcards: '100%_[a-z]*?',
  statement: "x'; drop table users; --",
  white: ' \t\u00A0padded\u2003 ',
  lines: 'a\r\nb\u2028c',
  invisible: 'a\u200Bb\u200D\uFEFF',
  digits: '0012.50',
  long: 'x'.repeat(512),
  'too long': 'x'.repeat(513),
  'far too long': Array.from({ length: 3_000 }, (_, index) => `${index}~`).join(''),
  empty: '',
};

function search(path: string, filter: string, more: JsonObject = {}): Asked {
  return { method: 'POST', path: `${path}/.search`, body: { filter, ...more } };
}

/** Requests about one text. */
function ask(name: string, text: string): Asked[] {
  const quoted = JSON.stringify(text);
  const mark = name.replaceAll(' ', '-');
  const user = {
    userName: `${mark}@example.com`,
    displayName: text,
    externalId: text,
    title: text,
  };
  return [
    { method: 'POST', path: '/Users', body: user, names: mark },
    {
      method: 'POST',
      path: '/Users',
      body: { userName: text, emails: [{ value: `e-${mark}@example.com` }] },
    },
    { method: 'POST', path: '/Groups', body: { displayName: text } },
    search('/Users', `displayName eq ${quoted}`),
    search('/Users', `externalId eq ${quoted} or title co ${quoted}`),
    search('/Users', `userName eq ${quoted}`),
    search('/Users', `emails.value eq ${quoted} or title gt ${quoted}`, { sortBy: 'title' }),
    search('/Groups', `displayName eq ${quoted} or members.value eq ${quoted}`),
    { method: 'GET', path: `/Users/${encodeURIComponent(text.toWellFormed())}` },
    {
      method: 'PATCH',
      path: '/Users/{ada}',
      body: toPatch(
        { op: 'replace', path: 'nickName', value: text },
        { op: 'add', path: 'roles', value: [{ value: text, type: mark }] },
        { op: 'replace', path: `roles[value eq ${quoted}].display`, value: text },
      ),
    },
  ];
}

/** Requests as providers write them, and as nobody should. */
function askInDialects(): Asked[] {
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
  const operations: JsonObject[] = [
    { op: 'Add', path: 'emails[type eq "other"].value', value: 'ada@other.example' },
    { op: 'replace', path: 'emails [ type eq other ] .primary', value: 'True' },
    { op: 'REPLACE', value: { 'name.givenName': 'A', [`${ENTERPRISE}:department`]: 'R&D' } },
    { op: 'add', path: `${ENTERPRISE}:manager`, value: { $ref: '../Users/{bob}', value: '{bob}' } },
    { op: 'replace', path: 'manager', value: { $ref: '../Users/{ada}' } },
    { op: 'add', value: { name: {}, title: [], roles: null, [ENTERPRISE]: { division: 'V' } } },
    { op: 'replace', path: `${core}:active`, value: ['False'] },
    { op: 'replace', path: 'emails[value eq "nobody"].primary', value: true },
    { op: 'remove', path: 'emails[type ne "work" and not (primary eq true)].value' },
    { op: 'remove', path: 'roles', value: [{ value: 'PLAIN' }, { value: 'no such', type: 'x' }] },
    { op: 'replace', path: 'x509Certificates', value: [{ value: 'QUJD' }, { value: 'qujd' }] },
    { op: 'replace', path: 'userName', value: 76561198000 },
    { op: 'remove', path: ENTERPRISE },
    { op: 'move', path: 'title', value: 'x' },
    { op: 'replace', path: 'shoeSize', value: 1 },
  ];
  const filters = [
    `${ENTERPRISE} pr`,
    `not (${ENTERPRISE}[manager pr or department eq "r&d"])`,
    'manager.$ref ew "{bob}" or manager eq "{bob}"',
    'emails[type eq "other" and value co "@OTHER"].primary eq True',
    'userName eq ada@example.com',
    'active ne false and not title pr',
    'meta.created gt "2020-01-01t00:00z" and meta.version sw "W/"',
    `schemas eq "${ENTERPRISE}" or password pr`,
    'emails.value gt "a" and emails.value le "b" and userName ew ".COM"',
    'nickName eq null or nickName ne "x"',
    'active gt true',
    'title eq "a" xor title pr',
  ];
  const manager = (value: string) => ({ [ENTERPRISE]: { manager: { value } } });
  const create = (bulkId: string, value: string) => ({
    method: 'post',
    path: 'Users',
    bulkId,
    data: { userName: `${bulkId}@bulk.example`, ...manager(value) },
  });
  const group = { displayName: 'Bulk', members: [{ value: 'bulkId:b' }, { value: 'bulkId:a' }] };
  const bulk = [
    { method: 'POST', path: '/Groups', bulkId: 'g', data: group },
    create('a', 'bulkId:b'),
    create('b', 'bulkId:a'),
    create('c', 'bulkId:nobody'),
    {
      method: 'PATCH',
      path: '/Groups/bulkId:g',
      data: toPatch({ op: 'remove', path: 'members [value eq "bulkId:a"]' }),
    },
    { method: 'DELETE', path: '/Users/bulkId:b' },
    { method: 'DELETE', path: '/Users/nobody' },
    'nonsense',
  ];
  return [
    ...operations.map(
      (operation): Asked => ({
        method: 'PATCH',
        path: '/Users/{ada}',
        body: toPatch(operation),
      }),
    ),
    { method: 'PATCH', path: '/Users/{ada}', body: toPatch(...operations.slice(0, 6)) },
    { method: 'GET', path: '/Users/{ada}' },
    ...filters.flatMap((filter) => [
      search('/Users', filter),
      search('/Users', filter, { cursor: '', count: 3, sortBy: 'meta.created' }),
      search('', filter, { count: 2 }),
    ]),
    ...[
      `attributes=${ENTERPRISE},NAME.givenname,emails[type eq "other"].value`,
      `excludedAttributes=${core}:emails.value,${ENTERPRISE}:manager.$ref,id,groups`,
      'attributes=members[value eq "{ada}"].display',
      'attributes=emails[',
    ].flatMap((query): Asked[] => [
      { method: 'GET', path: `/Users/{ada}?${encodeURI(query)}` },
      { method: 'GET', path: `/Groups/{pilots}?${encodeURI(query)}` },
    ]),
    { method: 'PUT', path: '/Users/{ada}', body: { userName: 'ADA@example.com', emails: [{}] } },
    { method: 'POST', path: '/Bulk', body: { Operations: bulk, failOnErrors: '9.0' } },
    { method: 'POST', path: '/Bulk', body: { Operations: bulk, failOnErrors: 1 } },
    { method: 'GET', path: '/Groups?filter=displayName%20eq%20%22bulk%22' },
  ];
}

const REQUESTS: readonly Asked[] = [
  {
    method: 'POST',
    path: '/Users',
    body: { userName: 'ada@example.com', title: 'Pilot' },
    names: 'ada',
  },
  { method: 'POST', path: '/Users', body: { userName: 'bob@example.com' }, names: 'bob' },
  { method: 'POST', path: '/Groups', body: { displayName: 'Pilots' }, names: 'pilots' },
  ...Object.entries(TEXTS).flatMap(([name, text]) => ask(name, text)),
  ...['value', '{ada}', '{bob}', 'nobody'].flatMap((value): Asked[] => [
    {
      method: 'PATCH',
      path: '/Groups/{pilots}',
      body: toPatch({ op: 'add', path: 'members', value: [{ value }] }),
    },
    search('/Groups', `members[value eq "${value}"]`),
    search('/Users', `groups.display sw "p" and id ne "${value}"`, { sortBy: 'userName' }),
  ]),
  { method: 'GET', path: '/Groups/{pilots}' },
  {
    method: 'PATCH',
    path: '/Groups/{pilots}',
    body: toPatch({ op: 'remove', path: 'members[display co "ADA"]' }),
  },
  { method: 'GET', path: '/Groups/{pilots}' },
  ...[0, 1, '12345678901234567890', 1.5, -1, 1e300].map(
    (value): Asked => ({
      method: 'PATCH',
      path: '/Users/{ada}',
      body: toPatch({ op: 'replace', path: `${ENTERPRISE}:employeeNumber`, value }),
    }),
  ),
  ...[
    'displayName',
    'title',
    'meta.created',
    'roles.value',
    'emails',
    'groups.display',
    'nothing',
  ].flatMap((sortBy): Asked[] => [
    { method: 'GET', path: `/Users?sortBy=${sortBy}&count=5&startIndex=3` },
    { method: 'GET', path: `/Users?sortBy=${sortBy}&sortOrder=descending&count=200` },
  ]),
  ...[
    '?count=0',
    '?count=3&startIndex=1000',
    '?startIndex=9007199254740993',
    '?count=-1',
    '?cursor=&count=4',
  ].flatMap((query): Asked[] => [
    { method: 'GET', path: `/Users${query}` },
    { method: 'GET', path: `/Groups${query}` },
  ]),
  search('', 'displayName pr', { sortBy: 'displayName', attributes: ['displayName'] }),
  ...askInDialects(),
  { method: 'DELETE', path: '/Users/{bob}' },
  { method: 'GET', path: '/Users/{bob}' },
  { method: 'DELETE', path: '/Groups/{pilots}' },
  { method: 'GET', path: '/Users/{ada}' },
];

/** A bridge, and the ids that its resources have. */
interface Target {
  readonly bridge: TestBridge;
  readonly ids: Map<string, string>;
}

/** Answer without what is another one in every run: ids by their names, moments and addresses. */
async function answer({ bridge, ids }: Target, { method, path, body, names }: Asked) {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => ids.get(name) ?? name);
  const sent =
    body === undefined ? undefined : (JSON.parse(fill(JSON.stringify(body))) as JsonValue);
  const { status, text, body: answered, headers } = await bridge.request(method, fill(path), sent);
  if (names !== undefined) ids.set(names, String(answered.id));
  let shown = text.replaceAll(bridge.baseUrl, '<base>');
  for (const id of shown.match(/\b[a-f][0-9a-f]{15}\b/g) ?? []) {
    if (![...ids.values()].includes(id)) ids.set(`#${ids.size}`, id);
  }
  for (const [name, id] of ids) shown = shown.replaceAll(id, `<${name}>`);
  return {
    status,
    etag: headers.etag,
    text: shown
      .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<moment>"')
      .replace(/"nextCursor":"[\w-]+"/, '"nextCursor":"<cursor>"'),
  };
}

describePostgres('every request is answered alike on SQLite and on PostgreSQL', ({ makeUrl }) => {
  const targets: Target[] = [];

  beforeAll(async () => {
    for (const settings of [{}, { DATABASE_URL: await makeUrl('migrated') }]) {
      const bridge = await startTestBridge({
        settings: { ...settings, SCIM_REQUESTS_PER_SECOND: '0' },
      });
      targets.push({ bridge, ids: new Map() });
    }
  });

  afterAll(async () => {
    for (const { bridge } of targets) await bridge.stop();
  });

  test(`to the byte: ${REQUESTS.length} requests`, async () => {
    for (const asked of REQUESTS) {
      const [sqlite, postgres] = await Promise.all(targets.map((target) => answer(target, asked)));
      const { method, path, body } = asked;

      expect({ method, path, body, ...postgres }).toEqual({ method, path, body, ...sqlite });
      expect([method, path, sqlite?.status]).not.toEqual([method, path, 500]);
    }
  });
});
