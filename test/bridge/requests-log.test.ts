import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { REPAIRS } from '../../src/scim/repairs.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { makeLives } from '../support/lives.ts';
import { replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import { sendRaw } from '../support/send-raw.ts';
import { makeProvider } from '../support/walled.ts';

async function untilLogged(bridge: TestBridge, count: number, query = ''): Promise<JsonObject[]> {
  const read = async () => {
    const items = await bridge.listOps(`/requests?limit=1000${query}`);
    return items.map((item): JsonObject => Object(item)).toReversed();
  };
  await expect.poll(async () => (await read()).length).toBe(count);
  return read();
}

const toNote = (op: string, path: keyof typeof REPAIRS, values = 1) => ({
  ...{ op, path, values, words: REPAIRS[path].words },
});

function toLines(items: readonly JsonObject[]): string[] {
  return items.map(({ method, route, resource, written, status, scimType }) => {
    const paths = (Array.isArray(written) ? written : []).map((one) => Object(one));
    const what = paths.map(({ op, path, values }) => `${op} ${path} ${values}`).join(', ');
    const word = scimType === null ? '' : ` ${scimType}`;
    return `${method} ${route} ${status}${word} ${Object(resource).type ?? '-'} (${what})`;
  });
}

test('what providers write and are refused is told by its form, and reads that are answered are not', async () => {
  const bridge = await bridgeForTest();
  const id = await bridge.addUser('ada');
  const group = await bridge.addGroup('Pilots', [id]);
  await bridge.patch(`/Users/${id}`, replace('active', false));
  await bridge.send('GET', `/Users/${id}`);
  await bridge.send('GET', '/Users?filter=userName%20eq%20%22ada%22');
  await bridge.request('POST', '/Users', toUser('ada'));
  await bridge.request('GET', '/Users?filter=shoeSize');
  await bridge.request('GET', '/Users/ada@example.com');
  await bridge.tryPatch(`/Groups/${group}?attributes=id`, { op: 'jump' });
  await bridge.request('DELETE', `/Groups/${group}`);
  await bridge.request('PUT', '/Nowhere', { userName: 'ada' });
  const items = await untilLogged(bridge, 9);

  expect(toLines(items)).toEqual([
    'POST /Users 201 user (set userName 1, set name.givenName 1, set name.familyName 1, set emails 1, set active 1)',
    'POST /Groups 201 group (set displayName 1, set members 1)',
    'PATCH /Users/{id} 200 user (replace active 1)',
    'POST /Users 409 uniqueness - (set userName 1, set name.givenName 1, set name.familyName 1, set emails 1, set active 1)',
    'GET /Users 400 invalidFilter - (repair filter-unknown 1)',
    'GET /Users/{id} 404 - ()',
    'PATCH /Groups/{id} 400 invalidSyntax group ()',
    'DELETE /Groups/{id} 204 group ()',
    'PUT none 404 - ()',
  ]);
  expect(items[0]).toMatchObject({ resource: { id }, credential: 'settings-1', client: null });
  expect(JSON.stringify(items)).not.toMatch(/example\.com|\bada\b|pilots|token-of/i);
  expect(toLines(await untilLogged(bridge, 2, `&resource=${id}`))).toHaveLength(2);
  expect(toLines(await untilLogged(bridge, 1, '&status=409'))).toHaveLength(1);
  expect(toLines(await untilLogged(bridge, 5, '&status=4xx'))).toHaveLength(5);
  const ofGroups = await untilLogged(bridge, 3, '&credential=settings-1&type=group');
  expect(ofGroups.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'DELETE']);
  await untilLogged(bridge, 0, '&credential=token-of-nobody');
  const first = (await bridge.ops('GET', '/requests?limit=5')).body;
  const rest = (await bridge.ops('GET', `/requests?limit=5&cursor=${first.nextCursor}`)).body;
  expect([first.items, rest.items].flat()).toEqual(items.toReversed());
  expect(rest.nextCursor).toBe(null);
});

test('what was repaired is shown with why, and so is why a request was refused', async () => {
  const bridge = await bridgeForTest();
  const strict = { name: 'to-the-letter', profile: 'strict' };
  const { body: token } = await bridge.ops('POST', '/tokens', strict);
  const path = `/Users/${await bridge.addUser('ada')}`;
  const change = { op: 'Replace', path: 'active', value: 'True' };
  await bridge.patch(path, change);
  const strictly = { authorization: `Bearer ${token.token}` };
  const unknown = toPatch({ op: 'add', path: 'shoeSize', value: 42 });
  await bridge.request('PATCH', path, unknown, strictly);
  const [, repaired, refused] = await untilLogged(bridge, 3);

  const notes = [repaired?.written].flat().filter((one) => Object(one).op === 'repair');
  expect(notes).toEqual([toNote('repair', 'op-case'), toNote('repair', 'boolean-as-text')]);
  expect(repaired?.refusal).toBe(null);
  // It was refused while its body was read.
  expect(refused?.written).toEqual([toNote('refuse', 'unknown-attribute-dropped')]);
  expect(await untilLogged(bridge, 1, '&credential=to-the-letter')).toEqual([refused]);
  expect(refused).toMatchObject({ credential: token.id, credentialName: 'to-the-letter' });
  for (const args of ['requests --credential to-the-letter', `why ${path.split('/')[2]}`])
    expect((await runner(bridge)(...args.split(' '))).text).toMatch(/ to-the-letter\b/);
});

test('why a request was refused is told as the provider was told, without words of the service', async () => {
  const bridge = await bridgeForTest();
  const partner = await makeProvider(bridge, 'partner', { domains: ['b.test'] });
  const path = `/Users/${await bridge.addUser('ada')}`;
  const answers = [
    await bridge.request('POST', '/Users', toUser('ada')),
    await partner.request('POST', '/Users', toUser('eve')),
    await partner.tryPatch(path, replace('active', false)),
    await bridge.tryPatch(path, { op: 'add', path: 'id', value: 'x' }),
    await bridge.request('PUT', path, { ...toUser('ada'), active: 'maybe' }),
    await bridge.request('GET', '/Users?filter=shoeSize'),
    await bridge.request('GET', '/Groups/nothing'),
    await bridge.request('PUT', '/Nowhere', {}),
    await bridge.request('POST', '/Bulk', {}),
  ];
  const told: unknown[] = answers.map(({ body }) => body.detail);
  const operation = { method: 'POST', path: '/Users', bulkId: 'a', data: toUser('ada') };
  const bulk = await bridge.request('POST', '/Bulk', { Operations: [operation] });
  told.push(Object([bulk.body.Operations].flat()[0]).response.detail);
  bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(422, 'message') });
  const byService = await bridge.tryPatch(path, replace('name.familyName', 'King'));
  const items = await untilLogged(bridge, 12);
  const { text } = await runner(bridge)('requests', '--status', '403');

  const shown = items.slice(1).map(({ refusal }) => refusal);
  expect(items[0]?.refusal).toBe(null);
  expect(shown).toEqual([...told, 'The service refused the change (status 422).']);
  expect(byService.body.detail).toContain('the sandbox was told to fail');
  expect(JSON.stringify(items)).not.toMatch(/example\.com|sandbox/);
  expect(told[1]).toContain('domain');
  expect(text).toContain(told[1]);
});

test('whatever a write drops is counted by kind, shown without its name, and logged with the id of the request', async () => {
  const lines: JsonObject[] = [];
  const onLog = (line: JsonObject) => lines.push(line);
  const bridge = await bridgeForTest({ onLog });
  const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
  const change = {
    shoeSize: 42,
    roles: [{ a: 1, value: 'r' }],
    name: { givenName: 'Ada', a: 1 },
    password: 'x',
    [enterprise]: { emplyeeNumber: '1' },
  };
  const id = await bridge.addUser('ada', change);
  await bridge.patch(
    `/Users/${id}`,
    { op: 'add', path: `${enterprise}:emplyeeNumber`, value: '1' },
    { op: 'add', path: 'urn:example:x:2.0:User:y', value: '1' },
    replace('title', 'Pilot'),
  );
  const data = toPatch({ op: 'add', value: { shoeSize: 1 } });
  const Operations = [{ method: 'PATCH', path: `/Users/${id}`, data }];
  await bridge.send('POST', '/Bulk', { Operations });
  await bridge.send('PUT', `/Users/${id}`, { ...toUser('ada'), id, groups: [] });
  const items = await untilLogged(bridge, 4);

  const listDrops = ({ written }: JsonObject) =>
    [written].flat().filter((one) => Object(one).op === 'drop');
  const [attribute, schema] = ['unknown-attribute-dropped', 'unknown-schema-dropped'] as const;
  expect(items.map(listDrops)).toEqual([
    [toNote('drop', attribute, 4), toNote('drop', 'password-dropped')],
    [toNote('drop', attribute), toNote('drop', schema)],
    [toNote('drop', attribute)],
    [toNote('drop', 'read-only-dropped', 2)],
  ]);
  expect(JSON.stringify(items)).not.toMatch(/shoeSize|emplyee/i);
  const told = lines.filter(({ msg }) => msg === 'parts of a request were not taken');
  expect(told.map(({ requestId }) => requestId)).toEqual(
    items.slice(0, 3).map(({ requestId }) => requestId),
  );
  expect(told[1]).toMatchObject({ parts: { [attribute]: 1, [schema]: 1 } });
});

test('nothing of a body is lost without being counted: doubled names, keys with a filter, values that say nothing', async () => {
  const bridge = await bridgeForTest();
  const ask = (method: 'POST' | 'PUT', path: string, body: JsonObject, doubled = '') =>
    sendRaw(bridge, { method, path, body: `{${doubled}${JSON.stringify(body).slice(1)}` });
  const emails = [{ value: 'bob@example.com', primary: true }, { type: 'home' }];
  const roles = [
    { value: '{"value":"pilot","id":"1"}', primary: true },
    { value: 'Pilot' },
    { value: 'captain', primary: true },
  ];
  const user = { ...toUser('bob', { emails, roles }), 'emails[type eq "home"].value': 'b@x' };
  expect((await ask('POST', '/Users', user, '"Title":"a","title":"b",')).status).toBe(201);
  const group = { ...toGroup('Crew'), TITLE: 'x', 'members[value eq "x"]': {}, externalid: 'a' };
  const made = await ask('POST', '/Groups', group, '"externalId":"b",');
  const remove = { op: 'remove', path: 'members[value eq "x"]', value: [{ value: 'y' }] };
  await bridge.patch(`/Groups/${made.body.id}`, remove);
  const items = await untilLogged(bridge, 3);

  const toDrops = ({ op, path, values }: JsonObject) =>
    op === 'drop' ? [`${path} ${values}`] : [];
  const drops = items.map(({ written }) => [written].flat().map(Object).flatMap(toDrops));
  expect(drops.map((some) => some.toSorted())).toEqual([
    [
      'duplicate-values 1',
      'empty-value-dropped 1',
      'json-in-text 1',
      'name-doubled 1',
      'several-primaries 1',
      'unknown-attribute-dropped 1',
    ],
    ['name-doubled 1', 'unknown-attribute-dropped 2'],
    ['remove-value-dropped 1'],
  ]);
});

test('a stop stores what waits', async () => {
  const { live } = await makeLives();
  await live((bridge) => bridge.addUser('ada'));
  const { body } = await live((bridge) => bridge.ops('GET', '/requests'));

  expect(body.items).toMatchObject([{ method: 'POST' }]);
});
