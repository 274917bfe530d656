import { describe, expect, test } from 'vitest';
import type { AuditWorld } from '../support/audit-world.ts';
import { behindTheBack, startAudit } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import type { DriftCell } from '../support/drift-cells.ts';
import { addCompany, addVera, driftCells, isMetAlone, VERA } from '../support/drift-cells.ts';
import { forTest } from '../support/lifetimes.ts';
import { admit, replace, toUser } from '../support/provider.ts';

const LONG_MS = 10 * 60_000;

const missing: DriftCell = {
  kind: 'user.missing',
  name: VERA,
  change: (service) => service.removeUser(VERA),
};

const together = driftCells.filter((cell) => !isMetAlone(cell));
const isOfUser = ({ kind }: DriftCell) => kind.startsWith('user.');
/** What others change at once: of people, of the group, and then what ends the other cells of the group. */
const batches: readonly (readonly DriftCell[])[] = [
  [missing, ...together.filter(isOfUser)],
  together.filter((cell) => !isOfUser(cell)),
  ...driftCells.filter(isMetAlone).map((cell) => [cell]),
];

async function fill(bridge: TestBridge): Promise<void> {
  await addCompany(bridge);
  await addVera(bridge, () => bridge.sweep());
  await bridge.sweep();
}

const toName = ({ kind, name }: DriftCell): string => `${kind} ${name}`;

async function find(world: AuditWorld, turn: number): Promise<void> {
  await (turn % 2 === 0 ? world.sweep() : world.poll(LONG_MS));
}

function changeAll(world: AuditWorld, cells: readonly DriftCell[]): void {
  for (const { change } of cells) change(behindTheBack(world));
}

function changeBack(world: AuditWorld, cells: readonly DriftCell[]): void {
  for (const cell of cells) cell.changeBack?.(behindTheBack(world));
}

async function untilListed(
  world: AuditWorld,
  status: string,
  cells: readonly DriftCell[],
): Promise<void> {
  const list = () => world.listDrifts(status);
  await expect.poll(list).toEqual(expect.arrayContaining(cells.map(toName)));
}

async function untilAccepted(world: AuditWorld, cells: readonly DriftCell[]): Promise<void> {
  const list = async () => (await world.listDrifts('accepted')).map((drift) => drift.split(' ')[0]);
  await expect.poll(list).toEqual(expect.arrayContaining(cells.map(({ kind }) => kind)));
}

function listWrites({ sandbox }: AuditWorld): string[] {
  const isRead = (operation: string) => /\.(get|retrieve)/.test(operation);
  return Object.keys(sandbox.calls.counts()).filter((operation) => !isRead(operation));
}

async function expectPeace(world: AuditWorld): Promise<void> {
  await world.untilSettled();
  world.sandbox.calls.reset();
  await world.sweep();
  expect(await world.listDrifts()).toEqual([]);
  expect(listWrites(world)).toEqual([]);
}

/** What grants has to be named. */
const ACCEPT_ALL = JSON.stringify(
  Object.fromEntries(batches.flat().map(({ kind }) => [kind, 'accept'])),
);

describe('what is done about a drift', () => {
  const openPolicy = async (policy: string) => {
    const limits = { LIMITS_REPAIR: '1000', SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };
    const settings = { ...limits, DRIFT_POLICY: policy };
    const world = await forTest(startAudit({ settings }));
    await fill(world);
    // What happened before is over.
    await world.poll(LONG_MS);
    return world;
  };

  test('repair: every kind is put right, and a second look finds nothing', async () => {
    const world = await openPolicy('repair');
    for (const [index, cells] of batches.entries()) {
      changeAll(world, cells);
      await find(world, index);
      await untilListed(world, 'repaired', cells);
    }
    await expectPeace(world);
  });

  test('accept: every kind that is named becomes what is desired', async () => {
    const world = await openPolicy(ACCEPT_ALL);
    world.sandbox.calls.reset();
    for (const [index, cells] of batches.entries()) {
      changeAll(world, cells);
      await find(world, index + 1);
      await untilAccepted(world, cells);
      changeBack(world, cells);
      await find(world, index + 1);
      await expect.poll(() => world.listDrifts()).toEqual([]);
    }
    expect(listWrites(world)).toEqual([]);
    await expectPeace(world);
  });
});

describe('somebody or something that is gone', () => {
  const bridge = bridgeForSuite();

  async function addVirtual(...names: readonly string[]): Promise<string[]> {
    for (const name of names) {
      const email = `${name}@example.com`;
      bridge.sandbox.service.addUser({ email, userName: email, virtual: true });
    }
    await bridge.sweep();
    return Promise.all(names.map((name) => bridge.addUser(name)));
  }

  const addMember = (id: string) => admit(id);

  test('is made anew by a write that meets it, whatever the policy says, without a drift', async () => {
    const [id = ''] = await addVirtual('dora');
    const group = await bridge.settled(bridge.addGroup('Cooks'));
    bridge.sandbox.service.removeUser('dora@example.com');
    bridge.sandbox.service.deleteGroup('Cooks');
    await bridge.patch(`/Users/${id}`, replace('name.givenName', 'Dorothea'));
    await bridge.settled(bridge.patch(`/Groups/${group}`, addMember(id)));

    expect(bridge.sandbox.service.members('Cooks')).toHaveLength(1);
    expect(bridge.sandbox.service.findUser('dora@example.com')?.active).toBe(true);
    expect(await bridge.listDrifts()).toEqual([]);
  });

  test('as a sweep found, is made anew by a PUT of the user, by the same name of a group, by a member who is in it', async () => {
    const { service } = bridge.sandbox;
    const [gone = '', member = ''] = await addVirtual('gina', 'mona');
    await bridge.addGroup('Crew', [gone]);
    const named = await bridge.addGroup('Named', [member]);
    const joined = await bridge.settled(bridge.addGroup('Joined', [member]));
    const groups = service.groups().length;
    service.removeUser('gina@example.com');
    for (const name of ['Named', 'Joined']) service.deleteGroup(name);
    await bridge.sweep();
    const drifts = await bridge.listDrifts();

    const name = replace('displayName', 'Named');
    await bridge.send('PUT', `/Users/${gone}`, toUser('gina'));
    await bridge.patch(`/Groups/${named}`, name);
    await bridge.patch(`/Groups/${joined}`, addMember(member));
    await bridge.sweep();

    const missing = [
      'group.missing Joined',
      'group.missing Named',
      'user.missing gina@example.com',
    ];
    expect(drifts).toEqual(expect.arrayContaining(missing));
    expect(service.findUser('gina@example.com')?.active).toBe(true);
    expect(service.members('Crew')).toEqual(['gina@example.com']);
    for (const name of ['Named', 'Joined'])
      expect(service.members(name)).toEqual(['mona@example.com']);
    expect(service.groups()).toHaveLength(groups);
    expect(await bridge.listDrifts()).toEqual([]);
  });
});
