import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import type { TestAnswer } from '../support/provider.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';
import type { RawRequest } from '../support/send-raw.ts';
import { sendRaw } from '../support/send-raw.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const bridge = bridgeForSuite();

function withNumber(body: object, number: string): string {
  return JSON.stringify(body).replaceAll('"@"', number);
}

function sendText(method: RawRequest['method'], path: string, body: string): Promise<TestAnswer> {
  return sendRaw(bridge, { method, path, body });
}

async function read(id: string): Promise<JsonObject> {
  return (await bridge.send('GET', `/Users/${id}`)).body;
}

/** Numbers that are other numbers, or written otherwise, once they were read as one. */
const numbers = ['76561198000000001', '1.10', '-0', '1E400'];

describe('a number where a text belongs is kept as it was written', () => {
  for (const [index, number] of numbers.entries()) {
    test(`${number}, by POST, PUT and PATCH in all their forms`, async () => {
      const name = `number${index}`;
      const user = toUser(name, {
        externalId: '@',
        phoneNumbers: [{ value: '@', type: 'work' }],
        [ENTERPRISE]: { employeeNumber: '@', manager: { value: '@' } },
      });
      const kept = {
        externalId: number,
        phoneNumbers: [{ value: number, type: 'work' }],
        [ENTERPRISE]: { employeeNumber: number, manager: { value: number } },
      };
      const none = toUser(name, { externalId: null, phoneNumbers: [], [ENTERPRISE]: null });

      const created = await sendText('POST', '/Users', withNumber(user, number));
      expect(created).toMatchObject({ status: 201, body: kept });
      const id = String(created.body.id);
      await bridge.send('PUT', `/Users/${id}`, none);
      expect(await read(id)).not.toHaveProperty('externalId');
      await sendText('PUT', `/Users/${id}`, withNumber(user, number));
      expect(await read(id)).toMatchObject(kept);

      const patches = [
        [replace('externalId', '@')],
        [{ op: 'replace', value: { externalId: '@', [`${ENTERPRISE}:employeeNumber`]: '@' } }],
        [{ op: 'add', path: `${ENTERPRISE}:manager`, value: '@' }],
        [{ op: 'add', path: 'phoneNumbers', value: ['@'] }],
        [replace('phoneNumbers[type eq "work"].value', '@')],
        [replace('phoneNumbers[type eq "work"]', { value: '@' })],
        [replace(ENTERPRISE, { employeeNumber: '@' })],
      ];
      for (const operations of patches) {
        await bridge.send('PUT', `/Users/${id}`, none);
        const body = withNumber(toPatch(...operations), number);
        const patch = await sendText('PATCH', `/Users/${id}`, body);
        expect(patch.status).toBe(200);
        expect(JSON.stringify(patch.body)).toContain(`"${number}"`);
        expect(JSON.stringify(await read(id))).toContain(`"${number}"`);
      }
    });
  }

  test('in a bulk request, and in the filter that finds it again', async () => {
    const number = '76561198000000003';
    const data = toUser('inbulk', { externalId: '@', [ENTERPRISE]: { costCenter: '@' } });
    const operation = { method: 'POST', path: '/Users', bulkId: 'a', data };
    await sendText('POST', '/Bulk', withNumber({ Operations: [operation] }, number));
    for (const filter of [`externalId eq ${number}`, `externalId eq "${number}"`]) {
      const [found] = await bridge.find('/Users', filter);
      expect(found).toMatchObject({ externalId: number, [ENTERPRISE]: { costCenter: number } });
    }
    expect(await bridge.find('/Users', 'externalId eq "76561198000000000"')).toEqual([]);
  });
});

describe('a body that is not UTF-8 is refused', () => {
  const latin1 = (body: object) => Buffer.from(JSON.stringify(body), 'latin1');
  const müller = toUser('mueller', { displayName: 'Müller' });
  const creation = { method: 'POST', path: '/Users', bulkId: 'a' };

  test.each<[RawRequest['method'], string, object]>([
    ['POST', '/Users', müller],
    ['POST', '/Groups', { displayName: 'Müller' }],
    ['POST', '/Bulk', { Operations: [{ ...creation, data: müller }] }],
    ['POST', '/Users/.search', { filter: 'displayName eq "Müller"' }],
    ['POST', '/.search', { filter: 'displayName eq "Müller"' }],
  ])('%s %s', async (method, path, body) => {
    const answer = await sendRaw(bridge, { method, path, body: latin1(body) });

    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } });
    expect(await bridge.find('/Users', 'userName eq "mueller@example.com"')).toEqual([]);
  });

  test('nor is a query: nobody is said not to be there under another name', async () => {
    const path = '/Users?filter=displayName%20eq%20%22M%FCller%22';

    const answer = await sendRaw(bridge, { method: 'GET', path });

    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  });

  test('UTF-8 that says so, with a byte order mark, is read', async () => {
    const headers = { 'content-type': 'application/scim+json; charset="UTF-8"' };
    const body = Buffer.from(`\uFEFF${JSON.stringify(müller)}`);

    const answer = await sendRaw(bridge, { method: 'POST', path: '/Users', headers, body });

    expect(answer).toMatchObject({ status: 201, body: { displayName: 'Müller' } });
  });
});

describe('values refused', () => {
  const bridge = bridgeForSuite({ settings: { SCIM_REQUESTS_PER_SECOND: '0' } });
  let ada: string;

  beforeAll(async () => {
    ada = await bridge.addUser('ada', { title: 'Pilot', externalId: 'e-1' });
    await bridge.addUsers(3);
  });

  /** A value, and what is kept of it; undefined: nothing, so that it is refused. */
  const values: readonly (readonly [string, JsonValue, JsonValue | undefined])[] = [
    ['title', ['a', 'b'], undefined],
    ['title', { first: 'X' }, undefined],
    ['title', ['X'], 'X'],
    ['title', { title: 'X' }, 'X'],
    ['title', { value: 'X' }, 'X'],
    ['externalId', ['x', 'y'], undefined],
    ['name', { givenName: { first: 'A' } }, undefined],
    ['name', 'Ada B', { formatted: 'Ada B' }],
    ['nickName', [{ a: 1 }], undefined],
    ['roles', [{ value: { a: 1 } }], undefined],
    ['roles', [{ shoeSize: 1 }], undefined],
    ['roles', [{ value: 'r', primary: 'perhaps' }], undefined],
    [ENTERPRISE, 'x', undefined],
    [ENTERPRISE, { manager: { id: 'x' } }, undefined],
    [ENTERPRISE, { manager: { value: 'x' } }, { manager: { value: 'x' } }],
  ];

  /** The same value in every way that a provider has to send it. */
  function listRequests(name: string, value: JsonValue) {
    const path = `/Users/${ada}`;
    const whole = { op: 'replace', value: { [name]: value } };
    const patches = [replace(name, value), { op: 'add', path: name, value }, whole];
    return [
      ...patches.map((one) => ({ method: 'PATCH', path, body: toPatch(one) })),
      { method: 'PUT', path, body: { ...toUser('ada'), [name]: value } },
      { method: 'POST', path: '/Users', body: { ...toUser('new'), [name]: value } },
    ];
  }

  test.each(values)(
    'one value is taken out of what stands around it, and what is none is refused: %s: %j',
    async (name, value, want) => {
      const before = (await bridge.send('GET', `/Users/${ada}`)).body;
      for (const { method, path, body } of listRequests(name, value)) {
        const answer = await bridge.request(method, path, body);
        const taken = { status: method === 'POST' ? 201 : 200, body: { [name]: want } };
        const refused = { status: 400, body: { scimType: 'invalidValue' } };
        expect(answer).toMatchObject(want === undefined ? refused : taken);
        if (answer.status === 201) await bridge.send('DELETE', `/Users/${answer.body.id}`);
      }
      if (want !== undefined) return;
      expect((await bridge.send('GET', `/Users/${ada}`)).body).toEqual(before);
    },
  );

  test('a filter that is blank finds nobody', async () => {
    const refused = { status: 400, body: { scimType: 'invalidFilter' } };
    for (const path of ['/Users?filter=', '/Groups?filter=%20', '/?filter=', '/Roles?filter='])
      expect(await bridge.request('GET', path)).toMatchObject(refused);
    for (const path of ['/Users/.search', '/Groups/.search', '/.search'])
      expect(await bridge.request('POST', path, { filter: '' })).toMatchObject(refused);
  });

  describe('bodies of JSON', () => {
    test.each([
      ...['application/json+scim', 'text/json', 'application/scim+json; charset=utf-8'],
      ...['application/vnd.api+json', ''],
    ])('as %j', async (type) => {
      const body = JSON.stringify(toPatch(replace('title', type || 'none')));
      const answer = await sendRaw(bridge, {
        ...{ method: 'PATCH', path: `/Users/${ada}`, body },
        headers: { 'content-type': type === '' ? undefined : type },
      });
      expect(answer).toMatchObject({ status: 200, body: { title: type || 'none' } });
    });

    test.each(['text/plain', 'application/xml', 'application/jsonp'])('not as %s', async (type) => {
      const answer = await bridge.request('POST', '/Users', toUser('x'), { 'content-type': type });
      expect(answer.status).toBe(415);
    });
  });

  test('a resource says where it is', async () => {
    const group = await bridge.addGroup('Somewhere');
    for (const path of [`/Users/${ada}`, `/Groups/${group}`]) {
      const read = await bridge.send('GET', path);
      expect(read.headers['content-location']).toBe(Object(read.body.meta).location);
      const written = await bridge.send('PUT', path, read.body);
      expect(written.headers['content-location']).toBe(Object(read.body.meta).location);
    }
    const made = await bridge.send('POST', '/Users', toUser('where'));
    expect(made.headers.location).toBe(Object(made.body.meta).location);
  });
});

describe('recognised people', () => {
  type Names = readonly [userName: string, email: string];
  const A5 = 'a5@example.com';
  const cases: readonly (readonly [why: string, account: Names, person: Names])[] = [
    ['of the same userName', ['a1@example.com', 'o1@example.com'], ['a1@example.com', 'b1@x.com']],
    ['of the same address', ['zz2', 'a2@example.com'], ['b2', 'a2@example.com']],
    ['whose userName is the address', ['a3@example.com', 'o3@x.com'], ['b3', 'a3@example.com']],
    ['whose address is the userName', ['zz4', 'a4@example.com'], ['a4@example.com', 'b4@x.com']],
    ['whatever the case', [A5, A5], ['A5@Example.com', 'A5@EXAMPLE.com']],
  ];

  const bridge = bridgeForSuite({
    prepare({ service }) {
      for (const [, [userName, email]] of cases)
        service.addUser({ userName, email, fullName: 'Ada Example' });
    },
  });

  const toPerson = (name: string, [userName, email]: Names) =>
    toUser(name, { userName, emails: [{ value: email, primary: true }] });

  async function findListed(email: string): Promise<JsonObject | undefined> {
    const all = await bridge.list('/Users?count=1000');
    return all.find(({ emails }) => JSON.stringify(emails).includes(`"${email}"`));
  }

  test.each(cases)('a new person is the account %s', async (_, [, email], person) => {
    const listed = await findListed(email);
    const before = bridge.sandbox.service.users().length;

    const { body } = await bridge.settled(bridge.send('POST', '/Users', toPerson('ada', person)));

    expect(body.id).toBe(listed?.id);
    expect(bridge.sandbox.service.users()).toHaveLength(before);
  });

  test('a new person has the account of a deleted one with the address, under a new id', async () => {
    const names = ['c1@example.com', 'c1@example.com'] as const;
    const first = await bridge.send('POST', '/Users', toPerson('carl', names));
    await bridge.settled(bridge.send('DELETE', `/Users/${String(first.body.id)}`));
    const before = bridge.sandbox.service.users().length;

    const renamed = toPerson('carl', ['d1', 'c1@example.com']);
    const second = await bridge.settled(bridge.send('POST', '/Users', renamed));

    expect(second.body.id).not.toBe(first.body.id);
    expect(bridge.sandbox.service.users()).toHaveLength(before);
    expect(bridge.sandbox.service.getUser('c1@example.com').active).toBe(true);
  });
});
