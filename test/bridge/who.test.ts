import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import { behindTheBack, withAudit } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import {
  ada,
  addCompany,
  addVera,
  type DriftCell,
  driftCells,
  setActive,
  VERA,
} from '../support/drift-cells.ts';
import { send } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };
/** What our own call of then may explain is over. */
const LONG_MS = 10 * 60_000;

/** What else an administrator can do, beside the cells. */
const others: readonly DriftCell[] = [
  { kind: 'user.missing', name: VERA, change: (service) => service.removeUser(VERA) },
  {
    kind: 'user.unmanaged',
    name: 'new@example.com',
    change: (service) => service.addUser({ email: 'new@example.com', userName: 'new@example.com' }),
  },
  {
    kind: 'group.unmanaged',
    name: 'Skunks',
    change: (service) => service.createGroup({ name: 'Skunks' }),
  },
];

/** One administrator for each kind, from an address of their own. */
function createAdmins({ service }: { service: SandboxService }) {
  const kinds = [...driftCells, ...others].map(({ kind }) => kind);
  const admins = new Map(
    kinds.map((kind, index) => {
      const user = service.addUser({ email: `admin${index}@example.com` });
      return [kind, { user, address: `198.51.100.${index}` }] as const;
    }),
  );
  return (kind: string) => {
    const admin = admins.get(kind);
    if (admin === undefined) throw new Error(`nobody for ${kind}`);
    return admin;
  };
}

/** Who is told for each drift of a kind; by default the open ones. */
async function listWho(bridge: TestBridge, kind: string, status = 'open'): Promise<JsonObject[]> {
  const { body } = await askOps(bridge, 'GET', `/drifts?kind=${kind}&status=${status}&limit=1000`);
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.map((item) => {
    const { resource, member, who, message } = Object(item);
    const name = member === null ? resource.name : `${resource.name} of ${member.name}`;
    return { name, who, message };
  });
}

/** Somebody whom an administrator can remove. */
type FindAdmin = ReturnType<typeof createAdmins>;

/** What administrators did, each of their own kind, and who is to be told for it. */
function change({ sandbox }: TestBridge, cells: readonly DriftCell[], findAdmin: FindAdmin) {
  return cells.map((cell) => {
    const { user, address } = findAdmin(cell.kind);
    cell.change(sandbox.service.as(user.id, address));
    const account = { id: user.id, username: user.userName, address };
    const who = { ...account, operator: false, at: expect.any(String) };
    return { kind: cell.kind, name: cell.name, who, message: expect.any(String) };
  });
}

async function listFound(world: TestBridge, cells: readonly DriftCell[]) {
  const found: JsonObject[] = [];
  for (const { kind, name } of cells) {
    const list = await listWho(world, kind);
    found.push({ kind, ...list.find((one) => one.name === name) });
  }
  return found;
}

const isMissing = ({ kind }: DriftCell) => kind.endsWith('.missing');
const cells = [...driftCells, ...others];

describe('who brought a difference about', () => {
  test('is told once the audit log was read, also where the sweep was faster', async () => {
    const options = { settings };
    await withAudit(options, async (world) => {
      await addCompany(world);
      await addVera(world, () => sweep(world));
      const findAdmin = createAdmins(world.sandbox);
      await sweep(world);
      await world.poll(LONG_MS);
      const gone = cells.filter((cell) => isMissing(cell) || cell.name === ada);
      const wanted = change(world, gone, findAdmin);
      await sweep(world);
      const before = await listFound(world, gone);
      await world.poll();

      const nobody = { who: null, message: null };
      expect(before).toEqual(wanted.map(({ kind, name }) => ({ kind, name, ...nobody })));
      expect(await listFound(world, gone)).toEqual(wanted);
    });
  });
});

test('a person who uses the account of the token is told as well, and what the bridge did itself is not', () =>
  withAudit({ settings }, async (world) => {
    const id = await addCompany(world);
    await sweep(world);
    await world.poll(LONG_MS);
    const { service } = world.sandbox;
    behindTheBack(world).setActive(ada, false);
    await world.poll(LONG_MS);
    await send(world, 'PATCH', `/Users/${id}`, setActive(true));
    await world.poll(LONG_MS);
    service.setActive(ada, false);
    await world.poll();
    await sweep(world);

    const { owner } = service;
    const who = { id: owner.id, username: owner.userName, address: expect.anything() };
    const [found] = await listWho(world, 'user.deactivated');
    expect(found).toMatchObject({ name: ada, who });
  }));
