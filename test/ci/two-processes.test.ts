import { afterEach, describe, expect, inject, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { makeClient, present, SETTINGS, toRight } from '../support/assertions.ts';
import { startAuditWorld } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { askWith, makeToken } from '../support/credentials.ts';
import { failing, HANGING } from '../support/faults.ts';
import { importIds } from '../support/import-ids.ts';
import { startIssuer } from '../support/issuer.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { readPlan } from '../support/pilots.ts';
import { admit, replace, toUser } from '../support/provider.ts';
import { describePostgres, takeStore } from '../support/take-store.ts';
import { readTimeline, toLines, untilTold } from '../support/timeline.ts';

const PATIENT = { interval: 10, timeout: 10_000 };

describe.skipIf(inject('postgresUrl') === undefined)('two processes on one store', () => {
  const store = forSuite(async () => {
    const { url, giveBack } = await takeStore('postgres');
    return { url, stop: giveBack };
  });
  const service = forSuite(() => startSandbox());
  const start = () => {
    const settings = { ...SETTINGS, DATABASE_URL: store.url };
    return startTestBridge({ service, settings });
  };
  const here = forSuite(start);
  const there = forSuite(start);
  afterEach(() => service.faults.clear());

  test('a token made here opens there, and ends there as soon as it is revoked here', async () => {
    const { text } = await makeToken(here, { name: 'okta' });
    expect((await askWith(there, text)).status).toBe(200);
    await here.ops('POST', '/tokens/okta/revoke');
    expect((await askWith(here, text)).status).toBe(401);
    expect((await askWith(there, text)).status).toBe(401);
  });

  test('an assertion that is presented to both at the same time is taken by one of them', async () => {
    const issuer = await forTest(startIssuer());
    const id = await makeClient(here, issuer);
    for (let round = 0; round < 10; round += 1) {
      const assertion = await issuer.sign(toRight(issuer));
      const answers = [here, there, here, there].map((bridge) => present(bridge, id, assertion));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 401, 401, 401]);
    }
  });

  test('the ids of an earlier SCIM server are known to both soon after their import', async () => {
    const id = await here.settled(here.addUser('imported'));
    await importIds(here, [toUser('imported', { id: 'old-id' })]);

    const readId = async () => (await there.request('GET', '/Users/old-id')).body.id;
    await expect.poll(readId, PATIENT).toBe(id);
  });

  test('a pause holds in both within seconds, and so does its end', async () => {
    const readWrites = async () => (await there.ops('GET', '/status')).body.writes;
    await here.ops('POST', '/pause', { reason: 'elsewhere' });
    await expect.poll(readWrites).toMatchObject({ paused: { reason: 'elsewhere' } });
    await there.send('POST', '/Users', toUser('paused'));
    expect(service.service.findUser('paused@example.com')).toBeUndefined();
    await here.ops('POST', '/resume');
    await there.untilSettled();
    expect(service.service.findUser('paused@example.com')).toBeDefined();
  });

  describe('a look that the process is asked for which does not lead', () => {
    const look = (path: string) => there.ops('POST', `/${path}/look`);

    test('is made by the leader', async () => {
      const id = await there.settled(there.addUser('ada'));
      service.service.updateUser('ada@example.com', { active: false });
      service.calls.reset();

      const { status, body } = await look(`users/${id}`);

      expect(status).toBe(200);
      const differences = [{ kind: 'user.deactivated' }];
      expect(body).toMatchObject({ type: 'user', id, differences });
      expect(service.calls.count()).toBe(1);
    });

    test('says as there that nothing has the id, and what the service answered', async () => {
      const id = await there.settled(there.addUser('bob'));
      service.faults.add({ operation: 'scim.getUser', fault: failing(500) });

      const unknown = await look(`users/${'0'.repeat(32)}`);
      const failed = await look(`users/${id}`);

      expect([unknown.status, unknown.body.code]).toEqual([404, 'not-found']);
      expect([failed.status, failed.body.code]).toEqual([503, 'could-not-look']);
    });
  });
});

const LIST = 'auditLogs.retrieveAuditLogEvents';
const WAITING = { SCIM_WRITE_WAIT: '60s' };

async function readFamilyName(bridge: TestBridge, id: string): Promise<unknown> {
  return Object((await bridge.send('GET', `/Users/${id}`)).body.name).familyName;
}

describePostgres('two processes on a store of their own', ({ makeUrl }) => {
  async function startPair(settings: Readonly<Record<string, string>>) {
    const sandbox = await forTest(startSandbox());
    const options = {
      settings: { DATABASE_URL: await makeUrl(), ...settings },
      service: sandbox,
    };
    const first = await bridgeForTest(options);
    return { sandbox, first, second: await bridgeForTest(options) };
  }

  async function startIntruded(settings: Readonly<Record<string, string>> = {}) {
    const pair = await startPair({ DRIFT_POLICY: 'repair', ...settings });
    const { sandbox, first } = pair;
    await first.addUsers(3);
    await first.settled(first.addGroup('Pilots'));
    sandbox.calls.reset();
    for (const n of [1, 2, 3]) sandbox.service.link('Pilots', `person${n}@example.com`);
    return pair;
  }

  test('release a plan once, also where both were asked at once', async () => {
    const { sandbox, first, second } = await startIntruded({ LIMITS_REPAIR: '2' });
    await first.sweep();
    const [{ id, hash } = {}] = await first.listOps('/plans');
    const approve = (bridge: TestBridge) =>
      bridge.ops('POST', `/plans/${id}/approve`, { hash: `${hash}` });
    await Promise.all([first, second].map(approve));
    await expect.poll(async () => (await first.listOps('/plans'))[0]?.status).toBe('applied');
    await first.untilSettled();
    await expect.poll(() => first.listDrifts('repairing')).toEqual([]);

    const done = { status: 'done' };
    expect(await readPlan(first, id)).toMatchObject({ actions: [done, done, done] });
    expect(await first.listDrifts('repaired')).toHaveLength(3);
    expect(sandbox.calls.count({ mutating: true })).toBe(1);
    expect(sandbox.service.members('Pilots')).toEqual([]);
  });

  test('make one plan of what both have found', async () => {
    const { sandbox, first, second } = await startIntruded();
    await Promise.all([first.sweep(), second.sweep()]);
    await expect.poll(async () => (await first.listOps('/plans'))[0]?.status).toBe('applied');
    await first.untilSettled();
    await second.sweep();

    expect(await first.listOps('/plans')).toMatchObject([
      { status: 'applied', counts: { total: 3 } },
    ]);
    expect(sandbox.calls.count({ mutating: true })).toBe(1);
    expect(await second.listDrifts('repaired')).toHaveLength(3);
  });

  const rename = (familyName: string) => replace('name', { givenName: 'Ada', familyName });

  test('answer a write that the other one finishes as soon as the service holds it', async () => {
    const { sandbox, first, second } = await startPair(WAITING);
    const id = await first.addUser('ada');
    const group = `/Groups/${await first.addGroup('Pilots')}`;
    const slow = sandbox.faults.add({ operation: '*', fault: HANGING });
    const elsewhere = [
      first.patch(`/Users/${id}`, rename('One')),
      first.patch(group, replace('displayName', 'Crew')),
    ];
    await slow.until(2);

    const here = [second.patch(`/Users/${id}`, rename('Two')), second.patch(group, admit(id))];
    await expect.poll(() => readFamilyName(second, id)).toBe('Two');
    await expect.poll(() => second.readMemberIds(group.slice(8))).toEqual([id]);
    slow.remove();
    sandbox.faults.release();
    await Promise.all([...elsewhere, ...here]);

    expect(sandbox.service.getUser('ada@example.com').fullName).toBe('Ada Two');
    expect(sandbox.service.members('Crew')).toHaveLength(1);
  });

  test('undo a write that the other one finishes and the service refuses, and the one that was asked refuses it', async () => {
    const { sandbox, first, second } = await startPair(WAITING);
    const id = await first.addUser('ada');
    const slow = sandbox.faults.add({ operation: 'scim.updateUser', fault: HANGING });
    const elsewhere = first.patch(`/Users/${id}`, rename('One'));
    await slow.until(1);

    const here = second.tryPatch(`/Users/${id}`, rename('Two'));
    await expect.poll(() => readFamilyName(second, id)).toBe('Two');
    slow.remove();
    sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(400, 'message') });
    sandbox.faults.release();
    const [, refused] = await Promise.all([elsewhere, here]);

    expect(refused).toMatchObject({ status: 400 });
    expect(refused.body.detail).toContain('The service refused the change');
    expect(await readFamilyName(first, id)).toBe('One');
    expect(sandbox.service.getUser('ada@example.com').fullName).toBe('Ada One');
    expect(await second.listStuck()).toEqual([]);
  });

  test('acknowledge a write that the service refuses after the wait was over: it is kept and stuck', async () => {
    const { sandbox, first, second } = await startPair({ SCIM_WRITE_WAIT: '300ms' });
    const id = await second.addUser('ada');
    // The creation may take longer than its request waits, and would take the name with it.
    await second.untilSettled();
    const slow = sandbox.faults.add({ operation: 'scim.updateUser', fault: HANGING });
    const elsewhere = first.patch(`/Users/${id}`, rename('One'));
    await slow.until(1);

    const answer = await second.tryPatch(`/Users/${id}`, rename('Two'));
    await elsewhere;
    slow.remove();
    sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(400, 'message') });
    sandbox.faults.release();

    expect(answer.status).toBe(200);
    await expect
      .poll(second.listStuck)
      .toMatchObject([{ id, field: 'name', problem: { code: 'refused' } }]);
    expect(await readFamilyName(second, id)).toBe('Two');
  });

  test('have no end of an outage because another process starts', async () => {
    const service = await forTest(startSandbox());
    const options = { settings: { DATABASE_URL: await makeUrl() }, service };
    const leader = await bridgeForTest(options);
    const id = await leader.addUser('ada');
    service.faults.add({ operation: '*', fault: failing(401) });
    await leader.patch(`/Users/${id}`, replace('name.familyName', 'King'));
    await untilTold(leader, id, 'outage: the service refuses the token');

    const other = await bridgeForTest(options);

    const lines = toLines(await readTimeline(other, `/users/${id}/timeline`));
    expect(lines.filter((line) => line.startsWith('outage: '))).toEqual([
      'outage: the service refuses the token',
    ]);
  });

  test('read the log in turns: what one has read just now the other does not', async () => {
    const clock = createLeapingClock();
    const service = await forTest(startSandbox({ clock: clock.now }));
    const options = { service, clock, settings: { DATABASE_URL: await makeUrl() } };
    // A start asks for the changes of the token's account beside it.
    const countReads = () =>
      service.calls
        .recent()
        .filter(({ operation, path }) => operation === LIST && !path.includes('author_id')).length;
    const one = await startAuditWorld(options);
    const other = await startAuditWorld(options);
    service.calls.reset();
    for (let times = 0; times < 5; times += 1) await one.poll();
    const callsOfBoth = countReads();
    await one.stop();
    await other.poll();
    await other.stop();

    expect(callsOfBoth).toBe(5);
    expect(countReads()).toBe(6);
  });
});
