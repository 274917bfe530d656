import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, listResources, send } from '../support/provider.ts';

const USER = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

let bridge: TestBridge;
let ada: string;
let staff: string;

beforeAll(async () => {
  bridge = await startTestBridge();
  ada = await addUser(bridge, 'ada', { title: 'Pilot' });
  staff = await addGroup(bridge, 'Staff', [ada]);
});

afterAll(() => bridge.stop());

async function search(type: 'Users' | 'Groups', filter: string): Promise<unknown[]> {
  const found = await send(bridge, 'POST', `/${type}/.search`, { filter });
  return listResources(found)
    .map(({ id }) => id)
    .filter((id) => id === ada || id === staff);
}

/** An attribute that ada has not, by what the schemas say of it. */
const absent: readonly (readonly [string, string])[] = [
  ['known and without a value', 'nickName eq "x"'],
  ['unknown', 'nonsense eq "x"'],
  ['unknown below a list', 'emails.nonsense eq "x"'],
  ['unknown in an extension', `${USER}:nonsense eq "x"`],
  ['of an unknown extension', 'urn:example:nothing:1.0:User:x eq "x"'],
  ['of a type that has no such value', 'userName eq true'],
  ['a number that is a text', `${USER}:role eq "one"`],
  ['complex, and without a value of its own', 'addresses eq "x"'],
  ['null', 'title eq null'],
];

describe('an attribute that equals nothing', () => {
  test.each(absent)('%s: not, ne and eq agree', async (_, equals) => {
    const differs = equals.replace(' eq ', ' ne ');

    expect(await search('Users', equals)).toEqual([]);
    expect(await search('Users', differs)).toEqual([ada]);
    expect(await search('Users', `not (${equals})`)).toEqual([ada]);
    expect(await search('Users', `not (${differs})`)).toEqual([]);
  });

  test('has no value', async () => {
    for (const name of ['nickName', 'nonsense', `${USER}:nonsense`, 'emails.nonsense']) {
      expect(await search('Users', `${name} eq null`)).toEqual([ada]);
      expect(await search('Users', `${name} ne null`)).toEqual([]);
      expect(await search('Users', `${name} pr`)).toEqual([]);
      expect(await search('Users', `not (${name} pr)`)).toEqual([ada]);
      expect(await search('Users', `${name} gt "a" or ${name} co "a"`)).toEqual([]);
    }
  });

  test('may belong to another type of resource', async () => {
    expect(await search('Groups', 'userName ne "x" and displayName eq "Staff"')).toEqual([staff]);
    expect(await search('Groups', 'userName eq "x" or displayName eq "Staff"')).toEqual([staff]);
    expect(await search('Groups', 'userName pr')).toEqual([]);
  });

  test('inside an element is judged as outside', async () => {
    expect(await search('Users', 'emails[nonsense ne "x"]')).toEqual([ada]);
    expect(await search('Users', 'emails[not (nonsense eq "x")]')).toEqual([ada]);
    expect(await search('Users', 'emails[nonsense pr]')).toEqual([]);
    expect(await search('Users', 'nonsense[value ne "x"]')).toEqual([]);
  });
});

test('a number in quotes is the number', async () => {
  const licensed = await addUser(bridge, 'licensed', { [USER]: { appsPermissions: 1 } });
  for (const written of ['1', '"1"']) {
    const filter = `${USER}:appsPermissions eq ${written}`;
    const found = await send(bridge, 'POST', '/Users/.search', { filter });
    expect(listResources(found).map(({ id }) => id)).toContain(licensed);
  }
});
