import { beforeAll, describe, expect, test } from 'vitest';
import { bridgeForSuite } from '../support/bridge.ts';
import { readMetrics } from '../support/metrics.ts';
import { admit, listResources, replace, toPatch } from '../support/provider.ts';

const bridge = bridgeForSuite();
let ada: string;
let staff: string;
let shift: string;

beforeAll(async () => {
  ada = await bridge.addUser('ada', { externalId: 'ak-3', title: 'Pilot' });
  staff = await bridge.addGroup('Staff', [ada]);
  shift = await bridge.addGroup('Night Shift');
});

const findIds = async (path: string, filter: string) =>
  (await bridge.find(path, filter)).map(({ id }) => id);

async function countRepairs(): Promise<number> {
  const metrics = await readMetrics(bridge);
  const series = [...metrics].filter(([name]) => name.includes('filter-unquoted'));
  return series.reduce((sum, [, value]) => sum + value, 0);
}

test('the members of a search are known in any case, and one that is spelt right goes before', async () => {
  const asked = { FILTER: 'userName eq "ada@example.com"', Attributes: ['userName'] };
  const search = { ...asked, StartIndex: 1, COUNT: 1 };
  const user = { schemas: expect.anything(), id: ada, userName: 'ada@example.com' };
  for (const path of ['/Users/.search', '/.search']) {
    const found = await bridge.send('POST', path, search);
    expect(found.body).toMatchObject({ totalResults: 1, itemsPerPage: 1 });
    expect(listResources(found)).toEqual([user]);
  }
  const both = { ...search, filter: 'userName eq "nobody"' };
  expect((await bridge.send('POST', '/Users/.search', both)).body.totalResults).toBe(0);
  const cursor = await bridge.send('POST', '/Users/.search', { Cursor: '', Count: 1 });
  expect(cursor.body).toHaveProperty('itemsPerPage', 1);
});

test('a filter is followed behind any number of other parameters', async () => {
  const others = 'x=1&'.repeat(4_000);
  const filter = `filter=${encodeURIComponent('userName eq "nobody"')}`;
  for (const path of ['/Users', '/Groups', '/']) {
    const found = await bridge.send('GET', `${path}?${others}${filter}`);
    expect(found.body).toMatchObject({ totalResults: 0 });
  }
  const read = await bridge.send('GET', `/Users/${ada}?${others}attributes=title`);
  expect(read.body).toEqual({ schemas: expect.anything(), id: ada, title: 'Pilot' });
});

test('the parameters of an address are known in any case too: a filter overlooked would find everybody', async () => {
  const Filter = 'userName eq "ada@example.com"';
  const query = new URLSearchParams({ Filter, ATTRIBUTES: 'userName', Count: '1' });
  const user = { schemas: expect.anything(), id: ada, userName: 'ada@example.com' };
  for (const path of ['/Users', '/']) {
    const found = await bridge.send('GET', `${path}?${query}`);
    expect(found.body).toMatchObject({ totalResults: 1 });
    expect(listResources(found)).toEqual([user]);
  }
  query.set('filter', 'userName eq "nobody"');
  expect((await bridge.send('GET', `/Users?${query}`)).body.totalResults).toBe(0);

  const alone = await bridge.send('GET', `/Users/${ada}?excludedattributes=name,emails`);
  expect(alone.body).not.toHaveProperty('name');
  for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes/User']) {
    const described = await bridge.request('GET', `${path}?FILTER=id%20pr`);
    expect({ path, status: described.status }).toEqual({ path, status: 403 });
  }
});

test('a text without quotes at the base address is tried with users and with groups', async () => {
  for (const [filter, ids] of [
    ['userName eq ada@example.com', [ada]],
    ['emails[value eq ada@example.com]', [ada]],
    ['members.value eq "x" or displayName eq Staff', [staff]],
    ['externalId eq ak-3', [ada]],
  ] as const)
    expect(await findIds('/', filter)).toEqual(ids);
  const refused = new URLSearchParams({ filter: 'active eq Staff' });
  expect((await bridge.request('GET', `/?${refused}`)).status).toBe(400);
});

test('a parameter without a value is not given, but for a filter', async () => {
  const empty = 'sortBy=&sortOrder=&startIndex=&count=&attributes=&excludedAttributes=';
  const whole = await bridge.send('GET', '/Users');
  expect((await bridge.send('GET', `/Users?${empty}`)).body).toEqual(whole.body);
  const search = { filter: null, sortBy: '', count: null, attributes: '' };
  expect((await bridge.send('POST', '/Users/.search', search)).body).toEqual(whole.body);
  expect((await bridge.send('GET', '/Schemas?filter=')).body).toHaveProperty('Resources');
  const patch = toPatch(replace('displayName', 'Staff'));
  expect((await bridge.request('PATCH', `/Groups/${staff}?attributes=`, patch)).status).toBe(204);
});

test('a filter at the base address searches users and groups', async () => {
  const filter = 'userName eq "ada@example.com" or displayName eq "Staff"';

  expect(await findIds('/', filter)).toEqual([ada, staff]);
  expect((await bridge.request('GET', '/?filter=userName')).status).toBe(400);
  expect((await bridge.send('GET', '/')).body).toMatchObject({ totalResults: 4 });
});

test('a dot between a schema and its attribute is read as the colon, wherever attributes are named', async () => {
  const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
  const dora = await bridge.addUser('dora', { [enterprise]: { department: 'Flight' } });
  const filter = `${core}.userName sw "dora" and ${enterprise}.department eq "Flight"`;
  const ask = async (query: Record<string, string>) =>
    await bridge.list(`/Users?${new URLSearchParams(query)}`);

  expect(await findIds('/Users', filter)).toEqual([dora]);
  const schemas = expect.anything();
  const chosen = await ask({ filter, attributes: `${enterprise}.department` });
  expect(chosen).toEqual([{ schemas, id: dora, [enterprise]: { department: 'Flight' } }]);
  const excludedAttributes = `${core}.userName,${enterprise}.manager`;
  const [left] = await ask({ filter, excludedAttributes });
  expect(left).not.toHaveProperty('userName');
  const sorted = await ask({ sortBy: `${core}.userName`, sortOrder: 'descending' });
  expect(sorted).toEqual(await ask({ sortBy: `${core}:userName`, sortOrder: 'descending' }));
  expect(sorted).not.toEqual(await ask({}));
  await bridge.patch(`/Users/${dora}`, replace(`${enterprise}.department`, 'Ground'));
  const { body } = await bridge.send('GET', `/Users/${dora}`);
  expect(body[enterprise]).toEqual({ department: 'Ground' });
  await bridge.send('DELETE', `/Users/${dora}`);
});

describe('a text without its quotes', () => {
  test.each([
    ['Users', 'userName eq ada@example.com'],
    ['Users', 'emails[type eq work and value eq ada@example.com]'],
    ['Users', 'meta.lastModified gt 2001-01-01T00:00:00Z and externalId eq ak-3'],
    ['Groups', 'DisplayName EQ staff'],
  ])('%s with %s finds what is meant, and is counted', async (type, filter) => {
    const before = await countRepairs();

    expect(await findIds(`/${type}`, filter)).toEqual([type === 'Users' ? ada : staff]);
    expect(await countRepairs()).toBeGreaterThan(before);
  });

  test('may have several words, in the search of everything too', async () => {
    const before = await countRepairs();
    for (const path of ['/Groups', '/'])
      expect(await findIds(path, 'displayName eq Night Shift')).toEqual([shift]);
    expect(await countRepairs()).toBeGreaterThan(before);
  });

  test('names the value that a PATCH means, and is counted', async () => {
    const before = await countRepairs();
    const path = 'emails[type eq work].display';

    const { body } = await bridge.patch(`/Users/${ada}`, replace(path, 'At work'));

    expect(body).toMatchObject({ emails: [{ type: 'work', display: 'At work' }] });
    expect(await countRepairs()).toBe(before + 1);
  });

  test('names the member who leaves, also in a bulk request by a bulkId', async () => {
    const bob = await bridge.addUser('bob');
    const group = await bridge.addGroup('Leavers', [ada, bob]);
    await bridge.patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq ${bob}]` });
    expect(await bridge.readMemberIds(group)).toEqual([ada]);

    const data = { userName: 'eve@example.com' };
    const out = { op: 'remove', path: 'members[value eq bulkId:eve]' };
    const changes = [admit('bulkId:eve'), out].map((operation) => ({
      ...{ method: 'PATCH', path: `/Groups/${group}`, data: toPatch(operation) },
    }));
    const creation = { method: 'POST', path: '/Users', bulkId: 'eve', data };
    await bridge.send('POST', '/Bulk', { Operations: [creation, ...changes] });
    expect(await bridge.readMemberIds(group)).toEqual([ada]);
  });
});

test('white space around an address is no part of it, by the index and by a look at everybody', async () => {
  const spaced = await bridge.addUser('ida', { emails: [{ value: ' Ida@example.com\t' }] });
  const { body } = await bridge.send('GET', `/Users/${spaced}`);
  expect(body.emails).toEqual([{ value: 'Ida@example.com' }]);
  for (const address of ['ida@example.com', ' ida@example.com']) {
    const isHeld = address === address.trim();
    for (const rest of ['', ' and not (title eq "x")']) {
      const found = await findIds('/Users', `emails.value eq "${address}"${rest}`);
      expect(found).toEqual(isHeld ? [spaced] : []);
    }
  }
});

describe('a plus sign in an address', () => {
  let plus: string;

  beforeAll(async () => {
    plus = await bridge.addUser('eve+news', { title: 'C++ and "R+D"', nickName: 'a+b c' });
  });

  test.each([
    'Users?filter=userName%20eq%20%22eve+news@example.com%22',
    'Users?filter=userName%20eq%20%22eve+news@example.com%22%20and%20nickName%20eq%20%22a+b%20c%22',
    'Users?count=1&filter=emails%5Btype%20eq%20%22work%22%5D.value%20eq%20"eve+news@example.com"',
    'Users?filter=title%20eq%20%22C++%20and%20%5C%22R+D%5C%22%22',
    'Users?filter=title eq "C++ and \\"R+D\\""',
    '?filter=userName%20eq%20%22eve+news@example.com%22',
  ])('is itself where nothing is encoded as a form: %s', async (path) => {
    expect(await bridge.list(`/${path}`)).toMatchObject([{ id: plus }]);
  });

  test.each([
    'userName+eq+%22eve%2Bnews@example.com%22',
    'nickName+eq+%22a%2Bb+c%22',
    'nickName+eq+%22a%2Bb%20c%22',
  ])('is a space where it is one outside of quotes: %s', async (filter) => {
    expect(await bridge.list(`/Users?filter=${filter}&`)).toMatchObject([{ id: plus }]);
  });

  test.each(['displayName%20eq%20%22Night+Shift%22', 'displayName+eq+%22Night+Shift%22'])(
    'is a space in a text that may be of a form: %s',
    async (filter) => {
      expect(await bridge.list(`/Groups?filter=${filter}`)).toMatchObject([{ id: shift }]);
    },
  );

  test('is one in the offset of a moment, too', async () => {
    const filter = 'meta.lastModified%20gt%20%222001-01-01T00:00:00+02:00%22';

    const found = await bridge.send('GET', `/Groups?filter=${filter}`);

    expect(found.body.totalResults).toBe((await bridge.list('/Groups')).length);
  });
});

test('a backslash that begins no escape is itself, also in the path of a PATCH', async () => {
  const display = 'CORP\\ada';
  const emails = [{ value: 'c@d', display }];
  const user = await bridge.addUser('corp', { userName: display, emails });
  const group = await bridge.addGroup('CORP\\Sales');
  for (const [path, filter, id] of [
    ['/Users', `userName eq "${display}"`, user],
    ['/Groups', 'displayName eq "CORP\\Sales"', group],
    ['/Groups', 'displayName eq "CORP\\\\Sales"', group],
  ] as const)
    expect(await findIds(path, filter)).toEqual([id]);

  const change = replace(`emails[display eq "${display}"].type`, 'work');
  const { body } = await bridge.patch(`/Users/${user}`, change);

  expect(body.emails).toEqual([{ value: 'c@d', display, type: 'work' }]);
});
