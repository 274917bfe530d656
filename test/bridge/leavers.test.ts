import { describe, expect, onTestFinished, test } from 'vitest';
import { addLeaversCommand } from '../../src/cli/leavers.ts';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { findRemovalCall, listLeavers } from '../../src/store/audit/leavers.ts';
import { openStore } from '../../src/store/engine/database.ts';
import type { Db, Store } from '../../src/store/store.ts';
import {
  type AuditWorld,
  behindTheBack,
  startAuditWorld,
  withAudit,
} from '../support/audit-world.ts';
import { startBridgeOf, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { createMortalStore, endLead, type MortalStore } from '../support/mortal-store.ts';
import { addGroup, addUser, send, toPatch, untilSettled } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, OPS_TOKEN, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const PATIENT = { interval: 10, timeout: 20_000 };
const MINUTE_MS = 60_000;
const OUT = toPatch({ op: 'replace', path: 'active', value: false });

async function listProven(bridge: TestBridge, query = ''): Promise<JsonObject[]> {
  const { body } = await askOps(bridge, 'GET', `/leavers${query}`);
  return Array.isArray(body.items) ? body.items.filter(isJsonObject) : [];
}

async function findProven(bridge: TestBridge): Promise<JsonObject> {
  const [newest] = await listProven(bridge, '?limit=1');
  return newest ?? {};
}

const isEnded = async (bridge: TestBridge) => (await findProven(bridge)).status !== 'waits';
const isLogged = async (bridge: TestBridge) =>
  JSON.stringify((await findProven(bridge)).logged).includes('eventId":"');

async function hasLeaver(db: Db): Promise<boolean> {
  return (await db.selectFrom('leavers').select('seq').execute()).length > 0;
}

/** Moves time on and on until it is so. */
async function until(
  world: Pick<AuditWorld, 'clock'>,
  isSo: () => Promise<boolean>,
): Promise<void> {
  const goOn = async () => {
    if (await isSo()) return true;
    world.clock.leap(MINUTE_MS / 4);
    return false;
  };
  await expect.poll(goOn, { ...PATIENT, interval: 100 }).toBe(true);
}

/** Looks for what remains a minute later. */
async function untilLooked(world: AuditWorld): Promise<void> {
  await until(world, async () => (await findProven(world)).remains !== null);
}

describe('the proof of a leaver', () => {
  async function makeWorld(settings: Record<string, string> = {}): Promise<AuditWorld> {
    const clock = createLeapingClock();
    const sandbox = await startSandbox({ clock: () => clock.now() });
    onTestFinished(() => sandbox.stop());
    sandbox.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
    const world = await startAuditWorld({
      service: sandbox,
      clock,
      settings: { ...SWEEP_SETTINGS, DATABASE_URL: await makeStoreUrl(), ...settings },
    });
    onTestFinished(() => world.stop());
    return world;
  }

  async function startOn(
    url: string,
    { settings, ...options }: TestBridgeOptions & { readonly service: TestBridge['sandbox'] },
  ): Promise<TestBridge> {
    return startBridgeOf(options.service, {
      ...options,
      settings: { OPS_TOKEN, DATABASE_URL: url, ...settings },
    });
  }

  test('tells who asked, when it was accepted, sent, seen and logged, and what remains', async () => {
    const world = await makeWorld();
    const { service } = world.sandbox;
    const ada = await addUser(world, 'ada');
    await addGroup(world, 'Pilots', [ada]);
    service.createGroup({ name: 'Board' });
    service.addMember('Board', 'ada@example.com');
    service.addSpace('Hangar', { users: ['ada@example.com'] });
    service.addSpace('Minutes', { groups: ['Board'] });
    service.addSpace('Nobody here');
    await world.poll();

    await world.request('PATCH', `/Users/${ada}`, OUT, { 'x-request-id': 'request-of-the-day' });
    await until(world, () => isEnded(world));
    const before = await findProven(world);
    await until(world, () => isLogged(world));
    await untilLooked(world);

    const leaver = await findProven(world);
    expect(before.remains).toBeNull();
    expect(leaver).toMatchObject({
      person: { id: ada, name: 'ada@example.com' },
      kind: 'deactivated',
      status: 'out',
      asked: { credential: 'settings-1', requestId: 'request-of-the-day' },
      sent: { operation: 'scim.updateUser', outcome: 'done' },
      seen: { by: expect.any(String) },
      logged: { state: 'logged', ours: true, who: { username: expect.any(String) } },
      problem: null,
      planId: null,
    });
    expect(leaver.remains).toMatchObject({
      parts: [
        { part: 'account', looked: true, found: [] },
        { part: 'role', looked: true, found: [] },
        { part: 'rights', looked: true, found: [] },
        { part: 'groups', looked: true, found: [{ name: 'Board' }] },
        { part: 'entities', looked: true, found: [{ name: 'Minutes' }] },
        { part: 'spaces', looked: true, found: [{ name: 'Hangar' }] },
        { part: 'keys', looked: false, found: [], why: expect.stringContaining('API keys') },
      ],
    });
    const times = [leaver.asked, { at: leaver.acceptedAt }, leaver.seen].map((one) =>
      Date.parse(String(Object(one).at)),
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(leaver.tookMs).toBeGreaterThanOrEqual(0);
  });

  test('somebody who is deleted, suspended or loses a licence is told as that', async () => {
    const world = await makeWorld();
    const ids = [
      await addUser(world, 'ada'),
      await addUser(world, 'bob'),
      await addUser(world, 'cleo', { [USER_EXTENSION]: { appsPermissions: 1 } }),
    ];
    const set = (value: JsonObject) => toPatch({ op: 'replace', value });
    await send(world, 'DELETE', `/Users/${ids[0]}`);
    await send(
      world,
      'PATCH',
      `/Users/${ids[1]}`,
      set({ [USER_EXTENSION]: { temporarilyInactive: true } }),
    );
    await send(
      world,
      'PATCH',
      `/Users/${ids[2]}`,
      set({ [USER_EXTENSION]: { appsPermissions: 0 } }),
    );
    await send(world, 'PATCH', `/Users/${ids[2]}`, set({ displayName: 'Cleo' }));

    const list = async () =>
      (await listProven(world)).map(({ person, kind, status }) => [
        Object(person).id,
        kind,
        status,
      ]);
    await until(world, async () => (await list()).every(([, , status]) => status === 'out'));
    expect(await list()).toEqual([
      [ids[2], 'licence', 'out'],
      [ids[1], 'suspended', 'out'],
      [ids[0], 'deleted', 'out'],
    ]);
  });

  test('an acceptance whose process was killed before the call is proven by the next one', async () => {
    const url = await makeStoreUrl();
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    let mortal: MortalStore | undefined;
    const toStore = (store: Store) => {
      mortal = createMortalStore(store, { after: hasLeaver });
      return mortal.store;
    };
    const first = await startOn(url, { service, toStore });
    const ada = await addUser(first, 'ada');
    await untilSettled(first);
    const asked = first.request('PATCH', `/Users/${ada}`, OUT, { 'x-request-id': 'last-words' });
    await Promise.race([mortal?.death, asked]);
    const isIn = service.service.getUser('ada@example.com').active;
    await first.stop();
    await asked.catch(() => undefined);
    const store = await openStore({ url });
    await endLead(store);
    await store.close();
    const clock = createLeapingClock();
    const next = await startOn(url, { service, clock });
    onTestFinished(() => next.stop());
    await until({ ...next, clock }, () => isEnded(next));

    expect(isIn).toBe(true);
    expect(await listProven(next)).toMatchObject([
      {
        status: 'out',
        asked: { requestId: 'last-words' },
        sent: { outcome: 'done' },
        seen: { by: expect.any(String) },
      },
    ]);
  });

  test('a removal that the service refuses is told as refused, with its call', async () => {
    const world = await makeWorld();
    const ada = await addUser(world, 'ada');
    await untilSettled(world);
    world.sandbox.faults.add({
      operation: 'scim.updateUser',
      fault: { kind: 'status', status: 400 },
    });

    const answer = await world.request('PATCH', `/Users/${ada}`, OUT);
    await until(world, () => isEnded(world));

    expect(answer.status).toBe(400);
    expect(await findProven(world)).toMatchObject({
      status: 'refused',
      sent: { outcome: 'refused' },
      seen: null,
    });
  });

  test('a removal that the service refuses after it was acknowledged waits with the words of the service', async () => {
    const world = await makeWorld({ SCIM_WRITE_WAIT: '0s' });
    const ada = await addUser(world, 'ada');
    await untilSettled(world);
    world.sandbox.faults.add({
      operation: 'scim.updateUser',
      fault: { kind: 'status', status: 400 },
    });

    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    const isStuck = async () => (await findProven(world)).problem !== null;
    await expect.poll(isStuck, PATIENT).toBe(true);

    expect(await findProven(world)).toMatchObject({
      status: 'waits',
      problem: { code: 'refused' },
      seen: null,
    });
  });

  test('an audit log that cannot be read is told, and read as soon as it can be', async () => {
    const world = await makeWorld();
    const ada = await addUser(world, 'ada');
    await world.poll();
    world.sandbox.faults.refuse('audit', 403);
    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await until(world, () => isEnded(world));
    const readState = async () => Object((await findProven(world)).logged);
    await until(world, async () => (await readState()).state === 'unreadable');
    const unread = await readState();
    world.sandbox.faults.allow('audit');
    await world.recover();
    await until(world, () => isLogged(world));

    expect(unread).toMatchObject({ state: 'unreadable', code: 'not-permitted', at: null });
  });

  test('what nobody could look at is told as that, and never as nothing', async () => {
    const world = await makeWorld();
    const ada = await addUser(world, 'ada');
    await world.poll();
    world.sandbox.faults.refuse('companyUsers', 403);
    world.sandbox.faults.add({
      operation: 'spaces.retrieveListOfSpaces',
      fault: { kind: 'status', status: 503 },
    });
    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await until(world, () => isEnded(world));
    await untilLooked(world);
    const { remains: blind } = await findProven(world);
    world.sandbox.faults.clear();
    world.sandbox.service.addSpace('Hangar', { users: ['ada@example.com'] });
    const isSeen = async () => JSON.stringify((await findProven(world)).remains).includes('Hangar');
    await until(world, isSeen);

    const parts: unknown[] = Object(blind).parts;
    expect(parts).toHaveLength(7);
    for (const part of parts) expect(part).toMatchObject({ looked: false, found: [] });
  });

  test('somebody whom others took out first is proven by what was seen, without a call', async () => {
    const world = await makeWorld();
    const ada = await addUser(world, 'ada');
    await world.poll();
    behindTheBack(world).setActive('ada@example.com', false);
    await world.poll();
    await sweep(world);

    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await until(world, () => isEnded(world));
    await until(world, () => isLogged(world));

    expect(await findProven(world)).toMatchObject({
      status: 'out',
      sent: null,
      seen: { by: expect.any(String) },
      logged: { ours: false, who: { username: 'admin' } },
    });
  });

  test('an answer that shows nothing is no proof: the service is asked', async () => {
    const world = await makeWorld();
    const ada = await addUser(world, 'ada');
    await world.poll();
    const fault = world.sandbox.faults.add({
      operation: 'scim.updateUser',
      fault: { kind: 'status', status: 204 },
    });
    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await fault.until(1);
    world.clock.leap(MINUTE_MS);
    const isHeld = async () => (await findProven(world)).status !== 'waits';
    const believed = await isHeld();
    fault.remove();
    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await until(world, isHeld);

    expect(believed).toBe(false);
    expect(world.sandbox.service.getUser('ada@example.com').active).toBe(false);
  });

  test('somebody whom others let in again is told as working beside the proof', async () => {
    const world = await makeWorld();
    const ada = await addUser(world, 'ada');
    await world.poll();
    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await until(world, () => isEnded(world));
    behindTheBack(world).setActive('ada@example.com', true);
    await untilLooked(world);

    const { status, remains } = await findProven(world);
    expect(status).toBe('out');
    expect(remains).toMatchObject({
      parts: expect.arrayContaining([
        expect.objectContaining({
          part: 'account',
          found: [expect.objectContaining({ name: 'works' })],
        }),
      ]),
    });
  });

  test('somebody who is wanted again before the service holds it is told as withdrawn', async () => {
    const world = await makeWorld({ SCIM_WRITE_WAIT: '0s' });
    const ada = await addUser(world, 'ada');
    await untilSettled(world);
    world.sandbox.faults.add({
      operation: 'scim.updateUser',
      fault: { kind: 'status', status: 503 },
    });
    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await send(
      world,
      'PATCH',
      `/Users/${ada}`,
      toPatch({ op: 'replace', path: 'active', value: true }),
    );

    await until(world, () => isEnded(world));
    expect(await findProven(world)).toMatchObject({ status: 'withdrawn', seen: null });
  });

  test('the list has pages and filters, and refuses what it does not know', async () => {
    const world = await makeWorld();
    const ids = [await addUser(world, 'ada'), await addUser(world, 'bob')];
    for (const id of ids) await send(world, 'PATCH', `/Users/${id}`, OUT);
    await until(world, async () => (await listProven(world, '?status=out')).length === 2);

    const first = await askOps(world, 'GET', '/leavers?limit=1');
    const second = await askOps(world, 'GET', `/leavers?limit=1&cursor=${first.body.nextCursor}`);
    const ofAda = await listProven(world, `?resource=${ids[0]}`);
    const later = await listProven(world, '?since=2999-01-01');
    const wrong = await askOps(world, 'GET', '/leavers?since=yesterday');

    const toIds = (list: unknown) =>
      (Array.isArray(list) ? list : []).map((one) => Object(one).person.id);
    expect([...toIds(first.body.items), ...toIds(second.body.items)]).toEqual(ids.toReversed());
    expect(toIds(ofAda)).toEqual([ids[0]]);
    expect(later).toEqual([]);
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid' } });
  });

  test('what the ledger and the audit log forget stays in the proof', async () => {
    const world = await makeWorld();
    const ada = await addUser(world, 'ada');
    await send(world, 'PATCH', `/Users/${ada}`, OUT);
    await world.poll();
    await until(world, () => isLogged(world));
    await world.store.write(async (tx) => {
      await tx.deleteFrom('own_calls').execute();
      await tx.deleteFrom('audit_events').execute();
    });

    const query = { userId: ada, status: undefined, since: 0, limit: 1 };
    const [row] = await listLeavers(world.store.read, { ...query, beforeSeq: 1_000 });
    expect(row && (await findRemovalCall(world.store.read, row))).toBeUndefined();
    expect(await findProven(world)).toMatchObject({
      sent: { operation: 'scim.updateUser', outcome: 'done' },
      logged: { state: 'logged', ours: true, who: null },
    });
  });
});

test('`leavers` tells each step, as a table, JSON or CSV, and names nobody in a scheduled job', () =>
  withAudit({ settings: SWEEP_SETTINGS }, async (world) => {
    const ada = await addUser(world, 'ada');
    await untilSettled(world);
    await world.request('PATCH', `/Users/${ada}`, OUT, { 'x-request-id': 'one' });
    await until(world, () => isEnded(world));
    await untilLooked(world);
    const job = runner(world, [addLeaversCommand]);
    const person = runner(world, [addLeaversCommand], SWEEP_SETTINGS, { columns: 400 });

    const table = await person('leavers');
    const csv = await job('leavers', '--csv', '--names', '--since', '2020-01-01');
    const nameless = [await job('leavers', '--csv'), await job('leavers', '--json')];
    const none = await person('leavers', '--since', '2999-01-01');
    const wrong = await job('leavers', '--since', 'yesterday');
    const both = await job('leavers', '--json', '--csv');

    expect(table.text).toContain('ada@example.com');
    expect(table.text).toContain('could not look: keys');
    const [head = '', row = ''] = csv.text.split('\r\n');
    expect(head.split(',').slice(0, 7)).toEqual([
      ...['id', 'name', 'lost', 'status', 'credential', 'request', 'asked'],
    ]);
    expect(row.split(',').slice(0, 6)).toEqual([
      ...[ada, 'ada@example.com', 'deactivated', 'out', 'settings-1', 'one'],
    ]);
    for (const { code, text } of nameless) {
      expect(code).toBe(0);
      expect(text).toContain(ada);
      expect(text).not.toContain('ada@example.com');
    }
    expect(none).toMatchObject({ code: 0, text: 'Nobody lost access in that time.\n' });
    expect((await person('leavers', '--status', 'refused')).text).toBe(
      'Nobody lost access in that time with these filters.\n',
    );
    expect(wrong).toMatchObject({ code: 1, text: expect.stringContaining('since is a date') });
    expect(both.code).toBe(64);
  }));
