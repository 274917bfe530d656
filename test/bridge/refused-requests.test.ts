import { beforeAll, describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { toObjects } from '../support/operator.ts';
import type { TestAnswer } from '../support/provider.ts';
import { admit, expel, replace, toGroup, toPatch, toUser } from '../support/provider.ts';

const bridge = bridgeForSuite();
let ada: string;
let pilots: string;

beforeAll(async () => {
  ada = await bridge.addUser('ada');
  pilots = await bridge.addGroup('Pilots', [ada]);
});

const LONG = 'x'.repeat(600);

function tells(scimType: string, request: string, detail: string, toBody: () => JsonObject) {
  const [method = '', path = ''] = request.split(' ');
  test(`${scimType} of ${method} is told with what and where`, async () => {
    const target = path.replace(/ada$/, ada).replace(/pilots$/, pilots);
    const answer = await bridge.request(method, target, toBody());

    expect(answer.body).toMatchObject({ scimType, detail });
  });
}

const NAME = 'Another User already has this userName.';
const ADDRESS = 'Another User already has this e-mail address.';
const NO_VALUE = 'Value 2 of members: Each of the members needs a value: the id of a user.';
const NO_USERS = 'Value 3 of members is not the id of a User, nor are 2 more.';
const NO_USER = 'Value 3 of members is not the id of a User.';
const TOO_LONG = 'Value 2 of emails: emails is longer than 512 characters.';

tells('uniqueness', 'POST /Users', NAME, () => toUser('ada'));
tells('uniqueness', 'POST /Users', ADDRESS, () =>
  toUser('eve', { emails: [{ value: 'ADA@example.com' }] }),
);
tells('invalidValue', 'POST /Groups', NO_VALUE, () => ({
  ...toGroup('New'),
  members: [{ value: ada }, { display: 'x' }],
}));
tells('invalidValue', 'PUT /Groups/pilots', NO_USERS, () => ({
  ...toGroup('Pilots'),
  Members: [ada, { VALUE: ada }, 'a', { value: 'b' }, 'c'],
}));
tells('invalidValue', 'PATCH /Groups/pilots', NO_USER, () =>
  toPatch({ op: 'replace', value: { members: [{ value: ada }, ada, 'nobody'] } }),
);
tells('invalidValue', 'POST /Users', TOO_LONG, () =>
  toUser('eve', { emails: [{ value: 'eve@example.com' }, { value: LONG }] }),
);
tells('invalidValue', 'PATCH /Groups/pilots', `Operation 2: ${NO_VALUE.replace('2', '1')}`, () =>
  toPatch(admit(ada), { op: 'add', path: 'members', value: ['', {}] }),
);
tells('invalidValue', 'PATCH /Groups/pilots', `Operation 4: ${NO_USER}`, () =>
  toPatch(admit(ada), expel('nobody'), admit(ada), admit(ada, ada, 'nobody')),
);
tells('noTarget', 'PATCH /Users/ada', 'Operation 2: No value of roles fits the filter.', () =>
  toPatch(replace('title', 'x'), replace('roles[value eq "none"].display', 'x')),
);
tells('invalidValue', 'POST /Users', 'The value of appsPermissions is no integer.', () =>
  toUser('eve', { [USER_EXTENSION]: { appsPermissions: 'x' } }),
);

test('an address that no service can take is refused before the service is asked', async () => {
  const before = bridge.sandbox.calls.count();
  const other = { value: 'other@example.com' };
  // Of equal values one is kept, of empty ones none.
  const emails = [other, other, '', { Value: ' nowhere ', primary: true }];
  const detail = expect.stringMatching(/^The address in emails .* is no e-mail address/);

  const created = await bridge.request('POST', '/Users', toUser('eve', { emails }));
  const replaced = await bridge.request('PUT', `/Users/${ada}`, toUser('ada', { emails }));
  const patched = await bridge.tryPatch(`/Users/${ada}`, replace('emails', emails));

  for (const answer of [created, replaced, patched])
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue', detail } });
  expect(bridge.sandbox.calls.count()).toBe(before);
  expect(await bridge.find('/Users', 'userName eq "eve@example.com"')).toEqual([]);
});

test('an address that is left when others go is refused as one of the user', async () => {
  const emails = [{ value: 'kim@example.com', primary: true }, { value: 'nowhere' }];
  const id = await bridge.addUser('kim', { emails });

  const remove = { op: 'remove', path: 'emails[primary eq true]' };
  const answer = await bridge.tryPatch(`/Users/${id}`, remove);

  const detail = expect.stringMatching(/^The address in emails .* is no e-mail address/);
  expect(answer.body).toMatchObject({ scimType: 'invalidValue', detail });
});

test('other addresses are kept as they are sent', async () => {
  const emails = [{ value: 'ida@example.com', primary: true }, { value: 'nowhere' }];
  const id = await bridge.addUser('ida', { emails });

  expect((await bridge.send('GET', `/Users/${id}`)).body).toMatchObject({ emails });
});

test('words of our own about a call do not name it', async () => {
  const fault = bridge.sandbox.faults.add({ operation: 'scim.addUser', fault: failing(400) });
  const answer = await bridge.request('POST', '/Users', toUser('max'));
  fault.remove();

  const detail = 'The service refused the change: the service answered 400';
  expect(answer).toMatchObject({ status: 400, body: { detail } });
});

beforeAll(async () => {
  await bridge.settled(bridge.addUser('bob'));
});

const bobs = [{ value: 'BOB@example.com', type: 'work', primary: true }];

/** The same wish in every way that a provider has to say it; each answer as a single request's. */
async function ask(change: Record<string, JsonValue>): Promise<TestAnswer['body'][]> {
  const created = toUser('carol', change);
  const replaced = toUser('ada', change);
  const patch = toPatch(...Object.entries(change).map(([path, value]) => replace(path, value)));
  const single = [
    await bridge.request('POST', '/Users', created),
    await bridge.request('PUT', `/Users/${ada}`, replaced),
    await bridge.request('PATCH', `/Users/${ada}`, patch),
    await bridge.tryPatch(`/Users/${ada}`, { op: 'replace', value: change }),
  ];
  const path = `/Users/${ada}`;
  const Operations = [
    { method: 'POST', path: '/Users', bulkId: 'a', data: created },
    ...[
      { method: 'PUT', path, data: replaced },
      { method: 'PATCH', path, data: patch },
    ],
  ];
  const { body } = await bridge.send('POST', '/Bulk', { Operations });
  const parts = toObjects(body.Operations).map(({ response }) => Object(response));
  return [...single.map((answer) => answer.body), ...parts];
}

describe('409 says what is taken, whatever asks for it', () => {
  test.each([
    { what: 'the userName', change: { userName: 'Bob@example.com' }, detail: NAME },
    { what: 'the address', change: { emails: bobs }, detail: ADDRESS },
    { what: 'both', change: { userName: 'bob@example.com', emails: bobs }, detail: NAME },
  ])('$what', async ({ change, detail }) => {
    const before = await bridge.send('GET', `/Users/${ada}`);

    const answers = await ask(change);

    expect(answers).toHaveLength(7);
    for (const body of answers)
      expect(body).toMatchObject({ status: '409', scimType: 'uniqueness', detail });
    expect((await bridge.send('GET', `/Users/${ada}`)).body).toEqual(before.body);
  });

  test('of the part of one address too', async () => {
    const change = replace('emails[type eq "work"].value', 'bob@example.com');

    const answer = await bridge.tryPatch(`/Users/${ada}`, change);

    expect(answer).toMatchObject({ status: 409, body: { detail: ADDRESS } });
  });
});

test('a name that only the account in the service still has is taken, in words that say so', async () => {
  const eve = await bridge.settled(bridge.addUser('eve'));
  const value = 'eva@example.com';
  const emails = [{ value, type: 'work', primary: true }];
  await bridge.patch(`/Users/${eve}`, { op: 'replace', value: { userName: value, emails } });

  const found = await bridge.find('/Users', 'userName eq "eve@example.com"');
  const created = await bridge.request('POST', '/Users', toUser('eve'));
  const renamed = await bridge.tryPatch(`/Users/${ada}`, replace('userName', 'eve@example.com'));

  expect(found).toEqual([]);
  const detail = 'In the service the account of another User still has this userName.';
  for (const answer of [created, renamed])
    expect(answer).toMatchObject({ status: 409, body: { scimType: 'uniqueness', detail } });
});

describe('the address that an inactive user without an account is to have', () => {
  test.each([
    { what: 'as its e-mail address', of: { emails: [{ value: 'fay@home.example' }] } },
    { what: 'as its userName alone', of: { userName: 'fay@home.example', emails: [] } },
  ])('$what is taken', async ({ of }) => {
    const fay = await bridge.addUser('fay', { active: false, ...of });

    const answers = [
      ...(await ask({ emails: [{ ...bobs[0], value: 'FAY@home.example' }] })),
      ...(await ask({ userName: 'fay@home.example' })),
    ];

    expect(answers).toHaveLength(14);
    const words =
      /^Another User already has this (e-mail address|userName)\. That User is inactive/;
    const detail = expect.stringMatching(words);
    for (const body of answers)
      expect(body).toMatchObject({ status: '409', scimType: 'uniqueness', detail });
    const { body } = await bridge.patch(`/Users/${fay}`, replace('active', true));
    expect(body).toMatchObject({ active: true });
    await bridge.settled(bridge.send('DELETE', `/Users/${fay}`));
  });

  test('may be lost by a user, whose account waits for another one', async () => {
    const wish = { userName: 'hal', active: false, emails: [{ value: 'hal@home.example' }] };
    const hal = `/Users/${await bridge.addUser('hal', wish)}`;
    const activate = replace('active', true);
    const forget = { op: 'remove', path: 'emails' } as const;

    await bridge.patch(hal, forget, activate);
    const put = { ...toUser('hal', wish), active: true, emails: [] };
    await bridge.settled(bridge.send('PUT', hal, put));
    expect(bridge.sandbox.service.findUser('hal@home.example')).toBeUndefined();
    const found = { op: 'add', path: 'emails', value: [{ value: 'hal@home.example' }] };
    const { body } = await bridge.patch(hal, found);

    expect(body).toMatchObject({ active: true });
    await bridge.untilSettled();
    expect(bridge.sandbox.service.findUser('hal@home.example')).toMatchObject({ active: true });
    // Once there is an account, it needs no address to be found by.
    expect((await bridge.patch(hal, forget)).status).toBe(200);
  });
});

test('an address that nobody is known by may be shared', async () => {
  const emails = [work('dora'), { value: 'bob@example.com', type: 'home' }];
  const dora = await bridge.addUser('dora', { emails });
  const value = [{ value: 'bob@example.com', type: 'other' }];

  const share = { op: 'add', path: 'emails', value };
  for (const id of [dora, ada])
    expect((await bridge.patch(`/Users/${id}`, share)).status).toBe(200);
});

test('white space around a name is no part of it', async () => {
  const [ian, pilots] = [toUser('ian', { userName: ' Ian@example.com\t' }), toGroup(' Flyers ')];
  const created = await bridge.request('POST', '/Users', ian);
  const group = await bridge.request('POST', '/Groups', pilots);

  expect(created).toMatchObject({ status: 201, body: { userName: 'Ian@example.com' } });
  expect(group).toMatchObject({ status: 201, body: { displayName: 'Flyers' } });
  for (const [path, filter] of [
    ['/Users', 'userName eq "ian@example.com"'],
    ['/Users', 'userName eq "  ian@example.com "'],
    ['/Users', 'userName eq " ian@example.com" and active eq true'],
    ['/Groups', 'displayName eq "flyers "'],
  ] as const) {
    const { id } = path === '/Users' ? created.body : group.body;
    expect(await bridge.find(path, filter)).toMatchObject([{ id }]);
  }
  for (const [path, wish] of [
    ['/Users', { ...ian, userName: 'IAN@example.com ' }],
    ['/Groups', toGroup('flyers')],
  ] as const)
    expect((await bridge.request('POST', path, wish)).status).toBe(409);
  const blank = await bridge.request('POST', '/Users', { ...ian, userName: ' \t' });
  expect(blank).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
});

const work = (name: string) => ({ value: `${name}@example.com`, type: 'work', primary: true });
const home = (name: string) => ({ value: `${name}@home.example`, type: 'home', display: 'Home' });

const removeOfHome = (part: string) => ({ op: 'remove', path: `emails[type eq "home"].${part}` });

async function findByAddress(address: string): Promise<unknown[]> {
  return (await bridge.find('/Users', `emails.value eq "${address}"`)).map(({ id }) => id);
}

test('an address without its value is found no more and free for another user, and keeps what else it says', async () => {
  const emails = [work('ben'), home('ben')];
  const path = `/Users/${await bridge.addUser('ben', { emails })}`;
  expect(await findByAddress('ben@home.example')).toHaveLength(1);

  const { body } = await bridge.patch(path, removeOfHome('value'));

  expect(body.emails).toEqual([work('ben'), { type: 'home', display: 'Home' }]);
  expect(await findByAddress('ben@home.example')).toEqual([]);
  const other = await bridge.addUser('other', { emails: [{ value: 'ben@home.example' }] });
  expect(await findByAddress('ben@home.example')).toEqual([other]);
});

const listAll = () =>
  Promise.all([bridge.list('/Users?count=100'), bridge.list('/Groups?count=100')]);

test.each(['attributes', 'excludedAttributes'])(
  'a write whose %s cannot be read changes nothing',
  async (name) => {
    const query = `${name}=${Array(1_001).fill('title').join()}`;
    const user = `/Users/${await bridge.addUser(`ada-${name}`)}?${query}`;
    const group = `/Groups/${await bridge.addGroup(`Pilots ${name}`)}?${query}`;
    const before = await listAll();
    const patch = toPatch(replace('displayName', 'Other'));

    const answers = [
      await bridge.request('POST', `/Users?${query}`, toUser('nobody')),
      await bridge.request('POST', `/Groups?${query}`, toGroup('Nothing')),
      await bridge.request('PUT', user, toUser('other')),
      await bridge.request('PATCH', user, patch),
      await bridge.request('PUT', group, toGroup('Other', [ada])),
      await bridge.request('PATCH', group, patch),
    ];

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    expect(await listAll()).toEqual(before);
  },
);
