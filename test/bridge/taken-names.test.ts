import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, type JsonValue } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, type TestAnswer, toGroup, toPatch, toUser } from '../support/provider.ts';

const bridge = forSuite(() => startTestBridge());
let ada: string;

beforeAll(async () => {
  await bridge.addUser('bob');
  ada = await bridge.addUser('ada');
  await bridge.untilSettled();
});

const NAME = 'Another User already has this userName.';
const ADDRESS = 'Another User already has this e-mail address.';
const bobs = [{ value: 'BOB@example.com', type: 'work', primary: true }];

/** The same wish in every way that a provider has to say it; each answer as a single request's. */
async function ask(change: Record<string, JsonValue>): Promise<TestAnswer['body'][]> {
  const created = toUser('carol', change);
  const replaced = toUser('ada', change);
  const operations = Object.entries(change).map(([path, value]) => replace(path, value));
  const patch = toPatch(...operations);
  const single = [
    await bridge.request('POST', '/Users', created),
    await bridge.request('PUT', `/Users/${ada}`, replaced),
    await bridge.request('PATCH', `/Users/${ada}`, patch),
    await bridge.request('PATCH', `/Users/${ada}`, toPatch({ op: 'replace', value: change })),
  ];
  const { body } = await bridge.send('POST', '/Bulk', {
    Operations: [
      { method: 'POST', path: '/Users', bulkId: 'a', data: created },
      { method: 'PUT', path: `/Users/${ada}`, data: replaced },
      { method: 'PATCH', path: `/Users/${ada}`, data: patch },
    ],
  });
  const parts = Array.isArray(body.Operations) ? body.Operations.filter(isJsonObject) : [];
  return [...single.map((answer) => answer.body), ...parts.map(({ response }) => Object(response))];
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
    for (const body of answers) {
      expect(body).toMatchObject({ status: '409', scimType: 'uniqueness', detail });
    }
    expect((await bridge.send('GET', `/Users/${ada}`)).body).toEqual(before.body);
  });

  test('of the part of one address too', async () => {
    const path = 'emails[type eq "work"].value';
    const patch = toPatch(replace(path, 'bob@example.com'));

    const answer = await bridge.request('PATCH', `/Users/${ada}`, patch);

    expect(answer).toMatchObject({ status: 409, body: { detail: ADDRESS } });
  });
});

test('a name that only the account in the service still has is taken, in words that say so', async () => {
  const eve = await bridge.addUser('eve');
  await bridge.untilSettled();
  const value = 'eva@example.com';
  const rename = toPatch({
    op: 'replace',
    value: { userName: value, emails: [{ value, type: 'work', primary: true }] },
  });
  await bridge.send('PATCH', `/Users/${eve}`, rename);

  const filter = new URLSearchParams({ filter: 'userName eq "eve@example.com"' });
  const found = await bridge.list(`/Users?${filter}`);
  const created = await bridge.request('POST', '/Users', toUser('eve'));
  const renamed = await bridge.request(
    'PATCH',
    `/Users/${ada}`,
    toPatch(replace('userName', 'eve@example.com')),
  );

  expect(found).toEqual([]);
  const detail = 'In the service the account of another User still has this userName.';
  for (const answer of [created, renamed]) {
    expect(answer).toMatchObject({ status: 409, body: { scimType: 'uniqueness', detail } });
  }
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
    for (const body of answers) {
      const detail = expect.stringMatching(
        /^Another User already has this (e-mail address|userName)\. That User is inactive/,
      );
      expect(body).toMatchObject({ status: '409', scimType: 'uniqueness', detail });
    }
    const activate = toPatch(replace('active', true));
    const { body } = await bridge.send('PATCH', `/Users/${fay}`, activate);
    expect(body).toMatchObject({ active: true });
    await bridge.send('DELETE', `/Users/${fay}`);
    await bridge.untilSettled();
  });

  test('may be lost by a user, whose account waits for another one', async () => {
    const wish = { userName: 'hal', active: false, emails: [{ value: 'hal@home.example' }] };
    const hal = `/Users/${await bridge.addUser('hal', wish)}`;
    const activate = replace('active', true);
    const forget = { op: 'remove', path: 'emails' } as const;

    await bridge.patch(hal, forget, activate);
    await bridge.send('PUT', hal, { ...toUser('hal', wish), active: true, emails: [] });
    await bridge.untilSettled();
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
  const emails = [
    { value: 'dora@example.com', type: 'work', primary: true },
    { value: 'bob@example.com', type: 'home' },
  ];
  const dora = await bridge.addUser('dora', { emails });
  const patch = toPatch({
    op: 'add',
    path: 'emails',
    value: [{ value: 'bob@example.com', type: 'other' }],
  });

  expect((await bridge.send('PATCH', `/Users/${dora}`, patch)).status).toBe(200);
  expect((await bridge.send('PATCH', `/Users/${ada}`, patch)).status).toBe(200);
});

test('white space around a name is no part of it', async () => {
  const [ian, pilots] = [toUser('ian', { userName: ' Ian@example.com\t' }), toGroup(' Pilots ')];
  const created = await bridge.request('POST', '/Users', ian);
  const group = await bridge.request('POST', '/Groups', pilots);

  expect(created).toMatchObject({ status: 201, body: { userName: 'Ian@example.com' } });
  expect(group).toMatchObject({ status: 201, body: { displayName: 'Pilots' } });
  for (const [path, filter] of [
    ['/Users', 'userName eq "ian@example.com"'],
    ['/Users', 'userName eq "  ian@example.com "'],
    ['/Users', 'userName eq " ian@example.com" and active eq true'],
    ['/Groups', 'displayName eq "pilots "'],
  ] as const) {
    const found = await bridge.list(`${path}?${new URLSearchParams({ filter })}`);
    expect(found.map(({ id }) => id)).toEqual([
      path === '/Users' ? created.body.id : group.body.id,
    ]);
  }
  for (const [path, wish] of [
    ['/Users', { ...ian, userName: 'IAN@example.com ' }],
    ['/Groups', toGroup('pilots')],
  ] as const) {
    expect((await bridge.request('POST', path, wish)).status).toBe(409);
  }
  const blank = await bridge.request('POST', '/Users', { ...ian, userName: ' \t' });
  expect(blank).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
});
