import { Client } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { expectScimError } from '../support/attack.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';
import type { RawRequest } from '../support/send-raw.ts';
import { sendRaw } from '../support/send-raw.ts';

const publicUrl = 'https://scim.example.com/bridge';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

const bridge = bridgeForSuite({ publicUrl });
let ada: string;
let pilots: string;
let names = 0;

beforeAll(async () => {
  ada = await bridge.addUser('ada', { profileUrl: 'https://example.com//ada' });
  pilots = await bridge.addGroup('Pilots', [ada]);
});

const routes: { path: () => string; allow: string; refused: RawRequest['method'][] }[] = [
  { path: () => '/', allow: 'GET, HEAD', refused: ['POST', 'PUT', 'PATCH', 'DELETE'] },
  { path: () => '/Users', allow: 'GET, POST, HEAD', refused: ['PUT', 'PATCH', 'DELETE'] },
  { path: () => `/Users/${ada}`, allow: 'GET, PUT, PATCH, DELETE, HEAD', refused: ['POST'] },
  { path: () => '/Users/.search', allow: 'POST', refused: ['GET', 'PUT', 'PATCH', 'DELETE'] },
  { path: () => '/Groups', allow: 'GET, POST, HEAD', refused: ['PUT', 'PATCH', 'DELETE'] },
  { path: () => `/Groups/${pilots}`, allow: 'GET, PUT, PATCH, DELETE, HEAD', refused: ['POST'] },
  { path: () => '/Groups/.search', allow: 'POST', refused: ['GET', 'PUT', 'PATCH', 'DELETE'] },
  { path: () => '/.search', allow: 'POST', refused: ['GET', 'PUT', 'PATCH', 'DELETE'] },
  { path: () => '/Bulk', allow: 'POST', refused: ['GET', 'PUT', 'PATCH', 'DELETE'] },
];
for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/ResourceTypes/User', '/Schemas'])
  routes.push({
    ...{ path: () => path, allow: 'GET, HEAD', refused: ['POST', 'PUT', 'PATCH', 'DELETE'] },
  });

type Headers = NonNullable<RawRequest['headers']>;
const get = (path: string, headers: Headers = {}) =>
  sendRaw(bridge, { method: 'GET', path, headers });
const write = (method: 'POST' | 'PUT' | 'PATCH', path: string, body: string) =>
  sendRaw(bridge, { method, path, body });

describe('routes', () => {
  for (const { path, allow, refused } of routes) {
    for (const method of refused) {
      test(`${method} where ${allow} are possible is 405 with Allow`, async () => {
        const answer = await sendRaw(bridge, { method, path: path() });

        expectScimError(answer, 405);
        expect(answer.headers.allow).toBe(allow);
      });
    }
  }

  const outside = ['/../v1/Users', '/../../nope', '/../../'];
  const below = ['/Nope', '/Users/1/2', '/Groups/1/members', '/Schemas/urn:x', '/users/..%2f'];
  test.each([...below, ...outside])('nothing is served at %s: 404', async (path) =>
    expectScimError(await get(`${bridge.baseUrl}${path}`), 404),
  );

  test('what is described is found in any case: a URN has none', async () => {
    for (const path of [`/Schemas/${USER.toUpperCase()}`, '/ResourceTypes/group']) {
      const { status, body } = await sendRaw(bridge, { method: 'GET', path });

      expect(status).toBe(200);
      expect([USER, 'Group']).toContain(body.id);
    }
  });

  test('an address that was joined with a slash too many is served', async () => {
    const found = await get(`//Users/${ada}?attributes=id`);

    expect(found).toMatchObject({ status: 200, body: { id: ada } });
    expectScimError(await get('//Nope'), 404);
    for (const path of [`/Users//${ada}`, `//Users///${ada}/`])
      expect(await sendRaw(bridge, { method: 'GET', path })).toMatchObject({ body: { id: ada } });
    const filter = `profileUrl%20eq%20"https://example.com//ada"`;
    expect((await get(`/Users?filter=${filter}`)).body).toMatchObject({ totalResults: 1 });
  });

  test('an address that names the host as well is the one of its path', async () => {
    const host = 'https://scim.example.com:8443';
    const user = `/scim/v2/Users/${ada}`;

    for (const path of [`${user}?attributes=id`, `/scim/v2//Users/${ada}`, `${user}?x=http://b`]) {
      const found = await askWithOrigin('GET', `${host}${path}`);

      expect(found).toMatchObject({ status: 200, body: { id: ada } });
    }
    const title = toPatch(replace('title', 'Countess'));
    const written = await askWithOrigin('PATCH', `${host}${user}`, title);
    expect(written).toMatchObject({ status: 200, body: { title: 'Countess' } });
    expect(await askWithOrigin('GET', `${host}/healthz`)).toMatchObject({ status: 200 });
    for (const path of ['', '?x', '/Users'])
      expect(await askWithOrigin('GET', `${host}${path}`)).toMatchObject({ status: 404 });
  });

  test('/Me is 501', async () => expectScimError(await get('/Me'), 501));

  test('HEAD has the headers of GET and no body', async () => {
    const path = `/Users/${ada}`;
    const get = await sendRaw(bridge, { method: 'GET', path });

    const head = await sendRaw(bridge, { method: 'HEAD', path });

    expect(head).toMatchObject({ status: 200, text: '', headers: { etag: get.headers.etag } });
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
  });
});

describe('bodies', () => {
  test.each([
    { headers: { 'content-type': 'text/plain' }, body: 'goodbye' },
    { headers: { 'content-type': 'application/json' }, body: '{' },
    { headers: { 'content-type': undefined }, body: Buffer.from([0xff, 0xfe]) },
  ])('a DELETE is done whatever comes with it: $headers $body', async ({ headers, body }) => {
    names += 1;
    const path = `/Users/${await bridge.addUser(`leaver${names}`)}`;

    expect((await sendRaw(bridge, { method: 'DELETE', path, headers, body })).status).toBe(204);
    expectScimError(await sendRaw(bridge, { method: 'GET', path }), 404);
  });

  const encodings = [
    { 'content-type': 'application/json; charset=latin-7' },
    { 'content-encoding': 'middle-out' },
  ];
  for (const headers of encodings) {
    test(`${Object.values(headers).join()} is 415`, async () => {
      const answer = await sendRaw(bridge, { method: 'POST', path: '/Users', headers, body: '{}' });

      expectScimError(answer, 415);
    });
  }

  const single = ['{', '{"userName":}', 'null', '1', '"text"', '[]', '[{}]'];
  for (const body of [...single, '{"a":1}{"a":2}', '\u0000', '']) {
    test(`${JSON.stringify(body)} is no User and no PATCH: 400`, async () => {
      expectScimError(await write('POST', '/Users', body), 400);
      expectScimError(await write('PUT', `/Groups/${pilots}`, body), 400);
      expectScimError(await write('PATCH', `/Users/${ada}`, body), 400);
    });
  }
});

describe('versions', () => {
  test('If-None-Match of the version held is 304 without a body, of another one 200', async () => {
    const path = `/Users/${ada}`;
    const etag = String((await bridge.send('GET', path)).headers.etag);

    const held = await get(path, { 'if-none-match': etag });
    const listed = await get(path, { 'if-none-match': `W/"0", ${etag}` });
    const other = await get(path, { 'if-none-match': 'W/"0"' });

    expect([held.status, listed.status, other.status]).toEqual([304, 304, 200]);
    expect(held).toMatchObject({ text: '', headers: { etag } });
  });

  test('If-Match of another version is 412 for a reader too', async () => {
    for (const path of [`/Users/${ada}`, `/Groups/${pilots}`]) {
      const etag = String((await bridge.send('GET', path)).headers.etag);
      const read = async (ifMatch: string) =>
        (await bridge.request('GET', path, undefined, { 'if-match': ifMatch })).status;

      expect([await read(etag), await read('*'), await read('W/"99"')]).toEqual([200, 200, 412]);
    }
  });

  test('If-Match of another version is 412 and changes nothing, of the one held it is done', async () => {
    const path = `/Users/${await bridge.addUser('mia')}`;
    const headers = { 'if-match': 'W/"99"' };
    const patch = toPatch(replace('active', false));
    const removal = toPatch({ op: 'remove', path: 'members' });

    const refused = [
      await bridge.request('PATCH', path, patch, headers),
      await bridge.request('PUT', path, toUser('mia', { title: 'x' }), headers),
      await bridge.request('DELETE', path, undefined, headers),
      await bridge.request('PATCH', `/Groups/${pilots}`, removal, headers),
      await bridge.request('DELETE', `/Groups/${pilots}`, undefined, headers),
    ];
    const current = await bridge.send('GET', path);
    const etag = String(current.headers.etag);
    const done = await bridge.request('PATCH', path, patch, { 'if-match': etag });
    const again = await bridge.request('PATCH', path, patch, { 'if-match': etag });

    for (const answer of refused) expectScimError(answer, 412);
    expect(current.body).toMatchObject({ active: true });
    expect([done.status, again.status]).toEqual([200, 412]);
    expect((await bridge.request('DELETE', path, undefined, { 'if-match': '*' })).status).toBe(204);
  });
});

test('addresses start with PUBLIC_URL, whatever the request says of its host', async () => {
  const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
  const headers = { ...evil, 'x-forwarded-proto': 'gopher', forwarded: 'host=evil.example' };
  const user = JSON.stringify(toUser('kim'));

  const answers = [
    await sendRaw(bridge, { method: 'POST', path: '/Users', headers, body: user }),
    await get('/Users?count=2', headers),
    await get(`/Groups/${pilots}`, headers),
    ...[await get('/ServiceProviderConfig', headers), await get('/Schemas', headers)],
    await get('/', headers),
  ];

  const [created] = answers;
  const location = `${publicUrl}/scim/v2/Users/${String(created?.body.id)}`;
  expect(created?.headers.location).toBe(location);
  expect(created?.body.meta).toMatchObject({ location });
  for (const { text } of answers) {
    expect(text).toContain(`${publicUrl}/scim/v2/`);
    expect(text).not.toContain('evil.example');
    expect(text).not.toContain(new URL(bridge.baseUrl).host);
  }
});

test('the type of an answer is that of SCIM, or plain JSON for a client that accepts nothing else', async () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    [undefined, 'application/scim+json; charset=utf-8'],
    ['*/*', 'application/scim+json; charset=utf-8'],
    ['application/scim+json, application/json', 'application/scim+json; charset=utf-8'],
    ['text/html', 'application/scim+json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    ['text/html, Application/JSON;q=0.9', 'application/json; charset=utf-8'],
  ];
  for (const [accept, type] of cases) {
    for (const path of ['/Users', '/Users/nobody', '/Schemas']) {
      const { headers } = await bridge.request('GET', path, undefined, { accept });
      expect([accept, path, headers['content-type']]).toEqual([accept, path, type]);
    }
  }
});

async function askWithOrigin(method: 'GET' | 'PATCH', path: string, sent?: JsonObject) {
  const client = new Client(new URL(bridge.baseUrl).origin);
  try {
    const headers = { 'content-type': 'application/scim+json' };
    const body = sent === undefined ? null : JSON.stringify(sent);
    const authorization = `Bearer ${bridge.token}`;
    const answer = await client.request({
      ...{ method, path, headers: { ...headers, authorization }, body },
    });
    return { status: answer.statusCode, body: await answer.body.json() };
  } finally {
    await client.close();
  }
}
