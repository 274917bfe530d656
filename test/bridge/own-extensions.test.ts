import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { bridgeForSuite, startBridgeOf } from '../support/bridge.ts';
import { replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import { takeStore } from '../support/take-store.ts';

type Row = [why: string, operations: JsonObject[], change?: object | null];
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const [CREW, TEAM] = ['urn:example:crew:1.0:User', 'urn:example:team:1.0:Group'];
const table = parse(read('own-extensions.yaml').replaceAll('{service}', USER_EXTENSION));
const [, example = ''] = /```yaml\n(scim:[^`]*)```/.exec(read('../../docs/providers.md')) ?? [];
const SCIM_EXTENSIONS = JSON.stringify([...table.settings, ...parse(example).scim.extensions]);
const settings = { SCIM_EXTENSIONS, GROUPS_PERMISSIONS_MAX: '31' };
const bridge = bridgeForSuite({ settings });
const toCrew = (licence: number) => ({ [CREW]: { ...table.first, licence } });

test('extensions are described, with the type of the field that an attribute stands for', async () => {
  const { body } = await bridge.send('GET', `/Schemas/${CREW}`);
  expect(Object(body.attributes).at(-1)).toMatchObject({ name: 'licence', type: 'integer' });
  expect(body.attributes).not.toContainEqual(expect.objectContaining({ field: expect.anything() }));
  for (const { urn, resource } of JSON.parse(SCIM_EXTENSIONS)) {
    const type = await bridge.send('GET', `/ResourceTypes/${resource}`);
    expect(type.body.schemaExtensions).toContainEqual({ schema: urn, required: false });
  }
});

test('values are found, sorted, selected, and stay without the setting until a PUT', async () => {
  const [service, store] = [await startSandbox(), await takeStore(inject('engine'))];
  const own = { DATABASE_URL: store.url };
  const first = await startBridgeOf(service, { settings: { ...settings, ...own } });
  const ada = await first.addUser('ada', { [CREW.toUpperCase()]: table.spelt });
  await first.addUser('bob', { [CREW]: table.second });
  const { body: shown } = await first.send('GET', `/Users/${ada}`);
  expect(shown).toMatchObject({ schemas: expect.arrayContaining([CREW]), [CREW]: table.first });
  const find = async (query: string) =>
    (await first.list(`/Users?${encodeURI(query)}`)).map(({ id }) => id);
  for (const filter of table.filters)
    expect([filter, await find(`filter=${CREW}:${filter}`)]).toEqual([filter, [ada]]);
  for (const name of Object.keys(table.first))
    expect([name, (await find(`sortBy=${CREW}:${name}`))[0]]).toEqual([name, ada]);
  const some = await first.send('GET', `/Users/${ada}?attributes=${CREW}:rate`);
  expect(some.body).toEqual({ schemas: shown.schemas, id: ada, [CREW]: { rate: 1.5 } });
  await first.stop();
  const second = await startBridgeOf(service, { settings: own });
  const kept = await second.patch(`/Users/${ada}`, replace(`${CREW}:floor`, 7));
  const put = await second.send('PUT', `/Users/${ada}`, toUser('ada', toCrew(1)));
  expect([kept.body[CREW], put.body[CREW]]).toEqual([table.first, undefined]);
  await second.stop();
  await service.stop();
  await store.giveBack();
});

test.each<Row>(table.patches)('a PATCH with %s', async (why, operations, change) => {
  const name = why.replaceAll(' ', '-');
  const path = `/Users/${await bridge.addUser(name, toCrew(5))}`;
  const { status, body } = await bridge.tryPatch(path, ...operations);
  if (change === undefined) expect([status, body.scimType]).toEqual([400, 'invalidValue']);
  const wanted = change === null ? undefined : { ...table.first, licence: 5, ...change };
  expect((await bridge.send('GET', path)).body[CREW]).toEqual(wanted);
  const account = bridge.sandbox.service.getUser(`${name}@example.com`);
  expect(account).toMatchObject({ appsPermissions: wanted?.licence ?? 5 });
});

test.each<[object, string]>(table.wrong)('%j stops the start', (wrong, message) => {
  const one = { urn: 'urn:example:one', resource: 'User', attributes: [{ name: 'a' }] };
  const extensions = JSON.stringify([one, { ...one, urn: 'urn:example:two', ...wrong }]);
  const load = () => loadSettings({ env: { SCIM_EXTENSIONS: extensions }, readFile: String });
  expect(load).toThrow(`scim.extensions (from SCIM_EXTENSIONS): entry 2 ${message}`);
});

test('a field reaches the service by PUT and Bulk, and alone it is no extension but where it is given so', async () => {
  const alone = toUser('eve', { [CREW]: { licence: 5 } });
  expect((await bridge.request('POST', '/Users', alone)).status).toBe(400);
  const path = `/Users/${await bridge.addUser('eve', toCrew(1))}`;
  expect((await bridge.request('PUT', path, alone)).status).toBe(400);
  const put = await bridge.send('PUT', path, toUser('eve', toCrew(4)));
  expect(put.body[USER_EXTENSION]).toEqual({ appsPermissions: 4 });
  const bulk = { method: 'PATCH', path, data: toPatch(replace(`${CREW}:licence`, 6)) };
  await bridge.send('POST', '/Bulk', { schemas: [], Operations: [bulk] });
  expect(bridge.sandbox.service.getUser('eve@example.com').appsPermissions).toBe(6);
  const both = { ...toCrew(4), [USER_EXTENSION]: { appsPermissions: 1 }, active: false };
  const off = await bridge.send('PUT', path, toUser('eve', both));
  expect(off.body).toMatchObject({ ...toCrew(6), active: false });
  const gone = Object.keys(table.first).map((name) => ({ op: 'remove', path: `${CREW}:${name}` }));
  expect((await bridge.patch(path, ...gone)).body[CREW]).toEqual({ licence: 6 });
});

test('a field of a group changes alone, and stays where a PUT leaves it out', async () => {
  const flags = { permissions: 3, addToCardsAndSpacesEnabled: true };
  const { id } = (await bridge.send('POST', '/Groups', toGroup('Team', [], flags))).body;
  const put = async (body: JsonObject) =>
    (await bridge.send('PUT', `/Groups/${id}`, { displayName: 'Team', ...body })).body;
  await put({ [TEAM]: { rights: 1 } });
  const shown = { [TEAM]: { rights: 1 }, [GROUP_EXTENSION]: { ...flags, permissions: 1 } };
  expect(await put({})).toMatchObject(shown);
  expect(bridge.sandbox.service.getGroup('Team').permissions).toBe(1);
  expect(await put({ [TEAM]: { rights: null } })).not.toHaveProperty([TEAM]);
});
