import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { startBridgeOf } from '../support/bridge.ts';
import { readBridge, readService, withoutGone } from '../support/company.ts';
import { assertFindsEveryKind } from '../support/drift-cells.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { admit, dismiss, replace, toUser } from '../support/provider.ts';

const settings = { GROUPS_PERMISSIONS_MAX: '31', SWEEP_ADMINS_EVERY: '1', SCIM_WRITE_WAIT: '20s' };
const ADMINS = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins';
const page = { default: 4, max: 5 };

/** Services that differ in everything that a bridge can live with. */
const shapes: Readonly<Record<string, SandboxShapeChange>> = {
  'that takes little and says little': {
    ...{ userId: 'string', groupId: 'uid', createName: 'ignored', createUserName: 'refused' },
    ...{ emailsAccepted: 'strings', memberPatch: 'none', listCarriesMembers: false },
    ...{ filter: 'refused', errorBody: 'empty', inactiveMembers: 'refused' },
    pages: { scimUsers: page, scimGroups: page, companyUsers: page, groups: page },
    ...{ creatorBecomesAdmin: true, changeStatus: 204 },
  },
  'that is generous and loose': {
    ...{ groupId: 'own', memberPatch: 'array', filter: 'ignored', uniqueGroupNames: 'nowhere' },
    updatable: ['active', 'name', 'userName', 'emails'],
  },
};

async function startInhabited(shape: SandboxShapeChange = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ shape });
  for (let index = 0; index < 9; index += 1)
    sandbox.service.addUser({ email: `old${index}@example.com`, fullName: `Old Person${index}` });
  sandbox.service.addUser({ email: 'bob@example.com', fullName: 'Bob Example' });
  sandbox.service.addUser({ email: 'ben@example.com', fullName: 'Ben Example' });
  sandbox.service.createGroup({ name: 'Old' });
  return sandbox;
}

async function startAlone(shape: SandboxShapeChange, options: TestBridgeOptions = {}) {
  const sandbox = await startInhabited(shape);
  onTestFinished(() => sandbox.stop());
  return { sandbox, bridge: await forTest(startBridgeOf(sandbox, { settings, ...options })) };
}

let sandbox: Sandbox;
let bridge: TestBridge;

function shareBridge(shape: SandboxShapeChange): void {
  beforeAll(async () => {
    sandbox = await startInhabited(shape);
    bridge = await startBridgeOf(sandbox, { settings });
  });
  afterEach(() => sandbox.faults.clear());
  afterAll(async () => {
    await bridge.stop();
    await sandbox.stop();
  });
}

async function live(bridge: TestBridge): Promise<void> {
  const ids = new Map<string, string>();
  for (const name of ['ann', 'ben', 'cy', 'dan', 'eve', 'fay', 'gil', 'hal', 'ida'])
    ids.set(name, await bridge.addUser(name));
  const id = (name: string) => ids.get(name) ?? '';
  const flyers = `/Groups/${await bridge.addGroup('Flyers', [...ids.values()])}`;
  const crew = `/Groups/${await bridge.addGroup('Crew', [id('ann')])}`;
  for (const name of ['Red', 'Green', 'Blue', 'Pink', 'Grey']) await bridge.addGroup(name);
  const away = ['ben', 'cy', 'dan'].map((name) => dismiss(id(name)));
  const king = replace('name.familyName', 'King');
  await bridge.patch(flyers, ...away);
  await bridge.patch(flyers, admit(id('cy'), id('dan')));
  await bridge.patch(flyers, { ...admit(id('ann')), path: ADMINS });
  await bridge.patch(`/Users/${id('ann')}`, king);
  await bridge.patch(flyers, replace('displayName', 'Aviators'));
  await bridge.patch(`/Users/${id('cy')}`, replace('active', false));
  await bridge.patch(`/Users/${id('cy')}`, replace('active', true));
  await bridge.patch(`/Users/${id('eve')}`, replace('active', false));
  await bridge.send('DELETE', crew);
  await bridge.send('DELETE', `/Users/${id('fay')}`);
  const gil = toUser('gil', { name: { givenName: 'Gil', familyName: 'Pond' } });
  await bridge.settled(bridge.send('PUT', `/Users/${id('gil')}`, gil));
}

describe.each(Object.entries(shapes))('a service %s', (_, shape) => {
  shareBridge(shape);

  test('becomes what providers ask for, and nothing of it is drift', async () => {
    await live(bridge);

    const shown = await readBridge(bridge);
    const held = readService(sandbox);
    expect(shown).toEqual(withoutGone(held, shown));
    const flyers = ['ann', 'cy', 'dan', 'eve', 'gil', 'hal', 'ida'];
    const addresses = flyers.map((name) => `${name}@example.com`);
    expect(held.groups.Aviators?.members).toEqual(addresses);
    expect(await bridge.sweep()).toMatchObject({ status: 'complete', reasons: [] });
    expect(await bridge.listDrifts()).toEqual([]);
  });

  test('is compared completely, whatever somebody else changes in it', () =>
    assertFindsEveryKind(bridge));
});

describe('a service whose lists of groups carry no members', () => {
  shareBridge({ listCarriesMembers: false });

  test.each([204, 403])(
    'members whose list is suddenly answered with %d are asked of SCIM, and nobody counts as removed',
    async (status) => {
      const [name, group] = [`ada${status}`, `Answered with ${status}`];
      await bridge.addGroup(group, [await bridge.addUser(name)]);
      const fault = { kind: 'status', status, body: 'empty' } as const;
      sandbox.faults.add({ operation: 'groupUsers.getListOfGroupUsers', fault });

      expect(await bridge.sweep()).toMatchObject({ status: 'complete', reasons: [] });
      expect(await bridge.listDrifts()).toEqual([]);
      sandbox.service.unlink(group, `${name}@example.com`);
      await bridge.sweep();
      expect(await bridge.listDrifts()).toEqual([`member.removed ${group} of ${name}@example.com`]);
      sandbox.service.link(group, `${name}@example.com`);
      await bridge.sweep();
    },
  );

  test('a removal or deactivation that is refused as nothing to change is done, as a look shows', async () => {
    const [ned, nora] = await bridge.addPeople('ned', 'nora');
    const path = `/Groups/${await bridge.addGroup('Nothing', [ned, nora])}`;
    await bridge.untilSettled();
    sandbox.service.unlink('Nothing', 'nora@example.com');
    sandbox.service.updateUser('ned@example.com', { active: false });
    for (const operation of ['groupUsers.removeUserFromGroup', 'scim.updateUser'] as const)
      sandbox.faults.add({ operation, fault: failing(400) });

    await bridge.patch(path, dismiss(nora));
    await bridge.settled(bridge.patch(`/Users/${ned}`, replace('active', false)));

    expect(sandbox.service.members('Nothing')).toEqual(['ned@example.com']);
  });

  test('what it does not have at all is refused, and the rest goes on', async () => {
    const ids = await Promise.all(['una', 'uma', 'udo'].map((name) => bridge.addUser(name)));
    sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(501) });

    for (const id of ids)
      expect((await bridge.tryPatch(`/Users/${id}`, replace('active', false))).status).toBe(403);
    await bridge.settled(bridge.addGroup('The rest'));

    expect(Object.keys(readService(sandbox).groups)).toContain('The rest');
  });

  test('403 for a group that is gone leaves the others open, and the sweep incomplete', async () => {
    await bridge.addGroup('Pink');
    sandbox.service.deleteGroup('Pink');
    for (const operation of ['scim.getGroup', 'groups.getGroup'] as const)
      sandbox.faults.add({ operation, fault: failing(403) });

    const { status, reasons } = await bridge.sweep();

    expect(status).toBe('incomplete');
    expect(String(reasons)).toMatch(/some groups could not be looked at/);
    expect((await bridge.request('GET', '/Groups')).status).toBe(200);
  });
});

test('one page again and again: the first read waits', async () => {
  const { sandbox, bridge } = await startAlone(
    { offsetIgnoredBy: ['scimUsers'], pages: { scimUsers: { default: 4, max: 4 } } },
    { awaitsFirstRead: false },
  );

  await expect.poll(() => sandbox.calls.count({ operation: 'scim.getUsers' })).toBeGreaterThan(1);

  const reason = 'The first read of the service is not finished: users';
  expect((await bridge.readReadiness()).text).toContain(reason);
  expect((await bridge.request('GET', '/Users')).status).toBe(503);
  expect(sandbox.calls.count({ mutating: true })).toBe(0);
});

test('a user is created where the service fails at one form of an address', async () => {
  const { sandbox, bridge } = await startAlone({ emailsAccepted: 'objects' });
  sandbox.faults.add({ operation: 'scim.addUser', about: '"emails":["', fault: failing(500) });

  await bridge.settled(bridge.addUser('ada'));
  await bridge.settled(bridge.addUser('eve'));

  expect(Object.keys(readService(sandbox).people)).toContain('ada@example.com');
  // The first form, the other one, and of the next user the known one.
  expect(sandbox.calls.count({ operation: 'scim.addUser' })).toBe(3);
});

test('memberships that a deactivation ended are told, and put right where that is the policy', async () => {
  const repair = { ...settings, DRIFT_POLICY: '{"member.removed":"repair"}' };
  const shape = { inactiveMembers: 'dropped' } as const;
  const { sandbox, bridge } = await startAlone(shape, { settings: repair });
  const id = await bridge.addUser('ada');
  await bridge.addGroup('Pilots', [id]);
  for (const value of [false, true]) await bridge.patch(`/Users/${id}`, replace('active', value));
  await bridge.untilSettled();
  const before = sandbox.service.members('Pilots');

  await bridge.settled(bridge.sweep());

  expect(before).toEqual([]);
  await expect.poll(() => sandbox.service.members('Pilots')).toEqual(['ada@example.com']);
});
