import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { assertDescribed, OPS_TOKEN } from '../support/operator.ts';
import { toUser } from '../support/provider.ts';
import { makeProvider } from '../support/walled.ts';

async function ask(bridge: TestBridge, file: string, query = '', dispatcher = new Agent()) {
  const url = new URL(`/ops/census${query}`, bridge.baseUrl).href;
  const headers = { authorization: `Bearer ${OPS_TOKEN}`, 'content-type': 'text/csv' };
  const answer = await request(url, { method: 'POST', headers, body: file, dispatcher });
  const body: unknown = await answer.body.json();
  assertDescribed('POST', '/census', { status: answer.statusCode, body });
  return { status: answer.statusCode, body };
}

async function take(bridge: TestBridge, file: string, query?: string): Promise<OpsJson<'Census'>> {
  const { status, body } = await ask(bridge, file, query);
  expect(status).toBe(200);
  return body as OpsJson<'Census'>;
}

function toLines({ items }: OpsJson<'Census'>): string[] {
  return items
    .map(({ kind, entries, people, differences }) => {
      const [who] = [...entries, ...people].flatMap(({ name }) => name ?? []);
      const parts = differences.map((one) => {
        return ` ${one.attribute} ${JSON.stringify([one.provider, one.bridge, one.service])}`;
      });
      return `${kind} ${who}${parts.join('')}`;
    })
    .toSorted();
}

/** The file of a provider: `userName,email,givenName,familyName,active,externalId` of each. */
function toFile(...rows: readonly string[]): string {
  return ['userName,email,givenName,familyName,active,externalId', ...rows, ''].join('\n');
}

function toRow(name: string, { active = 'true', externalId = '' } = {}): string {
  const given = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return `${name}@example.com,${name}@example.com,${given},Example,${active},${externalId}`;
}

async function readPeople(bridge: TestBridge): Promise<string> {
  return (await bridge.ops('GET', '/users?limit=100')).text;
}

describe('a census', () => {
  test('tells nothing of people about whom all three agree, and changes nothing', async () => {
    const bridge = await bridgeForTest();
    await bridge.addUser('ada', { externalId: 'a-1' });
    await bridge.settled(bridge.addUser('bob'));
    const before = [bridge.sandbox.calls.counts(), await readPeople(bridge)];
    const bob = 'BOB@example.com,Bob@Example.com,Bob,Example,true,b-1';

    const census = await take(bridge, toFile(toRow('ada', { externalId: 'a-1' }), bob));

    expect(toLines(census)).toEqual(['only-service owner']);
    const counts = { entries: 2, people: 2, accounts: 3, agreeing: 2 };
    expect(census).toMatchObject({ ...counts, sweptAt: null });
    expect([bridge.sandbox.calls.counts(), await readPeople(bridge)]).toEqual(before);
    expect((await bridge.ops('GET', '/acts')).body).toMatchObject({ items: [] });
  });

  test('tells who is in one of provider, bridge and service and not in the others', async () => {
    const bridge = await bridgeForTest();
    const leaver = { email: 'gone@example.com', userName: 'gone@example.com' };
    bridge.sandbox.service.addUser({ ...leaver, virtual: true, fullName: 'Gone Example' });
    await bridge.sweep();
    const [gone] = await bridge.addPeople('gone', 'kept');
    await bridge.settled(bridge.addUser('left', { active: false }));
    bridge.sandbox.service.removeUser('gone@example.com');
    bridge.sandbox.service.addUser({ email: 'met@example.com', fullName: 'Met Example' });
    bridge.sandbox.service.addUser({ email: 'guest@example.com', fullName: 'Guest Example' });
    await bridge.sweep();
    const rows = [toRow('met'), toRow('new'), toRow('stranger', { active: 'false' })];

    const absent = await take(bridge, toFile(...rows));
    const present = await take(bridge, toFile(...rows, toRow('gone'), toRow('kept')));

    expect(toLines(absent)).toEqual([
      ...['not-bridge met@example.com', 'not-provider kept@example.com'],
      ...['only-bridge gone@example.com', 'only-provider new@example.com'],
      ...['only-service guest', 'only-service owner'],
    ]);
    expect(absent.sweptAt).not.toBeNull();
    expect(toLines(present)).toContain('not-service gone@example.com');
    const found = present.items.find(({ people }) => people[0]?.id === gone);
    expect(found?.entries).toMatchObject([{ row: 5 }]);
    expect(present.kinds).toEqual({
      ...{ 'not-bridge': 1, 'not-service': 1, 'only-provider': 1, 'only-service': 2 },
    });
  });

  test('tells what differs, of each of the three', async () => {
    const bridge = await bridgeForTest();
    const ada = await bridge.addUser('ada', { externalId: '1', title: 'Pilot' });
    await bridge.addUser('bob', { externalId: '2' });
    await bridge.settled(bridge.addUser('carl'));
    bridge.sandbox.service.updateUser('bob@example.com', { active: false });
    bridge.sandbox.service.updateUser('carl@example.com', { fullName: 'Karl Example' });
    await bridge.sweep();
    const file = [
      'Login,email,givenName,familyName,status,id,title',
      'new@example.com,ada@example.com,Ada,Lovelace,ACTIVE,1,Engineer',
      'bob@example.com,bob@example.com,Bob,Example,ACTIVE,9,Clerk',
      'carl@example.com,carl@example.com,Carl,Example,SUSPENDED,,',
    ].join('\n');

    const census = await take(bridge, file);

    expect(toLines(census)).toEqual([
      'differs bob@example.com active [true,true,false] externalId ["9","2",null]',
      'differs carl@example.com active [false,true,true]',
      'differs new@example.com userName ["new@example.com","ada@example.com",null] name.familyName ["Lovelace","Example",null] title ["Engineer","Pilot",null]',
      'only-service owner',
    ]);
    const [first] = census.items.filter(({ people }) => people[0]?.id === ada);
    expect(first).toMatchObject({ by: 'externalId', provider: 'default' });
  });

  test('tells whom it cannot tell apart, once', async () => {
    const bridge = await bridgeForTest();
    await bridge.addUser('ada', { externalId: '1' });
    await bridge.addUser('bob', { externalId: '2' });
    await bridge.settled(bridge.addPeople('carl', 'dora'));

    const file = toFile(
      ...['ada@example.com,bob@example.com,,,true,1', toRow('carl'), toRow('carl')],
      ...['dora@example.com,,Dora,Example,true,', 'd,dora@example.com,Dora,Example,true,'],
    );
    const census = await take(bridge, file);

    const duplicates = census.items.filter(({ kind }) => kind === 'duplicate');
    expect(
      duplicates.map(({ by, entries, people }) => [
        by,
        entries.map(({ row }) => row),
        people.map(({ name }) => name).toSorted(),
      ]),
    ).toEqual([
      ['userName', [3, 4], []],
      ['userName', [5, 6], []],
      ['externalId', [2], ['ada@example.com', 'bob@example.com']],
    ]);
    expect(census.kinds).toEqual({ duplicate: 3, differs: 1, 'only-service': 1 });
  });

  test("knows a provider by its own externalIds, and tells who is another one's", async () => {
    const bridge = await bridgeForTest();
    const okta = await makeProvider(bridge, 'okta');
    const entra = await makeProvider(bridge, 'entra');
    await okta.addUser('ada', { externalId: 'same' });
    await entra.addUser('bob', { externalId: 'same' });
    await entra.addUser('carl');
    await bridge.untilSettled();
    const file = toFile(toRow('x', { externalId: 'same' }), toRow('carl'));

    const census = await take(bridge, file, '?provider=okta');

    expect(census).toMatchObject({ provider: 'okta', people: 1, accounts: 4 });
    expect(toLines(census)).toEqual([
      'differs x@example.com userName ["x@example.com","ada@example.com",null] email ["x@example.com","ada@example.com",null] name.givenName ["X","Ada",null]',
      'of-other carl@example.com',
      'only-service owner',
    ]);
    expect((await ask(bridge, file, '?provider=nobody')).status).toBe(404);
  });
});

describe('the request for a census', () => {
  const log: JsonObject[] = [];
  const bridge = bridgeForSuite({ onLog: (line) => void log.push(line) });
  beforeAll(async () => void (await bridge.settled(bridge.addUser('ada'))));

  test.each([
    ['a file that cannot be understood', 'a;b\n1;2\n', '', /Row 2 of the file names nobody/],
    ['a parameter that there is not', toFile(toRow('ada')), '?limit=1', /no parameter limit/],
  ])('refuses %s', async (_, file, query, words) => {
    const { status, body } = await ask(bridge, file, query);

    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid', message: expect.stringMatching(words) });
  });

  test('is for readers too, as are dry runs of the others', async () => {
    const made = await bridge.ops('POST', '/tokens', { name: 'eve', for: 'reader' });
    const headers = { authorization: `Bearer ${made.body.token}` };
    const send = async (path: string) => {
      const url = new URL(`/ops${path}`, bridge.baseUrl).href;
      const body = 'id,userName\n1,ada@example.com\n';
      return (await request(url, { method: 'POST', headers, body })).statusCode;
    };
    const importing = '/providers/default/import-ids';
    const shown = [await send('/census'), await send(`${importing}?dryRun=true`)];
    expect([...shown, await send(importing)]).toEqual([200, 200, 403]);
  });

  test('leaves its connection to the next request, wherever the file is wrong', async () => {
    const dispatcher = new Agent({ connections: 1 });
    const wrong = await ask(bridge, `{"userName":\n${'x'.repeat(1_000_000)}`, '', dispatcher);
    const next = await ask(bridge, toFile(toRow('ada')), '', dispatcher);

    expect([wrong.status, next.status]).toEqual([400, 200]);
  });

  test('takes one file at a time, and the next when its sender has gone', async () => {
    const url = new URL('/ops/census', bridge.baseUrl).href;
    const headers = { authorization: `Bearer ${OPS_TOKEN}` };
    const going = new AbortController();
    async function* slowly() {
      yield 'userName\n';
      await once(going.signal, 'abort');
    }
    const sent = { method: 'POST', headers, body: Readable.from(slowly()) } as const;
    const first = request(url, { ...sent, signal: going.signal });
    const ended = expect(first).rejects.toThrow();
    const takeOne = async () => (await ask(bridge, toFile(toRow('ada')))).status;

    await expect.poll(takeOne).toBe(429);
    going.abort();
    await ended;
    await expect.poll(takeOne).toBe(200);
    expect(log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('scim-bridge census', () => {
  const bridge = bridgeForSuite();
  beforeAll(async () => void (await bridge.settled(bridge.addUser('ada', { title: 'Pilot' }))));

  function write(name: string, text: string | Buffer): string {
    const path = join(makeFolder(), name);
    writeFileSync(path, text);
    return path;
  }
  const run = (...args: string[]) => runner(bridge)('census', ...args);

  test('ends with 2 where something was found', async () => {
    const file = write('okta.csv', toFile(toRow('ada'), toRow('eve')));
    const found = await run(file);

    expect(found.code).toBe(2);
    expect(found.text).toContain('1 only-service, 1 only-provider');
    expect(found.text).toMatch(/only-provider +eve@example.com +3/);
    const ids = write('ids.csv', 'id,userName\n1,ada@example.com\n2,eve@example.com\n');
    const told = await runner(bridge)('provider', 'import-ids', 'default', ids, '--dry-run');
    expect(told.text).toContain('1 imported, 1 only-file. It is a dry run: nothing was imported.');
  });

  const page = { totalResults: 3, Resources: [toUser('ada')] };
  test.each([
    ['of SCIM', JSON.stringify(page), "'.Resources[]'"],
    ['of SCIM in lines', JSON.stringify(page, null, 2), "jq -c '.[]'"],
    ['of Okta', JSON.stringify([{ login: 'ada@example.com' }]), "jq -c '.[]'"],
  ])(
    'refuses a list in one JSON document %s, which may be one page of it',
    async (_, text, says) => {
      expect((await run(write('page.json', text))).err).toContain(says);
    },
  );

  test('says why a file cannot be taken', async () => {
    const absent = await run(join(makeFolder(), 'nothing.csv'));
    const wrong = await run(write('latin.csv', Buffer.from('userName\nJ\xf6rg\n', 'latin1')));

    expect([absent.code, wrong.code]).toEqual([1, 1]);
    expect(absent.text).toContain('cannot be read');
    expect(wrong.text).toContain('save it as "CSV UTF-8"');
  });
});
