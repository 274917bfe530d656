import { beforeAll, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { listResources, replace, toPatch } from '../support/provider.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const publicUrl = 'https://scim.example.com/bridge';
const base = `${publicUrl}/scim/v2`;

const bridge = forSuite(() => startTestBridge({ publicUrl }));
let ada: string;
let bob: string;
let pilots: string;
/** A name that looks like what is put right. */
const display = 'x","$ref":"../Groups/y';

beforeAll(async () => {
  ada = await bridge.addUser('ada');
  const manager = { value: ada, $ref: `../Users/${ada}` };
  bob = await bridge.addUser('bob', { title: display, [ENTERPRISE]: { manager } });
  pilots = await bridge.addGroup(display, [bob]);
  const admins = toPatch({ op: 'add', path: `${GROUP_EXTENSION}:admins`, value: [{ value: ada }] });
  await bridge.send('PATCH', `/Groups/${pilots}`, admins);
});

const user = () => ({ value: ada, $ref: `${base}/Users/${ada}` });

function expectUser(shown: JsonObject | undefined): void {
  expect(shown).toMatchObject({
    title: display,
    groups: [{ value: pilots, $ref: `${base}/Groups/${pilots}`, display, type: 'direct' }],
    [ENTERPRISE]: { manager: user() },
    meta: { location: `${base}/Users/${bob}` },
  });
}

function expectGroup(shown: JsonObject | undefined): void {
  const ref = `${base}/Users/${bob}`;
  expect(shown).toMatchObject({
    displayName: display,
    members: [{ value: bob, $ref: ref, display: 'bob@example.com', type: 'User' }],
    [GROUP_EXTENSION]: { admins: [{ ...user(), display: 'ada@example.com', type: 'User' }] },
    meta: { location: `${base}/Groups/${pilots}` },
  });
}

test('of groups, members, admins and managers start with the public address', async () => {
  expectUser((await bridge.send('GET', `/Users/${bob}`)).body);
  expectGroup((await bridge.send('GET', `/Groups/${pilots}`)).body);
});

test('in lists and searches too, with and without a projection', async () => {
  const find = async (path: string, body: JsonValue) =>
    listResources(await bridge.send('POST', path, body));
  for (const more of [{}, { excludedAttributes: ['nickName'] }]) {
    expectUser((await find('/Users/.search', { filter: `id eq "${bob}"`, ...more }))[0]);
    expectGroup((await find('/Groups/.search', { filter: `id eq "${pilots}"`, ...more }))[0]);
    const [person, group] = await find('/.search', {
      filter: `id eq "${bob}" or id eq "${pilots}"`,
      ...more,
    });
    expectUser(person);
    expectGroup(group);
  }
});

test('after every write', async () => {
  const touch = toPatch(replace('nickName', 'Bobby'));
  expectUser((await bridge.send('PATCH', `/Users/${bob}`, touch)).body);
  const same = (await bridge.send('GET', `/Groups/${pilots}`)).body;
  expectGroup((await bridge.send('PUT', `/Groups/${pilots}`, same)).body);
});

test('may be sent back as they were answered, which changes nothing', async () => {
  for (const path of [`/Users/${bob}`, `/Groups/${pilots}`]) {
    const { body } = await bridge.send('GET', path);
    await bridge.send('PUT', path, body);
    expect((await bridge.send('GET', path)).body).toEqual(body);
  }
});

test('lead to what they name, and a filter finds them as they are shown', async () => {
  const { body } = await bridge.send('GET', `/Groups/${pilots}`);
  const members = Array.isArray(body.members) ? body.members.filter(isJsonObject) : [];
  for (const { $ref, value } of members) {
    const path = String($ref).replace(base, '');
    expect((await bridge.send('GET', path)).body.id).toBe(value);
    const found = await bridge.send('POST', '/Groups/.search', {
      filter: `members[$ref eq "${$ref}"]`,
    });
    expect(listResources(found).map(({ id }) => id)).toEqual([pilots]);
  }
});
