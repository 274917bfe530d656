import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, type TestAnswer, toPatch, toUser } from '../support/provider.ts';
import { type RawRequest, sendRaw } from '../support/send-raw.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const bridge = forSuite(() => startTestBridge({}));

/** JSON in which a number stands for each `@`: no program that only knows numbers could write it. */
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
        const patch = await sendText(
          'PATCH',
          `/Users/${id}`,
          withNumber(toPatch(...operations), number),
        );
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
      const query = new URLSearchParams({ filter });
      const [found] = await bridge.list(`/Users?${query}`);
      expect(found).toMatchObject({ externalId: number, [ENTERPRISE]: { costCenter: number } });
    }
    const neighbour = new URLSearchParams({ filter: 'externalId eq "76561198000000000"' });
    expect(await bridge.list(`/Users?${neighbour}`)).toEqual([]);
  });

  test('beside texts that look like numbers, which stay what they are', async () => {
    const title = 'a: 1.10, [2.50, "3.0": 4.00] \\" , 5.00 \\\\';
    const body = withNumber(
      toUser('beside', { title, displayName: title, externalId: '@' }),
      '7.70',
    );

    const { body: shown } = await sendText('POST', '/Users', body);

    expect(shown).toMatchObject({ title, displayName: title, externalId: '7.70' });
  });
});

describe('a number that a number cannot hold', () => {
  const refused = ['9007199254740993', '1.5', '1e400'];
  for (const number of refused) {
    test(`${number} is refused where a whole number belongs, and changes nothing`, async () => {
      const name = `whole${refused.indexOf(number)}`;
      const user = toUser(name, { [USER_EXTENSION]: { appsPermissions: '@' } });
      const created = await sendText('POST', '/Users', withNumber(user, number));
      expect(created).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });

      const id = await bridge.addUser(name);
      const before = await read(id);
      for (const [path, value] of [
        [`${USER_EXTENSION}:appsPermissions`, '@'],
        [USER_EXTENSION, { appsPermissions: '@' }],
      ] as const) {
        const patch = withNumber(toPatch(replace(path, value)), number);
        const patched = await sendText('PATCH', `/Users/${id}`, patch);
        expect(patched).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
      }
      const put = await sendText('PUT', `/Users/${id}`, withNumber(user, number));
      expect(put.status).toBe(400);
      expect(await read(id)).toEqual(before);
    });
  }
});

describe('a body that is not UTF-8 is refused', () => {
  const latin1 = (body: object) => Buffer.from(JSON.stringify(body), 'latin1');
  const müller = toUser('mueller', { displayName: 'Müller' });

  test.each<[RawRequest['method'], string, object]>([
    ['POST', '/Users', müller],
    ['POST', '/Groups', { displayName: 'Müller' }],
    [
      'POST',
      '/Bulk',
      { Operations: [{ method: 'POST', path: '/Users', bulkId: 'a', data: müller }] },
    ],
    ['POST', '/Users/.search', { filter: 'displayName eq "Müller"' }],
    ['POST', '/.search', { filter: 'displayName eq "Müller"' }],
  ])('%s %s', async (method, path, body) => {
    const answer = await sendRaw(bridge, { method, path, body: latin1(body) });

    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidSyntax' } });
    const query = new URLSearchParams({ filter: 'userName eq "mueller@example.com"' });
    expect(await bridge.list(`/Users?${query}`)).toEqual([]);
  });

  test('nor is a query: nobody is said not to be there under another name', async () => {
    const path = '/Users?filter=displayName%20eq%20%22M%FCller%22';

    const answer = await sendRaw(bridge, { method: 'GET', path });

    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  });

  test('another encoding than UTF-8 is refused by its name', async () => {
    const headers = { 'content-type': 'application/scim+json; charset=utf-16' };
    const body = Buffer.from(JSON.stringify(müller), 'utf16le');

    expect((await sendRaw(bridge, { method: 'POST', path: '/Users', headers, body })).status).toBe(
      415,
    );
  });

  test('UTF-8 that says so, with a byte order mark, is read', async () => {
    const headers = { 'content-type': 'application/scim+json; charset="UTF-8"' };
    const body = Buffer.from(`\uFEFF${JSON.stringify(müller)}`);

    const answer = await sendRaw(bridge, { method: 'POST', path: '/Users', headers, body });

    expect(answer).toMatchObject({ status: 201, body: { displayName: 'Müller' } });
  });
});

describe('a certificate that is no base64', () => {
  const pem = `-----BEGIN CERTIFICATE-----\n${'QUJD'.repeat(400)}\n-----END CERTIFICATE-----\n`;
  const x509Certificates = [{ value: pem, type: 'signing' }, { value: 'QUJD!' }];

  test('keeps nobody from being deactivated', async () => {
    const id = await bridge.addUser('leaver', {});
    const leaver = toUser('leaver', { active: false, x509Certificates });

    const { body } = await bridge.send('PUT', `/Users/${id}`, leaver);

    expect(body).toMatchObject({ active: false, x509Certificates });
  });
});
