import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addEraseCommand } from '../../src/cli/erase.ts';
import { type UserId, userId } from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { addPlan } from '../../src/reconcile/add-plan.ts';
import { forgetTombstones } from '../../src/reconcile/erasure/erasure.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { listRequests } from '../../src/store/audit/requests.ts';
import { hasWaiting } from '../../src/store/engine/columns.ts';
import { deletePlan, type PlanRow } from '../../src/store/plans/plans.ts';
import { saveDispute } from '../../src/store/resources/disputes.ts';
import { keepFormerNames } from '../../src/store/resources/former-names.ts';
import type { Store } from '../../src/store/store.ts';
import { findUserRow } from '../../src/store/users/users.ts';
import { type AuditWorld, behindTheBack, withAudit } from '../support/audit-world.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import {
  addGroup,
  addUser,
  findId,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

/** What the audit log may tell of the bridge's own calls is over. */
const LONG_MS = 15 * 60_000;

const ADA: JsonObject = {
  displayName: 'Countess Lovelace',
  nickName: 'Adette',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  externalId: 'hr-4711',
  title: 'Analyst',
  phoneNumbers: [{ value: '+44 20 7946 0001', type: 'work' }],
};
/** Everything that would tell that it was her. */
const SHE = /ada@|lovelace|adette|hr-4711|7946 0001|analyst/i;

/** Every row of every table that says anything of her, as `table: row`. */
async function listTraces({ read }: Store, id: string): Promise<string[]> {
  const tables = await read.introspection.getTables();
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<object>`select * from ${sql.table(name)}`.execute(read);
    const texts = rows.map((row) => JSON.stringify(row));
    const hers = texts.filter((text) => SHE.test(text) || text.includes(id));
    found.push(...hers.map((text) => `${name}: ${text}`));
  }
  return found;
}

const toTables = (traces: readonly string[]) => [
  ...new Set(traces.map((trace) => trace.slice(0, trace.indexOf(':')))),
];

/** Ada, of whom every table says something, deleted by her provider, and nothing left to do. */
async function deleteAda(world: AuditWorld): Promise<string> {
  const id = await addUser(world, 'ada', ADA);
  await addGroup(world, 'Pilots', [id]);
  await world.poll(LONG_MS);
  const back = behindTheBack(world);
  back.renameUser('ada@example.com', 'Ada Byron Lovelace');
  back.removeMember('Pilots', 'ada@example.com');
  await world.poll(LONG_MS);
  await sweep(world);
  await send(world, 'DELETE', `/Users/${id}`);
  await world.poll(LONG_MS);
  await sweep(world);
  return id;
}

/** A failure of others in the service's words, as a user, a group, a field and a place in a group keep it. */
const WORDS = { code: 'refused', words: 'Ada@example.com is not to be a pilot', status: 400 };
const FAILURE = { version: 9, since: 1, retryAt: 1, problem: WORDS };
const NEVER = Number.MAX_SAFE_INTEGER;
const SILENT = JSON.stringify({ ...WORDS, words: 'erased' });

async function addPilot(bridge: TestBridge, name: string): Promise<UserId> {
  const [id, group] = [
    await addUser(bridge, name),
    await findId(bridge, { type: 'Groups', name: 'Pilots' }),
  ];
  const join = { op: 'add', path: 'members', value: toMembers([id]) };
  await send(bridge, 'PATCH', `/Groups/${group}`, toPatch(join));
  await untilSettled(bridge);
  return userId(id);
}

/** Failures that are kept of Pilots, and of a user and their place in it: as a whole, and of their fields. */
async function listProblems({ store: { read } }: TestBridge, id: UserId): Promise<unknown[]> {
  const group = await read.selectFrom('groups').selectAll().executeTakeFirstOrThrow();
  const row = await findUserRow(read, id);
  const links = read.selectFrom('memberships').select('problem').where('user_id', '=', id);
  const { problem } = await links.executeTakeFirstOrThrow();
  const ofField = (cells: string, field: string) =>
    JSON.stringify(Object(JSON.parse(cells))[field].failure.problem);
  return [
    ...[group.last_error, ofField(group.cells, 'displayName'), row?.last_error],
    ...[ofField(row?.cells ?? '', 'name'), problem],
  ];
}

/** What the service said of her where others asked. */
async function sayOfOthers({ store }: TestBridge, other: UserId): Promise<void> {
  const last_error = JSON.stringify(WORDS);
  const toCells = (field: string) => JSON.stringify({ [field]: { pending: 9, failure: FAILURE } });
  await store.write(async (tx) => {
    await tx
      .updateTable('groups')
      .set({ last_error, cells: toCells('displayName') })
      .execute();
    const user = { last_error, cells: toCells('name'), stuck_at: 1 };
    await tx.updateTable('users').set(user).where('id', '=', other).execute();
    const link = { pending: 9, retry_at: NEVER, stuck_at: 1, problem: last_error };
    await tx.updateTable('memberships').set(link).where('user_id', '=', other).execute();
  });
}

/** What is not there by itself: a name of hers that fits two, and the log of requests, which is late. */
async function speakOfAda({ store }: TestBridge, id: string): Promise<void> {
  await store.write(async (tx) => {
    const nameFolded = 'ada@example.com';
    await keepFormerNames(tx, { type: 'user', id }, { old: ['ada@else.example'], names: [] });
    await saveDispute(tx, { type: 'user', nameFolded, reason: 'two accounts', now: 1 });
  });
  const query = { resourceId: id, status: undefined, beforeSeq: Number.MAX_SAFE_INTEGER, limit: 9 };
  const countRequests = async () => (await listRequests(store.read, query)).length;
  await expect.poll(countRequests, { interval: 20 }).toBe(2);
}

describe('erasing a person', () => {
  const settings = async (more: Readonly<Record<string, string>> = {}) => ({
    ...SWEEP_SETTINGS,
    SCIM_WRITE_WAIT: '50ms',
    ...more,
    DATABASE_URL: await makeStoreUrl(),
  });

  test('leaves nothing of them in any table, and no later read of the service brings it back', async () => {
    await withAudit({ settings: await settings({ DRIFT_POLICY: 'repair' }) }, async (world) => {
      const id = await deleteAda(world);
      await speakOfAda(world, id);
      const bea = await addPilot(world, 'bea');
      await sayOfOthers(world, bea);
      const erase = runner(world, [addEraseCommand]);
      const before = toTables(await listTraces(world.store, id));
      const shown = await erase('erase', 'ada@example.com');
      const untouched = toTables(await listTraces(world.store, id));
      const asking = { columns: 80, answer: 'no' };
      const no = await runner(
        world,
        [addEraseCommand],
        undefined,
        asking,
      )('erase', 'ada@example.com');
      expect(no).toMatchObject({ code: 2, text: expect.stringContaining('Nothing was done.') });
      expect(no.asked).toEqual(['Erase it? It cannot be taken back. [y/N] ']);
      const done = await erase('erase', 'ada@example.com', '--yes');
      const twice = await erase('erase', id, '--yes');
      const after = await listTraces(world.store, id);
      const told = await listProblems(world, bea);
      await sweep(world);
      await world.poll(LONG_MS);
      const later = await listTraces(world.store, id);

      expect(before).toEqual(
        expect.arrayContaining([
          ...[
            'users',
            'user_emails',
            'former_names',
            'requests',
            'own_calls',
            'drifts',
            'plan_actions',
          ],
          ...['audit_events', 'audit_event_resources', 'disputes', 'groups', 'memberships'],
        ]),
      );
      expect(shown.code).toBe(2);
      expect(shown.text).toContain('To be erased: ada@example.com');
      expect(untouched).toEqual(before);
      expect(done).toMatchObject({
        code: 0,
        text: expect.stringContaining('Erased: ada@example.com'),
      });
      expect(done.text).not.toMatch(/^ {2}1 \S+s (in|of|to|that|and)\b/m);
      expect(twice).toMatchObject({ code: 0, text: expect.stringContaining('it was done before') });
      expect(toTables(after)).toEqual(['users']);
      expect(after.join()).not.toMatch(SHE);
      // That others failed, and how, is not forgotten.
      expect(told).toEqual([SILENT, SILENT, SILENT, SILENT, SILENT]);
      expect(toTables(later)).toEqual(['users']);
      expect(later.join()).not.toMatch(SHE);
      expect((await world.request('GET', `/Users/${id}`)).status).toBe(404);
    });
  });

  test('does not keep the provider from sending them again, who get their account back', async () => {
    await withAudit({ settings: await settings() }, async (world) => {
      const id = await deleteAda(world);
      const account = world.sandbox.service.getUser('ada@example.com').id;
      await askOps(world, 'POST', `/users/${id}/erase`);
      const again = await addUser(world, 'ada', ADA);
      await untilSettled(world);

      const { body } = await askOps(world, 'GET', `/users/${again}`);
      expect(body).toMatchObject({ upstreamId: account, name: 'ada@example.com' });
      expect(world.sandbox.service.getUser('ada@example.com')).toMatchObject({
        id: account,
        active: true,
      });
      const people = await send(
        world,
        'GET',
        '/Users?filter=userName%20eq%20%22ada@example.com%22',
      );
      expect(people.body.totalResults).toBe(1);
    });
  });

  test('of an account that works again tells so without a name', async () => {
    await withAudit({ settings: await settings() }, async (world) => {
      const id = await deleteAda(world);
      await askOps(world, 'POST', `/users/${id}/erase`);
      behindTheBack(world).setActive('ada@example.com', true);
      await sweep(world);
      const { text } = await askOps(world, 'GET', '/drifts?status=open&kind=user.activated');

      expect(text).toContain(id);
      expect(text).not.toMatch(SHE);
      expect(
        (await listTraces(world.store, id)).filter((row) => row.startsWith('users')).join(),
      ).not.toMatch(SHE);
    });
  });

  test('has nothing left of somebody whom the service has no more, and of whom no provider ever spoke', async () => {
    const prepare = ({ service }: Sandbox) =>
      void service.addUser({ email: 'vera@example.com', fullName: 'Vera', virtual: true });
    await withTestBridge({ settings: await settings(), prepare }, async (bridge) => {
      const id = await findId(bridge, { type: 'Users', name: 'vera' });
      bridge.sandbox.service.removeUser('vera@example.com');
      const early = await askOps(bridge, 'POST', `/users/${id}/erase`);
      await sweep(bridge);
      const late = await askOps(bridge, 'POST', `/users/${id}/erase`);

      expect(early).toMatchObject({ status: 409, body: { obstacles: [{ code: 'in-service' }] } });
      expect(late.status).toBe(404);
      expect(await askOps(bridge, 'GET', `/users/${id}`)).toMatchObject({ status: 404 });
    });
  });

  test('waits for everything that is still to be done, and says what', async () => {
    await withAudit({ settings: await settings() }, async (world) => {
      const id = await addUser(world, 'ada', ADA);
      const live = await listObstacles(world, id);
      const fault = { kind: 'status', status: 503 } as const;
      const outage = world.sandbox.faults.add({ operation: 'scim.updateUser', fault });
      await send(world, 'DELETE', `/Users/${id}`);
      const unsent = await listObstacles(world, id);
      outage.remove();
      await expect.poll(() => isDone(world, id), { interval: 20 }).toBe(true);
      const fresh = await listObstacles(world, id);
      await world.poll(LONG_MS);
      const plan = await holdDeactivation(world, id);
      const held = await askOps(world, 'POST', `/users/${id}/erase`);
      await world.store.write((tx) => deletePlan(tx, plan.id));
      behindTheBack(world).setActive('ada@example.com', true);
      await sweep(world);
      const active = await listObstacles(world, id);
      behindTheBack(world).setActive('ada@example.com', false);
      await sweep(world);
      const done = await askOps(world, 'POST', `/users/${id}/erase`);

      expect(live).toEqual(['managed']);
      expect(unsent).toContain('pending');
      expect(fresh).toEqual(['recent']);
      expect(held).toMatchObject({ status: 409, body: { obstacles: [{ code: 'held' }] } });
      expect(active).toEqual(['active', 'drifting']);
      expect(done.status).toBe(200);
      expect(await listObstacles(world, id)).toEqual(['erased']);
    });
  });

  test('is of one person: a name that two had is not enough', async () => {
    await withAudit({ settings: await settings() }, async (world) => {
      const first = await deleteAda(world);
      await askOps(world, 'POST', `/users/${first}/erase`);
      const [second, third] = [await addUser(world, 'ada', ADA), await addUser(world, 'bea', ADA)];
      await send(world, 'DELETE', `/Users/${second}`);
      await send(world, 'DELETE', `/Users/${third}`);
      const { status, body } = await askOps(world, 'POST', '/users/Countess%20Lovelace/erase');

      expect({ status, found: body.found }).toEqual({
        status: 409,
        found: [second, third].map((id) => ({ type: 'user', id })),
      });
      expect((await askOps(world, 'POST', '/users/nobody/erase')).status).toBe(404);
    });
  });

  test('happens by itself when the time of a tombstone is over, but not while something waits', async () => {
    await withAudit({ settings: await settings() }, async (world) => {
      const over = await deleteAda(world);
      const dee = await addPilot(world, 'dee');
      await sayOfOthers(world, dee);
      const [waiting, held] = [await addUser(world, 'bea'), await addUser(world, 'cy')];
      await send(world, 'DELETE', `/Users/${held}`);
      await world.poll(LONG_MS);
      await holdDeactivation(world, held);
      const fault = { kind: 'status', status: 503 } as const;
      world.sandbox.faults.add({ operation: 'scim.updateUser', fault });
      await send(world, 'DELETE', `/Users/${waiting}`);
      const deps = { ...world, clock: world.clock, policy: { deactivation: 'scim' } } as const;
      const early = await forgetTombstones(deps, world.clock.now() - 10 * 24 * 3_600_000);
      const count = await forgetTombstones(deps, world.clock.now() + 1);
      world.sandbox.faults.clear();

      expect([early, count]).toEqual([0, 1]);
      expect(await listProblems(world, dee)).toEqual([SILENT, SILENT, SILENT, SILENT, SILENT]);
      const names = await Promise.all(
        [over, waiting, held].map(
          async (id) => (await findUserRow(world.store.read, id))?.user_name,
        ),
      );
      expect(names).toEqual(['erased', 'bea@example.com', 'cy@example.com']);
    });
  });
});

test('of a SQLite store the file has nothing of them any more, and the log beside it neither', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-erasure-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const url = `sqlite:${join(folder, 'bridge.db')}`;
  await withAudit({ settings: { ...SWEEP_SETTINGS, DATABASE_URL: url } }, async (world) => {
    const id = await deleteAda(world);
    const before = readFiles(folder);
    await askOps(world, 'POST', `/users/${id}/erase`);
    const after = readFiles(folder);

    expect(before).toMatch(SHE);
    expect(SHE.exec(after)?.[0]).toBeUndefined();
  });
});

/** Everything that lies in a folder, as text. */
function readFiles(folder: string): string {
  return readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'latin1'))
    .join();
}

function holdDeactivation({ store, clock }: AuditWorld, resourceId: string): Promise<PlanRow> {
  const action = {
    ...({ kind: 'user.deactivate', type: 'user', resourceId, memberId: '' } as const),
    ...{ desired: { active: false }, observed: { active: true }, harm: 'deactivate' as const },
  };
  const plan = { status: 'held', source: 'restore', reason: null, automatic: 0 } as const;
  return store.write((tx) => addPlan(tx, [action], { ...plan, now: clock.now() }));
}

async function isDone({ store }: TestBridge, id: string): Promise<boolean> {
  const row = await findUserRow(store.read, id);
  return row !== undefined && !hasWaiting(row) && row.due_at === null && row.in_flight === 0;
}

async function listObstacles(bridge: TestBridge, key: string): Promise<string[]> {
  const { body } = await askOps(bridge, 'GET', `/users/${key}/erasure`);
  const obstacles: unknown[] = Array.isArray(body.obstacles) ? body.obstacles : [];
  return obstacles.map((obstacle) => String(Object(obstacle).code));
}
