import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditWorld, behindTheBack, withAudit } from '../support/audit-world.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import {
  addCompany,
  addVera,
  type DriftCell,
  driftCells,
  isMetAlone,
  VERA,
} from '../support/drift-cells.ts';
import {
  addGroup,
  addUser,
  send,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const PATIENT = { interval: 50 };
/** What happened before is over, by clocks that differ too. */
const LONG_MS = 10 * 60_000;

/** Somebody who can be missed without being in a group. */
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
  await addVera(bridge, () => sweep(bridge));
  await sweep(bridge);
}

function toName({ kind, name }: DriftCell): string {
  return `${kind} ${name}`;
}

/** Has the bridge see what was changed: every other time by a sweep, and by the audit log between. */
async function find(world: AuditWorld, turn: number): Promise<void> {
  await (turn % 2 === 0 ? sweep(world) : world.poll(LONG_MS));
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
  const list = () => listManagedDrifts(world, status);
  await expect.poll(list, PATIENT).toEqual(expect.arrayContaining(cells.map(toName)));
}

/** Whatever they are called by now. */
async function untilAccepted(world: AuditWorld, cells: readonly DriftCell[]): Promise<void> {
  const list = async () =>
    (await listManagedDrifts(world, 'accepted')).map((drift) => drift.split(' ')[0]);
  await expect.poll(list, PATIENT).toEqual(expect.arrayContaining(cells.map(({ kind }) => kind)));
}

/** The calls that change the service. */
function listWrites({ sandbox }: AuditWorld): string[] {
  const isRead = (operation: string) => /\.(get|retrieve)/.test(operation);
  return Object.keys(sandbox.calls.counts()).filter((operation) => !isRead(operation));
}

/** A sweep that finds nothing and writes nothing. */
async function expectPeace(world: AuditWorld): Promise<void> {
  await untilSettled(world);
  world.sandbox.calls.reset();
  await sweep(world);
  expect(await listManagedDrifts(world)).toEqual([]);
  expect(listWrites(world)).toEqual([]);
}

/** What grants has to be named. */
const ACCEPT_ALL = JSON.stringify(
  Object.fromEntries(batches.flat().map(({ kind }) => [kind, 'accept'])),
);

/** What a sweep finds in one of these tests, the audit log tells in the other. */
describe('what is done about a drift', () => {
  const withPolicy = (policy: string, run: (world: AuditWorld) => Promise<void>) => {
    const limits = { LIMITS_REPAIR: '1000' };
    const settings = {
      ...SWEEP_SETTINGS,
      ...limits,
      SWEEP_ADMINS_EVERY: '1',
      GROUPS_PERMISSIONS_MAX: '31',
      DRIFT_POLICY: policy,
    };
    return withAudit({ settings }, async (world) => {
      await fill(world);
      // What happened before is over.
      await world.poll(LONG_MS);
      await run(world);
    });
  };

  test('repair: every kind is put right, and a second look finds nothing', () =>
    withPolicy('repair', async (world) => {
      for (const [index, cells] of batches.entries()) {
        changeAll(world, cells);
        await find(world, index);
        await untilListed(world, 'repaired', cells);
      }
      await expectPeace(world);
    }));

  test('accept: every kind that is named becomes what is desired', () =>
    withPolicy(ACCEPT_ALL, async (world) => {
      world.sandbox.calls.reset();
      for (const [index, cells] of batches.entries()) {
        changeAll(world, cells);
        await find(world, index + 1);
        await untilAccepted(world, cells);
        changeBack(world, cells);
        await find(world, index + 1);
        await expect.poll(() => listManagedDrifts(world), PATIENT).toEqual([]);
      }
      expect(listWrites(world)).toEqual([]);
      await expectPeace(world);
    }));
});

describe('somebody or something that is gone', () => {
  let bridge: TestBridge;
  beforeAll(async () => {
    bridge = await startTestBridge({ settings: SWEEP_SETTINGS });
  });
  afterAll(() => bridge.stop());

  /** Managed people whom an administrator can remove, and their SCIM ids. */
  async function addVirtual(...names: readonly string[]): Promise<string[]> {
    for (const name of names) {
      const email = `${name}@example.com`;
      bridge.sandbox.service.addUser({ email, userName: email, virtual: true });
    }
    await sweep(bridge);
    return Promise.all(names.map((name) => addUser(bridge, name)));
  }

  const addMember = (id: string) => toPatch({ op: 'add', path: 'members', value: toMembers([id]) });

  test('is made anew by a write that meets it, whatever the policy says, and told of as a discovery', async () => {
    const [id = ''] = await addVirtual('dora');
    const group = await addGroup(bridge, 'Cooks');
    await untilSettled(bridge);
    bridge.sandbox.service.removeUser('dora@example.com');
    bridge.sandbox.service.deleteGroup('Cooks');
    const rename = { op: 'replace', path: 'name.givenName', value: 'Dorothea' };
    await send(bridge, 'PATCH', `/Users/${id}`, toPatch(rename));
    await send(bridge, 'PATCH', `/Groups/${group}`, addMember(id));
    await untilSettled(bridge);

    const list = async () =>
      (await askOps(bridge, 'GET', '/drifts?status=repaired&order=oldest')).body.items;
    await expect.poll(list, PATIENT).toMatchObject([
      { kind: 'user.missing', detector: 'discovery', resource: { name: 'dora@example.com' } },
      { kind: 'group.missing', detector: 'discovery', resource: { name: 'Cooks' } },
    ]);
    expect(bridge.sandbox.service.members('Cooks')).toHaveLength(1);
    expect(bridge.sandbox.service.findUser('dora@example.com')?.active).toBe(true);
    expect(await listManagedDrifts(bridge)).toEqual([]);
  });

  test('as a sweep found, is made anew by a PUT of the user, by the same name of a group, by a member who is in it', async () => {
    const { service } = bridge.sandbox;
    const [gone = '', member = ''] = await addVirtual('gina', 'mona');
    await addGroup(bridge, 'Crew', [gone]);
    const named = await addGroup(bridge, 'Named', [member]);
    const joined = await addGroup(bridge, 'Joined', [member]);
    await untilSettled(bridge);
    const groups = service.groups().length;
    service.removeUser('gina@example.com');
    for (const name of ['Named', 'Joined']) service.deleteGroup(name);
    await sweep(bridge);
    const drifts = await listManagedDrifts(bridge);

    const name = { op: 'replace', path: 'displayName', value: 'Named' };
    await send(bridge, 'PUT', `/Users/${gone}`, toUser('gina'));
    await send(bridge, 'PATCH', `/Groups/${named}`, toPatch(name));
    await send(bridge, 'PATCH', `/Groups/${joined}`, addMember(member));
    await sweep(bridge);

    const missing = [
      'group.missing Joined',
      'group.missing Named',
      'user.missing gina@example.com',
    ];
    expect(drifts).toEqual(expect.arrayContaining(missing));
    expect(service.findUser('gina@example.com')?.active).toBe(true);
    expect(service.members('Crew')).toEqual(['gina@example.com']);
    for (const name of ['Named', 'Joined']) {
      expect(service.members(name)).toEqual(['mona@example.com']);
    }
    expect(service.groups()).toHaveLength(groups);
    expect(await listManagedDrifts(bridge)).toEqual([]);
  });
});
