import { describe, expect, test } from 'vitest';
import type { SandboxService } from '../../src/sandbox/service.ts';
import { type AuditWorld, behindTheBack, withAudit } from '../support/audit-world.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
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
  findId,
  send,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const PATIENT = { interval: 10 };
/** What our own call of then may explain is over. */
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

/** A bridge whose service somebody else changes. */
interface World extends TestBridge {
  /** Has the bridge see what was changed. */
  detect(): Promise<unknown>;
  readonly behind: SandboxService;
}

type Settings = Readonly<Record<string, string>>;
type Run = (world: World) => Promise<void>;

const detectors: Record<'sweep' | 'audit', (settings: Settings, run: Run) => Promise<void>> = {
  sweep: (settings, run) =>
    withTestBridge({ settings }, async (bridge) => {
      await fill(bridge);
      await run({ ...bridge, detect: () => sweep(bridge), behind: bridge.sandbox.service });
    }),
  audit: (settings, run) =>
    withAudit({ settings }, async (world: AuditWorld) => {
      await fill(world);
      // What our own calls explain is over.
      await world.poll(LONG_MS);
      await run({ ...world, detect: () => world.poll(LONG_MS), behind: behindTheBack(world) });
    }),
};

async function fill(bridge: TestBridge): Promise<void> {
  await addCompany(bridge);
  await addVera(bridge, () => sweep(bridge));
  await sweep(bridge);
}

function toName({ kind, name }: DriftCell): string {
  return `${kind} ${name}`;
}

/** Somebody else makes these changes, and the bridge sees them. */
async function detectAll(world: World, cells: readonly DriftCell[]): Promise<void> {
  for (const { change } of cells) change(world.behind);
  await world.detect();
}

function changeBack({ behind }: World, cells: readonly DriftCell[]): void {
  for (const cell of cells) cell.changeBack?.(behind);
}

async function untilListed(
  world: World,
  status: string,
  cells: readonly DriftCell[],
): Promise<void> {
  const list = () => listManagedDrifts(world, status);
  await expect.poll(list, PATIENT).toEqual(expect.arrayContaining(cells.map(toName)));
}

/** Whatever they are called by now. */
async function untilAccepted(world: World, cells: readonly DriftCell[]): Promise<void> {
  const list = async () =>
    (await listManagedDrifts(world, 'accepted')).map((drift) => drift.split(' ')[0]);
  await expect.poll(list, PATIENT).toEqual(expect.arrayContaining(cells.map(({ kind }) => kind)));
}

/** The calls that change the service. */
function listWrites({ sandbox }: World): string[] {
  const isRead = (operation: string) => /\.(get|retrieve)/.test(operation);
  return Object.keys(sandbox.calls.counts()).filter((operation) => !isRead(operation));
}

/** A sweep that finds nothing and writes nothing. */
async function expectPeace(world: World): Promise<void> {
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

describe('what is done about a drift', () => {
  for (const name of ['sweep', 'audit'] as const) {
    const withWorld = async (policy: string, run: Run) => {
      const limits = { LIMITS_REMOVE_MEMBER_COUNT: '1000', LIMITS_DEACTIVATE_COUNT: '1000' };
      const settings = {
        ...SWEEP_SETTINGS,
        ...limits,
        SWEEP_ADMINS_EVERY: '1',
        GROUPS_PERMISSIONS_MAX: '31',
        DRIFT_POLICY: policy,
        DATABASE_URL: await makeStoreUrl(),
      };
      await detectors[name](settings, run);
    };

    test(`report, found by the ${name}: every kind is shown, and nothing written`, async () => {
      await withWorld('report', async (world) => {
        world.sandbox.calls.reset();
        for (const cells of batches) {
          await detectAll(world, cells);
          await untilListed(world, 'open', cells);
          changeBack(world, cells);
        }
        expect(listWrites(world)).toEqual([]);
      });
    });

    test(`repair, found by the ${name}: every kind is put right, and a second look finds nothing`, async () => {
      await withWorld('repair', async (world) => {
        for (const cells of batches) {
          await detectAll(world, cells);
          await untilListed(world, 'repaired', cells);
          await untilSettled(world);
        }
        await expectPeace(world);
      });
    });

    test(`accept, found by the ${name}: every kind that is named becomes what is desired`, async () => {
      await withWorld(ACCEPT_ALL, async (world) => {
        world.sandbox.calls.reset();
        for (const cells of batches) {
          await detectAll(world, cells);
          await untilAccepted(world, cells);
          changeBack(world, cells);
          await world.detect();
          await expect.poll(() => listManagedDrifts(world), PATIENT).toEqual([]);
        }
        expect(listWrites(world)).toEqual([]);
        await expectPeace(world);
      });
    });
  }
});

test('discovery: a write that meets a person or a group gone makes them anew, whatever the policy says, and says so', async () => {
  await withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await addVera(bridge, () => sweep(bridge));
    const vera = await findId(bridge, { type: 'Users', name: VERA });
    const group = await addGroup(bridge, 'Cooks');
    await untilSettled(bridge);
    bridge.sandbox.service.removeUser(VERA);
    bridge.sandbox.service.deleteGroup('Cooks');
    const rename = { op: 'replace', path: 'name.givenName', value: 'Veronika' };
    await send(bridge, 'PATCH', `/Users/${vera}`, toPatch(rename));
    await send(bridge, 'PATCH', `/Groups/${group}`, toPatch(addMembers([vera])));
    await untilSettled(bridge);

    const list = async () => (await askOps(bridge, 'GET', '/drifts?status=repaired')).body.items;
    await expect.poll(list, PATIENT).toMatchObject([
      { kind: 'user.missing', detector: 'discovery', resource: { name: VERA } },
      { kind: 'group.missing', detector: 'discovery', resource: { name: 'Cooks' } },
    ]);
    expect(bridge.sandbox.service.members('Cooks')).toHaveLength(1);
    expect(bridge.sandbox.service.findUser(VERA)?.active).toBe(true);
    expect(await listManagedDrifts(bridge)).toEqual([]);
  });
});

function addMembers(ids: readonly string[]) {
  return { op: 'add', path: 'members', value: toMembers(ids) };
}

/** Writes of what is wanted already. */
const sameWrites = [
  { what: 'a PUT of a user', type: 'Users', method: 'PUT', toBody: () => toUser('vera') },
  {
    what: 'a group has its name',
    type: 'Groups',
    method: 'PATCH',
    toBody: () => toPatch({ op: 'replace', path: 'displayName', value: 'Pilots' }),
  },
  {
    what: 'a member is in a group',
    type: 'Groups',
    method: 'PATCH',
    toBody: (vera: string) => toPatch({ op: 'add', path: 'members', value: [{ value: vera }] }),
  },
] as const;

describe('what a sweep found missing', () => {
  for (const { what, type, method, toBody } of sameWrites) {
    test(`is made anew by a write that changes nothing else: ${what}`, async () => {
      const settings = { ...SWEEP_SETTINGS };
      await withTestBridge({ settings }, async (bridge) => {
        const { service } = bridge.sandbox;
        await addVera(bridge, () => sweep(bridge));
        const vera = await findId(bridge, { type: 'Users', name: VERA });
        const pilots = await addGroup(bridge, 'Pilots', [vera]);
        await untilSettled(bridge);
        if (type === 'Users') service.removeUser(VERA);
        else service.deleteGroup('Pilots');
        await sweep(bridge);
        const drifts = await listManagedDrifts(bridge);

        const path = `/${type}/${type === 'Users' ? vera : pilots}`;
        const { status } = await bridge.request(method, path, toBody(vera));
        await untilSettled(bridge);
        await sweep(bridge);

        const missing = type === 'Users' ? `user.missing ${VERA}` : 'group.missing Pilots';
        expect(drifts).toContain(missing);
        expect(status).toBeLessThan(300);
        expect(service.findUser(VERA)?.active).toBe(true);
        expect(service.members('Pilots')).toEqual([VERA]);
        expect(service.groups()).toHaveLength(1);
        expect(await listManagedDrifts(bridge)).toEqual([]);
      });
    });
  }
});
/** Vera, whose address the provider takes back, and whose account is gone since. */
async function loseVera(bridge: TestBridge): Promise<string> {
  await addVera(bridge, () => sweep(bridge));
  const id = await findId(bridge, { type: 'Users', name: VERA });
  const named = { op: 'replace', path: 'userName', value: 'vera' };
  await send(bridge, 'PATCH', `/Users/${id}`, toPatch(named, { op: 'remove', path: 'emails' }));
  await sweep(bridge);
  bridge.sandbox.service.removeUser(VERA);
  await sweep(bridge);
  return id;
}

async function readMissing(bridge: TestBridge) {
  const { body } = await askOps(bridge, 'GET', '/drifts?kind=user.missing&status=active');
  return Array.isArray(body.items) ? body.items.map(Object) : [];
}

describe('an account that is gone, of somebody without an address', () => {
  test('is not made anew before there is one, and the difference says so', async () => {
    const DATABASE_URL = await makeStoreUrl();
    const repairing = { ...SWEEP_SETTINGS, DRIFT_POLICY: 'repair', DATABASE_URL };
    await withTestBridge({ settings: repairing }, async (bridge) => {
      const id = await loseVera(bridge);
      const found = await readMissing(bridge);
      const plans = await askOps(bridge, 'GET', '/plans');
      const emails = [{ value: VERA, type: 'work' }];
      const write = toPatch({ op: 'add', path: 'emails', value: emails });
      await send(bridge, 'PATCH', `/Users/${id}`, write);
      await sweep(bridge);
      await untilSettled(bridge);

      const note = { text: expect.stringContaining('gives no e-mail address') };
      expect(found).toMatchObject([{ status: 'open', note }]);
      expect(plans.body.items).toEqual([]);
      expect(bridge.sandbox.service.getUser(VERA).active).toBe(true);
      await expect.poll(() => readMissing(bridge), PATIENT).toEqual([]);
    });
  });
});
