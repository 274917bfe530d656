import { beforeAll, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { toObjects } from '../support/operator.ts';
import { admit, dismiss, listResources, replace, toPatch } from '../support/provider.ts';

const ADMINS = `${GROUP_EXTENSION}:admins`;

const bridge = bridgeForSuite();

async function readTag(path: string): Promise<string> {
  return String((await bridge.send('GET', path)).headers.etag);
}

async function isUnchanged(path: string, tag: string): Promise<boolean> {
  return (await bridge.request('GET', path, undefined, { 'if-none-match': tag })).status === 304;
}

describe('the ETag of a group stays with the title of a member, and changes with', () => {
  const rename = toPatch(replace('userName', 'renamed@example.com'));
  const cases = [
    ['the name of a member', 'members', 'PATCH', rename],
    ['the name of an admin', 'admins', 'PATCH', rename],
    ['a deleted member', 'members', 'DELETE', undefined],
    ['a deleted admin', 'admins', 'DELETE', undefined],
  ] as const;

  test.each(cases)('%s', async (why, list, method, body) => {
    const user = await bridge.addUser(why.replaceAll(' ', '-'));
    const group = await bridge.addGroup(why, list === 'members' ? [user] : []);
    if (list === 'admins') await bridge.patch(`/Groups/${group}`, { ...admit(user), path: ADMINS });
    const tag = await readTag(`/Groups/${group}`);
    await bridge.patch(`/Users/${user}`, replace('title', 'Pilot'));
    expect(await isUnchanged(`/Groups/${group}`, tag)).toBe(true);

    await bridge.send(method, `/Users/${user}`, body);

    expect(await isUnchanged(`/Groups/${group}`, tag)).toBe(false);
    if (method !== 'DELETE') await bridge.send('DELETE', `/Users/${user}`);
  });
});

test('the ETag of a user changes with its groups and their names, and a write that names an older one is refused', async () => {
  const user = await bridge.addUser('joining');
  const tags = [await readTag(`/Users/${user}`)];
  const group = await bridge.addGroup('Joined', [user]);
  tags.push(await readTag(`/Users/${user}`));
  await bridge.patch(`/Groups/${group}`, replace('displayName', 'Renamed'));
  tags.push(await readTag(`/Users/${user}`));
  const change = toPatch(replace('title', 'Pilot'));
  const write = (tag: string | undefined) =>
    bridge.request('PATCH', `/Users/${user}`, change, { 'if-match': String(tag) });

  expect(new Set(tags).size).toBe(3);
  expect((await write(tags[1])).status).toBe(412);
  expect((await write(tags[2])).status).toBe(200);
});

describe('a user who was read is shown anew, by id and in a list, after', () => {
  const bridge = bridgeForSuite();
  type Act = (given: { user: string; group: string; name: string }) => Promise<unknown>;
  const pilot = replace('title', 'Pilot');
  const change: Act = ({ user }) => bridge.patch(`/Users/${user}`, pilot);
  const rename: Act = ({ group, name }) =>
    bridge.patch(`/Groups/${group}`, replace('displayName', `New ${name}`));
  const leave: Act = ({ user, group }) => bridge.patch(`/Groups/${group}`, dismiss(user));
  const join: Act = ({ user, name }) => bridge.addGroup(`Joined ${name}`, [user]);
  const end: Act = ({ group }) => bridge.send('DELETE', `/Groups/${group}`);
  const endObserved: Act = async ({ name }) => {
    bridge.sandbox.service.deleteGroup(`Seen ${name}`);
    await bridge.sweep();
  };

  test.each<[change: string, act: Act, groups: string[]]>([
    ['a PATCH', change, ['Kept', 'Seen']],
    ['the rename of a group', rename, ['New', 'Seen']],
    ['leaving a group', leave, ['Seen']],
    ['joining a group', join, ['Joined', 'Kept', 'Seen']],
    ['the deletion of a group', end, ['Seen']],
    ['the end of an observed group in the service', endObserved, ['Kept']],
  ])('%s', async (why, act, groups) => {
    const name = why.replaceAll(' ', '-');
    const user = await bridge.addUser(name);
    const group = await bridge.addGroup(`Kept ${name}`, [user]);
    bridge.sandbox.service.createGroup({ name: `Seen ${name}` });
    bridge.sandbox.service.link(`Seen ${name}`, `${name}@example.com`);
    await bridge.sweep();
    const read = async () => [
      (await bridge.send('GET', `/Users/${user}`)).body,
      ...(await bridge.find('/Users', `userName sw "${name}"`)),
    ];
    const before = await read();
    expect(await read()).toEqual(before);

    await act({ user, group, name });

    const after = await read();
    expect(after).not.toEqual(before);
    const shown = after.map((one) => toObjects(one.groups).map(({ display }) => display));
    const wanted = groups.map((kind) => `${kind} ${name}`);
    expect(shown.map((displays) => displays.toSorted())).toEqual([wanted, wanted]);
  });
});

describe('If-None-Match stops a write', () => {
  test.each(['*', 'of this version'])('that it excludes alone: %s', async (excluded) => {
    const user = await bridge.addUser(`excluded-${excluded.length}`);
    const group = await bridge.addGroup(`Excluded ${excluded}`, [user]);
    for (const path of [`/Users/${user}`, `/Groups/${group}`]) {
      const { body } = await bridge.send('GET', path);
      const tag = await readTag(path);
      const patch = toPatch(replace('externalId', `${path} ${excluded}`));
      const bodies = { PUT: { ...body, displayName: 'Other' }, PATCH: patch, DELETE: undefined };
      for (const [method, sent] of Object.entries(bodies)) {
        const headers = { 'if-none-match': excluded === '*' ? '*' : tag };
        const answer = await bridge.request(method, path, sent, headers);
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 412 });
      }
      expect((await bridge.send('GET', path)).body).toEqual(body);
      const headers = { 'if-none-match': 'W/"999"' };
      expect((await bridge.request('PATCH', path, patch, headers)).status).toBeLessThan(300);
    }
  });
});

test('what the service says of an account that nobody manages is shown, and survives a write', async () => {
  const bridge = await bridgeForTest({ sandbox: { seed: { users: 1 } } });
  const [shown = {}] = await bridge.find('/Users', 'userName eq "user00001"');
  const said = { role: 2, virtual: false };
  expect(shown).toMatchObject({ [USER_EXTENSION]: said });
  expect(shown.schemas).toContain(USER_EXTENSION);

  const body: JsonValue = { userName: 'user00001', externalId: 'x' };
  const put = await bridge.request('PUT', `/Users/${shown.id}`, body);
  expect(put).toMatchObject({ status: 200, body: { externalId: 'x', [USER_EXTENSION]: said } });
});

test('the flags of an observed group are shown, and leaving them out of a PUT is no change of them', async () => {
  const prepare: NonNullable<TestBridgeOptions['prepare']> = ({ service }) => {
    service.createGroup({ name: 'Boards', addToCardsAndSpacesEnabled: true });
  };
  const bridge = await bridgeForTest({ prepare });
  const [shown = {}] = await bridge.find('/Groups', 'displayName eq "Boards"');
  const flags = { permissions: 0, addToCardsAndSpacesEnabled: true };
  expect(shown).toMatchObject({ [GROUP_EXTENSION]: flags });

  bridge.sandbox.calls.reset();
  const body: JsonValue = { displayName: 'Boards', externalId: 'x' };
  const put = await bridge.request('PUT', `/Groups/${shown.id}`, body);
  expect(put).toMatchObject({ status: 200, body: { externalId: 'x', [GROUP_EXTENSION]: flags } });
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
});

const BOB = 'user00002@example.com';

/** What others do in the service with groups that nobody manages; ann is in Group 001, bob in Group 002. */
const come = (service: Sandbox['service']) => service.link('Group 001', BOB);
const rename: typeof come = (service) => service.updateGroup('Group 002', { name: 'Pilots' });
const changes: readonly (readonly [why: string, ofBob: string[], act: typeof come])[] = [
  ['somebody came', ['Group 001', 'Group 002'], come],
  ['a group got another name', ['Pilots'], rename],
];

async function readGroups(bridge: TestBridge) {
  const of = async (name: string) => {
    const [user] = await bridge.find('/Users', `userName eq "${name}"`);
    return toObjects(user?.groups)
      .map(({ display }) => String(display))
      .toSorted();
  };
  return { ann: await of('user00001'), bob: await of('user00002') };
}

describe('the groups that users show', () => {
  const openCompany = () =>
    bridgeForTest({ sandbox: { seed: { users: 2, groups: 2, membersPerGroup: 1 } } });

  test.each(changes)('are new after a sweep where %s', async (_, bob, act) => {
    const bridge = await openCompany();
    act(bridge.sandbox.service);

    await bridge.sweep();

    expect(await readGroups(bridge)).toEqual({ ann: ['Group 001'], bob });
  });

  test('are new after a look at one group', async () => {
    const bridge = await openCompany();
    const id = await bridge.findId({ type: 'Groups', name: 'Group 001' });
    bridge.sandbox.service.link('Group 001', BOB);

    await bridge.ops('POST', `/groups/${id}/look`, {});

    expect((await readGroups(bridge)).bob).toEqual(['Group 001', 'Group 002']);
  });
});

describe('absolute references', () => {
  const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
  const publicUrl = 'https://scim.example.com/bridge';
  const base = `${publicUrl}/scim/v2`;

  const bridge = bridgeForSuite({ publicUrl });
  let ada: string;
  let bob: string;
  let pilots: string;
  const display = 'x","$ref":"../Groups/y';

  beforeAll(async () => {
    ada = await bridge.addUser('ada');
    const manager = { value: ada, $ref: `../Users/${ada}` };
    bob = await bridge.addUser('bob', { title: display, [ENTERPRISE]: { manager } });
    pilots = await bridge.addGroup(display, [bob]);
    await bridge.patch(`/Groups/${pilots}`, { ...admit(ada), path: ADMINS });
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
      const filter = `id eq "${bob}" or id eq "${pilots}"`;
      const [person, group] = await find('/.search', { filter, ...more });
      expectUser(person);
      expectGroup(group);
    }
  });

  test('after every write', async () => {
    expectUser((await bridge.patch(`/Users/${bob}`, replace('nickName', 'Bobby'))).body);
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
    for (const { $ref, value } of toObjects(body.members)) {
      expect((await bridge.send('GET', String($ref).replace(base, ''))).body.id).toBe(value);
      const found = await bridge.find('/Groups', `members[$ref eq "${$ref}"]`);
      expect(found.map(({ id }) => id)).toEqual([pilots]);
    }
  });
});
