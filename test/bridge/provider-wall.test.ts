import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest, startTestBridge } from '../support/bridge.ts';
import type { TestAnswer } from '../support/provider.ts';
import { admit, dismiss, replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import type { WalledProvider } from '../support/walled.ts';
import { makeProvider, toOwner } from '../support/walled.ts';

const disable = toPatch(replace('active', false));

interface Company {
  readonly bridge: TestBridge;
  readonly okta: WalledProvider;
  readonly entra: WalledProvider;
}

function expectOfOkta(answers: readonly TestAnswer[]): void {
  const owners = answers.map((answer) => [answer.status, toOwner(answer)]);
  expect(owners).toEqual(answers.map(() => [403, 'okta']));
}

const toAccount = (email: string) => ({ email, userName: email, fullName: 'Ada Example' });

async function whose(bridge: TestBridge, ...names: readonly string[]) {
  const people = await bridge.listOps('/users?managed=true');
  const asked = people.filter(({ name }) => names.includes(String(name)));
  return Object.fromEntries(asked.map(({ name, provider }) => [name, provider]));
}

async function readAll(bridge: TestBridge): Promise<string> {
  const seen = ['/users?managed=true', '/groups', '/users', '/users?deleted=true'];
  const answers = [
    ...(await Promise.all(seen.map((path) => bridge.ops('GET', path)))),
    ...(await Promise.all(['/Users', '/Groups'].map((path) => bridge.request('GET', path)))),
  ];
  const { disputes } = (await bridge.ops('GET', '/status')).body;
  return JSON.stringify([disputes, ...answers.map(({ body }) => body)]);
}

function listBulkDetails({ body }: TestAnswer): [string, string][] {
  const operations: unknown[] = Array.isArray(body.Operations) ? body.Operations : [];
  return operations.map((operation) => {
    const { status, response } = Object(operation);
    return [String(status), String(response?.detail)];
  });
}

describe('a wall between providers', () => {
  let company: Company;
  beforeAll(async () => {
    const bridge = await startTestBridge({
      prepare: ({ service }) => void service.addUser(toAccount('kim@example.com')),
    });
    const [okta, entra] = [await makeProvider(bridge, 'okta'), await makeProvider(bridge, 'entra')];
    company = { bridge, okta, entra };
  });
  afterAll(() => company.bridge.stop());

  test('a write of a person of another provider is 403 that says whose it is, and changes nothing', async () => {
    const { bridge, okta, entra } = company;
    const id = await okta.addUser('ada', { externalId: 'x-1' });
    const own = await entra.addUser('bob');
    await bridge.untilSettled();
    const before = await readAll(bridge);
    const shown = await entra.request('GET', `/Users/${id}`);
    const headers = { 'if-match': String(shown.headers.etag) };
    const named = { emails: [{ value: 'ada@example.com', primary: true }] };

    const answers = [
      await entra.request('PUT', `/Users/${id}`, toUser('ada', { title: 'x' })),
      await entra.request('PUT', `/Users/${id}`, toUser('ada'), headers),
      await entra.request('PATCH', `/Users/${id}`, disable),
      await entra.request('PATCH', `/Users/${id}`, disable, { 'if-match': 'W/"999"' }),
      await entra.request('DELETE', `/Users/${id}`),
      await entra.request('POST', '/Users', toUser('ada')),
      await entra.request('POST', '/Users', toUser('other', named)),
      await entra.request('PUT', `/Users/${own}`, toUser('ada')),
      await entra.tryPatch(`/Users/${own}`, replace('emails', named.emails)),
      await bridge.request('PATCH', `/Users/${id}`, disable),
    ];

    expectOfOkta(answers);
    expect(await readAll(bridge)).toBe(before);
    expect(bridge.sandbox.service.getUser('ada@example.com').active).toBe(true);
    expect((await okta.request('PATCH', `/Users/${id}`, disable)).status).toBe(200);
  });

  test('a write of a group of another provider is 403 that says whose it is, and changes nothing', async () => {
    const { bridge, okta, entra } = company;
    const ada = await okta.addUser('cat');
    const bob = await entra.addUser('dan');
    const id = await okta.addGroup('Pilots', [ada]);
    const own = await entra.addGroup('Crew');
    await bridge.untilSettled();
    const before = await readAll(bridge);

    const answers = [
      await entra.request('PUT', `/Groups/${id}`, toGroup('Pilots', [])),
      await entra.tryPatch(`/Groups/${id}`, admit(bob)),
      await entra.tryPatch(`/Groups/${id}`, { op: 'remove', path: 'members' }),
      await entra.request('DELETE', `/Groups/${id}`),
      await entra.request('POST', '/Groups', toGroup('pilots')),
      await entra.request('PUT', `/Groups/${own}`, toGroup('PILOTS')),
      await entra.tryPatch(`/Groups/${own}`, replace('displayName', 'Pilots')),
    ];

    expectOfOkta(answers);
    expect(await readAll(bridge)).toBe(before);
    expect(bridge.sandbox.service.members('Pilots')).toEqual(['cat@example.com']);
  });

  test('an operation of a bulk request is refused as it is alone, and the others are done', async () => {
    const { bridge, okta, entra } = company;
    const ada = await okta.addUser('eve');
    const pilots = await okta.addGroup('Bakers');
    const Operations = [
      { method: 'PATCH', path: `/Users/${ada}`, data: disable },
      { method: 'DELETE', path: `/Users/${ada}` },
      { method: 'POST', path: '/Users', bulkId: 'a', data: toUser('eve') },
      { method: 'PUT', path: `/Groups/${pilots}`, data: toGroup('Bakers') },
      { method: 'POST', path: '/Users', bulkId: 'b', data: toUser('fay') },
    ];

    const details = listBulkDetails(await entra.request('POST', '/Bulk', { Operations }));

    expect(details.map(([status]) => status)).toEqual(['403', '403', '403', '403', '201']);
    for (const [, detail] of details.slice(0, 4)) expect(detail).toMatch(/ provider okta\.$/);
    expect(await whose(bridge, 'eve@example.com', 'fay@example.com')).toEqual({
      'eve@example.com': 'okta',
      'fay@example.com': 'entra',
    });
  });

  test('two providers may have one externalId, and each is shown and finds its own alone', async () => {
    const bridge = await bridgeForTest();
    const okta = await makeProvider(bridge, 'okta');
    const entra = await makeProvider(bridge, 'entra');
    const ids = {
      okta: await okta.addUser('ada', { externalId: 'x-1' }),
      entra: await entra.addUser('bob', { externalId: 'x-1' }),
    };
    const team = { ...toGroup('Pilots'), externalId: 'g-1' };
    await okta.request('POST', '/Groups', team);
    await entra.request('POST', '/Groups', { ...team, displayName: 'Crew' });

    for (const { name, request, find } of [okta, entra]) {
      const own = name === 'okta' ? 'ada@example.com' : 'bob@example.com';
      const names = async (filter: string) =>
        (await find('/Users', filter)).map(({ userName }) => userName);
      const others = ['owner', 'ada@example.com', 'bob@example.com'].filter((one) => one !== own);

      expect(await names('externalId eq "x-1"')).toEqual([own]);
      expect(await names('externalId pr')).toEqual([own]);
      expect(await names('externalId co "x"')).toEqual([own]);
      expect(await names('userName pr and externalId eq "x-1"')).toEqual([own]);
      expect(await names('title pr or externalId eq "x-1"')).toEqual([own]);
      expect(await names('not (externalId eq "x-1")')).toEqual(others);
      expect(await names('externalId ne "x-1"')).toEqual(others);
      const search = { sortBy: 'externalId', attributes: ['externalId'] };
      const texts = [
        await request('GET', `/Users/${name === 'okta' ? ids.entra : ids.okta}`),
        await request('GET', '/Users?sortBy=externalId'),
        await request('GET', '/Users?attributes=externalId'),
        await request('GET', '/Users?cursor='),
        await request('POST', '/.search', { filter: 'externalId eq "x-1" or externalId eq "g-1"' }),
        await request('POST', '/Groups/.search', search),
      ].map(({ text }) => [...text.matchAll(/"externalId":"[^"]*"/g)].length);
      expect(texts).toEqual([0, 1, 1, 1, 2, 1]);
      expect(await find('/Groups', 'externalId eq "g-1"')).toHaveLength(1);
    }
    expect(await bridge.find('/Users', 'externalId pr')).toEqual([]);
  });

  test('what another provider is shown has an ETag of its own, so that no cache gives one for the other', async () => {
    const { okta, entra } = company;
    const users = await okta.addUser('gus', { externalId: 'x-1' });
    const made = await okta.request('POST', '/Groups', { ...toGroup('Cooks'), externalId: 'x-1' });
    for (const path of [`/Users/${users}`, `/Groups/${made.body.id}`]) {
      const own = await okta.request('GET', path);
      const shown = await entra.request('GET', path);
      const asks = (provider: WalledProvider, { headers }: TestAnswer) =>
        provider.request('GET', path, undefined, { 'if-none-match': String(headers.etag) });

      expect(shown.headers.etag).toBe(Object(shown.body.meta).version);
      expect(shown.headers.etag).not.toBe(own.headers.etag);
      expect((await asks(entra, own)).status).toBe(200);
      expect((await asks(okta, shown)).status).toBe(200);
      expect((await asks(okta, own)).status).toBe(304);
      expect((await asks(entra, shown)).status).toBe(304);
    }
  });

  test('people of another provider may be put into a group of one’s own, and taken out again', async () => {
    const { bridge, okta, entra } = company;
    const ada = await okta.addUser('hal');
    const group = await entra.addGroup('Drivers', [ada]);
    expect(await entra.readMemberIds(group)).toEqual([ada]);
    expect((await entra.tryPatch(`/Groups/${group}`, dismiss(ada))).status).toBe(204);
    await bridge.untilSettled();
    expect(bridge.sandbox.service.members('Drivers')).toEqual([]);
    expect(await whose(bridge, 'hal@example.com')).toEqual({ 'hal@example.com': 'okta' });
  });

  test('who was deleted belongs to nobody: another provider creates the person again', async () => {
    const { bridge, okta, entra } = company;
    const id = await okta.addUser('ian', { externalId: 'x-2' });
    expect((await okta.request('DELETE', `/Users/${id}`)).status).toBe(204);
    const made = await entra.request('POST', '/Users', toUser('ian'));
    await bridge.untilSettled();

    expect([made.status, made.body.externalId]).toEqual([201, undefined]);
    expect(bridge.sandbox.service.getUser('ian@example.com').active).toBe(true);
    expect((await okta.request('PATCH', `/Users/${made.body.id}`, disable)).status).toBe(403);
  });

  test('an account that an operator adopts is that provider’s', async () => {
    const { bridge, okta, entra } = company;
    const id = await bridge.findId({ type: 'Users', name: 'kim@example.com' });
    const body = { provider: 'okta' };
    const nobody = await bridge.ops('POST', `/users/${id}/adopt`, { provider: 'nobody' });
    const adopted = await bridge.ops('POST', `/users/${id}/adopt`, body);

    expect([nobody.status, adopted.status]).toEqual([404, 200]);
    expect(adopted.body).toMatchObject({ origin: 'adopted', provider: 'okta' });
    expect((await bridge.ops('GET', `/users/${id}/explain`)).body.provider).toBe('okta');
    expect(toOwner(await entra.request('PATCH', `/Users/${id}`, disable))).toBe('okta');
    expect((await okta.request('PATCH', `/Users/${id}`, disable)).status).toBe(200);
  });

  test('an account that was made since the last look is not taken over across a mail domain', async () => {
    const bridge = await bridgeForTest();
    const okta = await makeProvider(bridge, 'okta', { domains: ['example.com'] });
    bridge.sandbox.service.addUser({ ...toAccount('ada@example.org'), userName: 'ada' });
    const wanted = toUser('x', { userName: 'ada', emails: [{ value: 'ada@example.com' }] });
    const answer = await okta.request('POST', '/Users', wanted);
    await bridge.untilSettled();

    const detail = 'The account in the service is of a mail domain that is not this provider’s.';
    expect([answer.status, answer.body.detail]).toEqual([409, detail]);
    expect(await whose(bridge, 'ada', 'ada@example.com', 'ada@example.org')).toEqual({});
    expect(bridge.sandbox.service.getUser('ada@example.org').active).toBe(true);
  });
});

const VICTIM = 'Victim@A.Example';
const own = { value: 'bob@b.example', type: 'work', primary: true };

const bridge = bridgeForSuite();
let partner: WalledProvider;
let bob: string;
beforeAll(async () => {
  partner = await makeProvider(bridge, 'partner');
  await bridge.ops('POST', '/providers/partner/change', { domains: ['b.example'] });
  bob = await partner.addUser('bob', { userName: own.value, emails: [own] });
});

/** Requests that give somebody an address of another domain, in every place that has one. */
const both = [own, { value: VICTIM, type: 'home' }];
const alone = [{ value: VICTIM, type: 'other' }];
const toX = (emails: JsonObject[]) => toUser('x', { userName: 'x@b.example', emails });
const rows: readonly (readonly [string, string, JsonObject])[] = [
  ['a POST', 'POST', toX(both)],
  ['a POST without a work address', 'POST', toX(alone)],
  ['a PUT', 'PUT', toUser('bob', { userName: own.value, emails: both })],
  ['a PATCH that adds', 'PATCH', toPatch({ op: 'add', path: 'emails', value: alone })],
  ['a PATCH without a path', 'PATCH', toPatch({ op: 'add', value: { emails: both } })],
  ['a PATCH with a filter', 'PATCH', toPatch(replace('emails[type eq "home"].value', VICTIM))],
];

test.each(rows)('%s gives nobody an address of another domain', async (_what, method, body) => {
  const path = method === 'POST' ? '/Users' : `/Users/${bob}`;
  const { status } = await partner.request(method, path, body);
  const Operations = [{ method, path, bulkId: 'x', data: body }];
  const results = listBulkDetails(await partner.request('POST', '/Bulk', { Operations }));
  expect([status, ...results.map(([each]) => each)]).toEqual([403, '403']);
  const all = [`value eq "${VICTIM}"`, 'value co "a.example"', 'value sw "victim"'];
  for (const one of all) expect(await bridge.find('/Users', `emails[${one}]`)).toEqual([]);
});

test('an address of the own domain is taken, also as a second one', async () => {
  const value = [{ value: 'bob.b@b.example', type: 'home' }];
  const answer = await partner.tryPatch(`/Users/${bob}`, { op: 'add', path: 'emails', value });
  expect([answer.status, Object(answer.body).emails?.length]).toEqual([200, 2]);
});

const ROUNDS = 4;

function prepareMany({ service }: Sandbox): void {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const email = `n${round}@example.com`;
    service.addUser({ email, userName: email, fullName: 'Some Body' });
    service.createGroup({ name: `n${round}` });
  }
}

test.each([
  { what: 'create', prepare: () => {} },
  { what: 'take over', prepare: prepareMany },
])(
  'of providers that $what the same at once one does, and the others are told whose it is',
  async ({ prepare }) => {
    const bridge = await bridgeForTest({ prepare });
    const names = ['a', 'b', 'c', 'd'];
    const providers: WalledProvider[] = [];
    for (const name of names) providers.push(await makeProvider(bridge, name));
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const [path, body] of [
        ['/Users', toUser(`n${round}`)],
        ['/Groups', toGroup(`n${round}`)],
      ] as const) {
        const asked = providers.map(({ request }) => request('POST', path, body));
        const answers = await Promise.all(asked);
        const winner = names[answers.findIndex(({ status }) => status === 201)];
        const answered = answers.map((answer) => [answer.status, toOwner(answer)]);
        const [made, ...refused] = answered.toSorted(([x], [y]) => Number(x) - Number(y));
        expect(made).toEqual([201, undefined]);
        expect(refused).toEqual(refused.map(() => [403, winner]));
      }
    }
  },
);
