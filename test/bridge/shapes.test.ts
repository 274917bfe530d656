import { describe, expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import { startBridgeOf, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { readBridge, readService, withoutGone } from '../support/company.ts';
import { assertFindsEveryKind } from '../support/drift-cells.ts';
import {
  addGroup,
  addUser,
  send,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SWEEP_ADMINS_EVERY: '1', SCIM_WRITE_WAIT: '20s' };
const ADMINS = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins';
const page = { default: 4, max: 5 };

/** Services that differ in everything that a bridge can live with. */
const shapes: Readonly<Record<string, SandboxShapeChange>> = {
  'that takes little and says little': {
    userId: 'string',
    groupId: 'uid',
    memberValue: 'string',
    createName: 'ignored',
    createUserName: 'refused',
    emailsAccepted: 'strings',
    memberPatch: 'none',
    patchAnswersMembers: false,
    listCarriesMembers: false,
    filter: 'refused',
    errorBody: 'empty',
    pages: { scimUsers: page, scimGroups: page, companyUsers: page, groups: page },
    listOrder: 'desc',
    inactiveMembers: 'refused',
    creatorBecomesAdmin: true,
    deleteStatus: 204,
    updateStatus: 204,
    rateLimitHeaders: 'none',
  },
  'that is generous and loose': {
    groupId: 'own',
    memberValueAccepted: 'both',
    addDeactivatedUser: 'reactivates',
    updatable: ['active', 'name', 'userName', 'emails'],
    patchSyntax: 'lenient',
    memberPatch: 'array',
    filter: 'ignored',
    companyUsersPaging: 'section-else-all',
    uniqueGroupNames: 'nowhere',
    repeatedMember: 'accepted',
    emailsReturned: 'strings',
  },
};

/** A company that is there before the bridge. */
async function startInhabited(shape: SandboxShapeChange = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ shape });
  onTestFinished(() => sandbox.stop());
  for (let index = 0; index < 9; index += 1) {
    sandbox.service.addUser({ email: `old${index}@example.com`, fullName: `Old Person${index}` });
  }
  sandbox.service.addUser({ email: 'bob@example.com', fullName: 'Bob Example' });
  sandbox.service.createGroup({ name: 'Old' });
  return sandbox;
}

async function startInFrontOf(sandbox: Sandbox, options: TestBridgeOptions = {}) {
  const bridge = await startBridgeOf(sandbox, { settings, ...options });
  onTestFinished(() => bridge.stop());
  return bridge;
}

async function patch(bridge: TestBridge, path: string, ...operations: Parameters<typeof toPatch>) {
  await send(bridge, 'PATCH', path, toPatch(...operations));
}

/** All that providers ask for, one after another. */
async function live(bridge: TestBridge): Promise<void> {
  const ids = new Map<string, string>();
  for (const name of ['ada', 'bob', 'cy', 'dan', 'eve', 'fay', 'gil', 'hal', 'ida']) {
    ids.set(name, await addUser(bridge, name));
  }
  const id = (name: string) => ids.get(name) ?? '';
  const pilots = `/Groups/${await addGroup(bridge, 'Pilots', [...ids.values()])}`;
  const crew = `/Groups/${await addGroup(bridge, 'Crew', [id('ada')])}`;
  for (const name of ['Red', 'Green', 'Blue', 'Pink', 'Grey']) await addGroup(bridge, name);
  const away = ['bob', 'cy', 'dan'].map((name) => ({
    op: 'remove',
    path: `members[value eq "${id(name)}"]`,
  }));
  const king = { op: 'replace', path: 'name.familyName', value: 'King' };
  await patch(bridge, pilots, ...away);
  const back = toMembers([id('cy'), id('dan')]);
  await patch(bridge, pilots, { op: 'add', path: 'members', value: back });
  await patch(bridge, pilots, { op: 'add', path: ADMINS, value: toMembers([id('ada')]) });
  await patch(bridge, `/Users/${id('ada')}`, king);
  await patch(bridge, pilots, { op: 'replace', path: 'displayName', value: 'Aviators' });
  await patch(bridge, `/Users/${id('cy')}`, { op: 'replace', path: 'active', value: false });
  await patch(bridge, `/Users/${id('cy')}`, { op: 'replace', path: 'active', value: true });
  await patch(bridge, `/Users/${id('eve')}`, { op: 'replace', path: 'active', value: false });
  await send(bridge, 'DELETE', crew);
  await send(bridge, 'DELETE', `/Users/${id('fay')}`);
  const gil = toUser('gil', { name: { givenName: 'Gil', familyName: 'Pond' } });
  await send(bridge, 'PUT', `/Users/${id('gil')}`, gil);
  await untilSettled(bridge);
}

describe.each(Object.entries(shapes).map(([name, shape]) => ({ name, shape })))(
  'a service $name',
  ({ shape }) => {
    test('becomes what providers ask for, and nothing of it is drift', async () => {
      const sandbox = await startInhabited(shape);
      const bridge = await startInFrontOf(sandbox);

      await live(bridge);

      const shown = await readBridge(bridge);
      const held = readService(sandbox);
      expect(shown).toEqual(withoutGone(held, shown));
      expect(held.groups.Aviators?.members).toEqual(
        ['ada', 'cy', 'dan', 'eve', 'gil', 'hal', 'ida'].map((name) => `${name}@example.com`),
      );
      expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
      expect(await listManagedDrifts(bridge)).toEqual([]);
    });

    test('is compared completely, whatever somebody else changes in it', async () => {
      const options = { ...settings, GROUPS_PERMISSIONS_MAX: '31' };
      const sandbox = await startInhabited(shape);

      await assertFindsEveryKind(await startInFrontOf(sandbox, { settings: options }));
    });
  },
);

test('403 for a group that is gone leaves the others open, and the sweep incomplete', async () => {
  const sandbox = await startInhabited();
  const bridge = await startInFrontOf(sandbox);
  await addGroup(bridge, 'Pilots');
  await addGroup(bridge, 'Pink');
  sandbox.service.deleteGroup('Pink');
  for (const operation of ['scim.getGroup', 'groups.getGroup'] as const) {
    sandbox.faults.add({ operation, fault: { kind: 'status', status: 403 } });
  }

  const { status, reasons } = await sweep(bridge);

  expect(status).toBe('incomplete');
  expect(String(reasons)).toMatch(/could not be looked for/);
  expect((await bridge.request('GET', '/Groups')).status).toBe(200);
});

test('one page again and again: the first read waits', async () => {
  const sandbox = await startInhabited({
    offsetIgnoredBy: ['scimUsers'],
    pages: { scimUsers: { default: 4, max: 4 } },
  });
  const bridge = await startInFrontOf(sandbox, { awaitsFirstRead: false });
  const readiness = () => bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);

  await expect.poll(() => sandbox.calls.count({ operation: 'scim.getUsers' })).toBeGreaterThan(1);

  expect((await readiness()).text).toContain(
    'The first read of the service is not finished: users',
  );
  expect((await bridge.request('GET', '/Users')).status).toBe(503);
  expect(sandbox.calls.count({ mutating: true })).toBe(0);
});

test.each([204, 403])(
  'members whose list is suddenly answered with %d are asked of SCIM, and nobody counts as removed',
  async (status) => {
    const sandbox = await startInhabited({ listCarriesMembers: false });
    const bridge = await startInFrontOf(sandbox);
    await addGroup(bridge, 'Pilots', [await addUser(bridge, 'ada')]);
    const fault = { kind: 'status', status, body: 'empty' } as const;
    sandbox.faults.add({ operation: 'groupUsers.getListOfGroupUsers', fault });

    expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
    expect(await listManagedDrifts(bridge)).toEqual([]);
    sandbox.service.removeMember('Pilots', 'ada@example.com');
    await sweep(bridge);
    expect(await listManagedDrifts(bridge)).toEqual(['member.removed Pilots of ada@example.com']);
  },
);

test('a removal or deactivation that is refused as nothing to change is done, as a look shows', async () => {
  const sandbox = await startInhabited();
  const bridge = await startInFrontOf(sandbox);
  const [ada, bob] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
  const pilots = `/Groups/${await addGroup(bridge, 'Pilots', [ada, bob])}`;
  await untilSettled(bridge);
  sandbox.service.removeMember('Pilots', 'bob@example.com');
  sandbox.service.setActive('ada@example.com', false);
  const refused = { kind: 'status', status: 400 } as const;
  for (const operation of ['groupUsers.removeUserFromGroup', 'scim.updateUser'] as const) {
    sandbox.faults.add({ operation, fault: refused });
  }

  await patch(bridge, pilots, { op: 'remove', path: `members[value eq "${bob}"]` });
  await patch(bridge, `/Users/${ada}`, { op: 'replace', path: 'active', value: false });
  await untilSettled(bridge);

  expect(sandbox.service.members('Pilots')).toEqual(['ada@example.com']);
});

test('a user is created where the service fails at one form of an address', async () => {
  const sandbox = await startInhabited({ emailsAccepted: 'objects' });
  const failure = { kind: 'status', status: 500 } as const;
  sandbox.faults.add({ operation: 'scim.addUser', about: '"emails":["', fault: failure });
  const bridge = await startInFrontOf(sandbox);

  await addUser(bridge, 'ada');
  await untilSettled(bridge);
  await addUser(bridge, 'eve');
  await untilSettled(bridge);

  expect(Object.keys(readService(sandbox).people)).toContain('ada@example.com');
  // The first form, the other one, and of the next user the known one.
  expect(sandbox.calls.count({ operation: 'scim.addUser' })).toBe(3);
});

test('what the service does not have at all is refused, and the rest goes on', async () => {
  const sandbox = await startInhabited();
  const bridge = await startInFrontOf(sandbox);
  const ids = await Promise.all(['ada', 'cy', 'dan'].map((name) => addUser(bridge, name)));
  sandbox.faults.add({ operation: 'scim.updateUser', fault: { kind: 'status', status: 501 } });

  for (const id of ids) {
    const away = toPatch({ op: 'replace', path: 'active', value: false });
    await expect(send(bridge, 'PATCH', `/Users/${id}`, away)).rejects.toThrow(/answered with 403/);
  }
  await addGroup(bridge, 'Pilots');
  await untilSettled(bridge);

  expect(Object.keys(readService(sandbox).groups)).toEqual(['Old', 'Pilots']);
});

test('memberships that a deactivation ended are told, and put right where that is the policy', async () => {
  const sandbox = await startInhabited({ inactiveMembers: 'dropped' });
  const repair = { ...settings, DRIFT_POLICY: '{"member.removed":"repair"}' };
  const bridge = await startInFrontOf(sandbox, { settings: repair });
  const id = await addUser(bridge, 'ada');
  await addGroup(bridge, 'Pilots', [id]);
  for (const value of [false, true]) {
    await patch(bridge, `/Users/${id}`, { op: 'replace', path: 'active', value });
  }
  await untilSettled(bridge);
  const before = sandbox.service.members('Pilots');

  await sweep(bridge);
  await untilSettled(bridge);

  expect(before).toEqual([]);
  await expect.poll(() => sandbox.service.members('Pilots')).toEqual(['ada@example.com']);
});
