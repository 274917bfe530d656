import { afterEach, describe, expect, inject, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { makeClient, present, SETTINGS, toRight } from '../support/assertions.ts';
import { startTestBridge } from '../support/bridge.ts';
import { askWith, makeToken } from '../support/credentials.ts';
import { failing } from '../support/faults.ts';
import { importIds } from '../support/import-ids.ts';
import { startIssuer } from '../support/issuer.ts';
import { createSetClock } from '../support/leaping-clock.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { toUser } from '../support/provider.ts';
import { takeStore } from '../support/take-store.ts';

const PATIENT = { interval: 10, timeout: 10_000 };

/** The first leads. */
describe.skipIf(inject('postgresUrl') === undefined)('two processes on one store', () => {
  const clock = createSetClock();
  const store = forSuite(async () => {
    const { url, giveBack } = await takeStore('postgres');
    return { url, stop: giveBack };
  });
  const service = forSuite(() => startSandbox());
  const start = () => {
    const settings = { ...SETTINGS, DATABASE_URL: store.url };
    return startTestBridge({ service, settings, clock });
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
      expect(body).toMatchObject({
        ...{ type: 'user', id },
        differences: [{ kind: 'user.deactivated' }],
      });
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
