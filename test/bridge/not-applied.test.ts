import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import {
  type AuditWorld,
  behindTheBack,
  INTERVAL_MS,
  PATIENT,
  withAudit,
} from '../support/audit-world.ts';
import { readMetrics } from '../support/metrics.ts';
import {
  addGroup,
  addUser,
  findId,
  readWork,
  send,
  toMembers,
  toPatch,
} from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';
import { untilQuiet } from '../support/timed-bridge.ts';

const MINUTE_MS = 60_000;
/** An event comes into the audit log so late at most; and the next read of it. */
const LOG_READ_MS = 5 * MINUTE_MS + 2 * INTERVAL_MS;
const ATTEMPTS = 3;
const NOTHING_DONE = { kind: 'status', status: 204 } as const;
const words = 'the service accepted the change and still says otherwise';

interface Team {
  readonly world: AuditWorld;
  readonly ada: string;
  readonly group: string;
}

/** A change that the service answers with 204, and what it would show. */
interface Row {
  readonly what: string;
  readonly operation: OperationName;
  readonly drift: string;
  readonly field: string;
  /** What has to be there before. */
  readonly before?: (team: Team) => JsonObject;
  readonly ask: (team: Team) => JsonObject;
  readonly of?: 'user';
  readonly isMade: (team: Team) => boolean;
}

const toMember = (op: 'add' | 'remove') => (team: Team) =>
  toPatch({ op, path: 'members', value: toMembers([team.ada]) });
const toAdmin = (op: 'add' | 'remove') => (team: Team) =>
  toPatch({ op, path: `${GROUP_EXTENSION}:admins`, value: toMembers([team.ada]) });
const isMember = ({ world }: Team) =>
  world.sandbox.service.members('Pilots').includes('ada@example.com');
const isAdmin = ({ world }: Team) =>
  world.sandbox.service.admins('Pilots').includes('ada@example.com');

const rows: Row[] = [
  {
    what: 'a new member',
    operation: 'groupUsers.addUserToGroup',
    drift: 'member.removed Pilots of ada@example.com',
    field: 'members',
    ask: toMember('add'),
    isMade: isMember,
  },
  {
    what: 'an admin who is none any more',
    operation: 'groupAdmins.removeAdminFromGroup',
    drift: 'admin.added Pilots of ada@example.com',
    field: 'admins',
    before: toAdmin('add'),
    ask: toAdmin('remove'),
    isMade: (team) => !isAdmin(team),
  },
  {
    what: 'a licence',
    operation: 'companyUsers.updateUser',
    drift: 'user.access ada@example.com',
    field: 'appsPermissions',
    of: 'user',
    ask: () => toPatch({ op: 'replace', path: `${USER_EXTENSION}:appsPermissions`, value: 2 }),
    isMade: ({ world }) => world.sandbox.service.getUser('ada@example.com').appsPermissions === 2,
  },
];

/** Runs with a change that was acknowledged and that the service did not make. */
async function withUnmade(
  { operation, before, ask, of }: Row,
  run: (team: Team & { readonly end: () => void }) => Promise<void>,
  url?: string,
): Promise<void> {
  const settings = {
    ...SWEEP_SETTINGS,
    SWEEP_ADMINS_EVERY: '1',
    UPSTREAM_ATTEMPTS_BEFORE_STUCK: `${ATTEMPTS}`,
    ...(url === undefined ? {} : { DATABASE_URL: url }),
  };
  await withAudit({ settings }, async (world) => {
    const ada = await addUser(world, 'ada');
    const team = { world, ada, group: await addGroup(world, 'Pilots') };
    if (before) await send(world, 'PATCH', `/Groups/${team.group}`, before(team));
    await untilQuiet({ bridge: world, clock: world.clock }, MINUTE_MS);
    await sweep(world);
    // So that the service is not asked about the past of the change.
    await world.poll(MINUTE_MS);
    const fault = world.sandbox.faults.add({ operation, fault: NOTHING_DONE });
    const path = of === 'user' ? `/Users/${ada}` : `/Groups/${team.group}`;
    const answer = await world.request('PATCH', path, ask(team));
    expect(answer.status).toBeLessThan(300);
    await run({ ...team, end: () => fault.remove() });
  });
}

/** What is stuck, with the words of the service. */
async function listStuck(world: AuditWorld): Promise<unknown> {
  return (await askOps(world, 'GET', '/status')).body.stuck;
}

/** Moves time on, and on until the log was read after that: a read may have begun before. */
async function untilLogRead(world: AuditWorld, ms: number): Promise<void> {
  const { clock } = world;
  clock.leap(ms);
  const since = clock.now() - INTERVAL_MS;
  const isRead = async () => {
    const lagSeconds = (await readMetrics(world, world.opsToken)).get('audit_lag_seconds') ?? 0;
    const isLate = clock.now() - lagSeconds * 1_000 < since;
    if (isLate) clock.leap(INTERVAL_MS);
    return !isLate;
  };
  await expect.poll(isRead, { ...PATIENT, interval: 100 }).toBe(true);
}

describe('a change that the service answers with 204 and does not make', () => {
  test.each(rows)('is no drift of somebody unknown, and ends as stuck: $what', async (row) =>
    withUnmade(
      row,
      async ({ end, ...team }) => {
        const { world } = team;
        const timed = { bridge: world, clock: world.clock };
        await sweep(world);
        const found = await listManagedDrifts(world);
        await untilLogRead(world, LOG_READ_MS);
        await expect.poll(() => listManagedDrifts(world), PATIENT).toEqual([]);
        await untilQuiet(timed, 10 * MINUTE_MS);
        const stuck = await listStuck(world);
        const calls = world.sandbox.calls.count({ operation: row.operation });
        end();
        await untilQuiet(timed, 120 * MINUTE_MS);

        expect(found).toEqual([row.drift]);
        const problem = { code: 'not-applied', words };
        expect(stuck).toMatchObject([{ field: row.field, problem }]);
        // The first call, and those after its one failed attempt.
        expect(calls).toBe(ATTEMPTS);
        expect(row.isMade(team)).toBe(true);
        expect(await listStuck(world)).toEqual([]);
        expect(await readWork(world)).toMatchObject({ due: 0 });
      },
      await makeStoreUrl(),
    ),
  );
});

describe('a removal that the service answers with 204 and does not make', () => {
  const settings = async () => ({
    ...SWEEP_SETTINGS,
    UPSTREAM_ATTEMPTS_BEFORE_STUCK: `${ATTEMPTS}`,
    DATABASE_URL: await makeStoreUrl(),
  });

  test('of a group waits again once a list shows the group, and ends as stuck', async () => {
    await withAudit({ settings: await settings() }, async (world) => {
      const { faults, service, calls } = world.sandbox;
      const timed = { bridge: world, clock: world.clock };
      const id = await addGroup(world, 'Pilots');
      await untilQuiet(timed, MINUTE_MS);
      const operation = 'groups.removeGroup';
      const fault = faults.add({ operation, fault: NOTHING_DONE });
      expect((await world.request('DELETE', `/Groups/${id}`)).status).toBe(204);
      await untilQuiet(timed, MINUTE_MS);
      const believed = calls.count({ operation });
      world.clock.leap(MINUTE_MS);
      await sweep(world);
      await untilQuiet(timed, 10 * MINUTE_MS);
      const stuck = await listStuck(world);
      const asked = calls.count({ operation });
      fault.remove();
      await untilQuiet(timed, 120 * MINUTE_MS);

      expect(believed).toBe(1);
      expect(stuck).toMatchObject([
        { field: 'existence', problem: { code: 'not-applied', words } },
      ]);
      expect(asked).toBe(ATTEMPTS);
      expect(service.findGroup('Pilots')).toBeUndefined();
      expect(await listStuck(world)).toEqual([]);
      expect(await readWork(world)).toMatchObject({ due: 0 });
      expect((await world.request('GET', `/Groups/${id}`)).status).toBe(404);
    });
  });

  test('of a virtual user is seen at once, and ends as stuck', async () => {
    const all = { ...(await settings()), USERS_ADOPT_ON_DELETE: 'yes', SCIM_WRITE_WAIT: '50ms' };
    await withAudit({ settings: all }, async (world) => {
      const { faults, service, calls } = world.sandbox;
      const timed = { bridge: world, clock: world.clock };
      service.addUser({ email: 'vera@example.com', fullName: 'Vera', virtual: true });
      await sweep(world);
      const id = await findId(world, { type: 'Users', name: 'vera' });
      const operation = 'companyUsers.removeVirtualUser';
      const fault = faults.add({ operation, fault: NOTHING_DONE });
      await world.request('DELETE', `/Users/${id}`);
      await untilQuiet(timed, 10 * MINUTE_MS);
      const stuck = await listStuck(world);
      const asked = calls.count({ operation });
      fault.remove();
      await untilQuiet(timed, 120 * MINUTE_MS);

      expect(stuck).toMatchObject([{ field: 'active', problem: { code: 'not-applied', words } }]);
      expect(asked).toBe(ATTEMPTS);
      expect(service.findUser('vera@example.com')).toBeUndefined();
      expect(await listStuck(world)).toEqual([]);
    });
  });
});

describe('a change that is undone in the service', () => {
  const [row] = rows;
  if (row === undefined) throw new Error('there is no such change');

  test('is drift where the audit log names somebody, however near to our own call', () =>
    withUnmade(row, async ({ end, ...team }) => {
      const { world } = team;
      end();
      behindTheBack(world).addMember('Pilots', 'ada@example.com');
      behindTheBack(world).removeMember('Pilots', 'ada@example.com');
      await sweep(world);
      await world.poll(LOG_READ_MS);

      expect(await listManagedDrifts(world)).toEqual([row.drift]);
      expect(row.isMade(team)).toBe(false);
    }));
});
