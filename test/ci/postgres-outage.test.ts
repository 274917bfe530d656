import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { askWith, fetchToken, makeClient, makeToken } from '../support/credentials.ts';
import { failing } from '../support/faults.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import type { ThrowAwayPostgres } from '../support/postgres.ts';
import { startPostgres } from '../support/postgres.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import type { TestAnswer } from '../support/provider.ts';
import { replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import { startBridge } from '../support/server.ts';
import { createEmptyDatabase, runStatement } from '../support/store-templates.ts';

/** Nobody who asks waits longer than this, in milliseconds, however the server is gone; the machine may be busy. */
const ANSWER_MAX_MS = 30_000;

describe.skipIf(inject('postgresUrl') === undefined)(
  'a PostgreSQL that is gone for a while',
  () => {
    let server: ThrowAwayPostgres;
    let databases = 0;
    // One that is tried again makes another.
    const makeDatabase = (name: string) => {
      databases += 1;
      return createEmptyDatabase(server.url, `${name}${databases}`);
    };

    beforeAll(async () => {
      const started = await startPostgres();
      if (started === undefined) throw new Error('there is no PostgreSQL');
      server = started;
    });
    afterAll(() => server.stop());

    const openBridge = async (
      settings: Record<string, string> = {},
      onLog?: (line: JsonObject) => void,
    ) => {
      const short = { SCIM_WRITE_WAIT: '300ms', UPSTREAM_TIMEOUT: '3s' };
      const all = { DATABASE_URL: await makeDatabase('outage'), ...short, ...settings };
      return forTest(startTestBridge({ settings: all, ...(onLog && { onLog }) }));
    };

    test('and crashes: the log says once that it is gone, and once that it is back', async () => {
      const log: JsonObject[] = [];
      const bridge = await openBridge({}, (line) => void log.push(line));

      const ada = await bridge.settled(bridge.addUser('ada'));
      // A crash that meets a commit is told as `store-unsure`, so nobody writes yet.
      await server.down('crash');
      const traffic = startTraffic(bridge, ada);
      await traffic.untilRefused(10);
      await server.up();
      const isBack = () => log.some(({ msg }) => msg === 'the store can be used again');
      await expect.poll(isBack, { timeout: 15_000 }).toBe(true);
      await traffic.stop();

      const isOfStore = ({ msg, error }: JsonObject) =>
        error !== undefined || /^the store/.test(String(msg));
      const about = log.filter(isOfStore);
      expect(about).toMatchObject([
        { msg: 'the store cannot be used', level: 'error', code: 'store-unavailable' },
        { msg: 'the store can be used again', level: 'info' },
      ]);
      expect(Number(about[1]?.failures)).toBeGreaterThanOrEqual(1);
      expect(Number(about[1]?.afterMs)).toBeGreaterThan(0);
    });

    test.each([
      ['crashes', () => server.down('crash'), () => server.up()],
      ['answers nobody and closes no connection', () => server.freeze(), () => server.thaw()],
    ])(
      'and %s: whoever asks is told to come back, and everything goes on by itself',
      async (_, leave, comeBack) => {
        const bridge = await openBridge({ AUDIT_POLL_INTERVAL: '1s' });
        const ada = await bridge.addUser('ada');
        const traffic = startTraffic(bridge, ada);
        await traffic.until(20);

        await leave();
        await traffic.untilRefused(2);
        const ready = await bridge.readReadiness();
        // Its lease runs out unrenewed.
        await expect
          .poll(() => bridge.readReadiness(), { timeout: 15_000 })
          .toMatchObject(LED_BY_NOBODY);
        await comeBack();
        await expect.poll(() => bridge.readReadiness(), { timeout: 15_000 }).toMatchObject(READY);
        await traffic.until(20);
        const { exchanges, acknowledged } = await traffic.stop();

        const reasons = [{ code: 'store-unusable' }];
        expect(ready).toMatchObject({ status: 503, body: { reasons } });
        expect(exchanges.filter(({ answer }) => !isExpected(answer))).toEqual([]);
        expect(Math.max(...exchanges.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWER_MAX_MS);
        await bridge.untilSettled();
        const { service } = bridge.sandbox;
        for (const name of acknowledged)
          expect(service.findUser(`${name}@example.com`)).toBeDefined();
        const addresses = service.users().map(({ email }) => email);
        expect(new Set(addresses).size).toBe(addresses.length);
        await expectAllAtWork(bridge, ada);
      },
    );

    test('while it commits: whoever gets no answer may repeat the request, and nothing is there twice', async () => {
      const proxy = await forTest(startPostgresProxy(await makeDatabase('commits')));
      // Nothing but the writes themselves commits.
      const settings = { DATABASE_URL: proxy.url, REQUESTS_ROWS_MAX: '0' };
      const bridge = await bridgeForTest({ settings });
      const lose = async (skip: number, ...request: Parameters<TestBridge['request']>) => {
        const lost = proxy.loseNextCommit(skip);
        const answering = bridge.request(...request);
        // What is answered without a commit fails below, by its status.
        await Promise.race([lost, answering]);
        return answering;
      };

      const user = await lose(0, 'POST', '/Users', toUser('ada'));
      const again = await bridge.request('POST', '/Users', toUser('ada'));
      const found = await bridge.request('GET', '/Users?filter=userName sw "ada"');
      const [{ id }] = Object(found.body.Resources);
      const group = await lose(0, 'POST', '/Groups', toGroup('Pilots', [id]));
      const ada = `/Users/${id}`;
      const renamed = await bridge.settled(lose(0, 'PATCH', ada, toPatch(replace('name', value))));
      const denied: number[] = [];
      // The request, its call, and what became of that are a commit each, unless another one comes between.
      while (denied.at(-1) !== 503) {
        bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(400), times: 1 });
        denied.push((await lose(2, 'PATCH', ada, toPatch(replace('name.familyName', 'C')))).status);
      }
      const lost = proxy.loseNextCommit().then(() => proxy.setRefusing(true));
      const refused = await bridge.tryPatch(ada, disable);
      await lost;
      proxy.setRefusing(false);
      const repeated = await bridge.settled(bridge.tryPatch(ada, disable));

      // Another commit may have come between.
      for (const { status } of [user, group, renamed]) expect([200, 201, 503]).toContain(status);
      expect(again.status).toBe(409);
      expect(denied.filter((status) => status !== 400)).toEqual([503]);
      expect((await bridge.request('GET', ada)).body.name).toMatchObject(value);
      expect([refused.status, repeated.status]).toEqual([503, 200]);
      expect(isExpected(refused)).toBe(true);
      const { service, calls } = bridge.sandbox;
      expect(service.members('Pilots')).toHaveLength(1);
      expect(service.getUser('ada@example.com')).toMatchObject({ active: false, fullName: 'A B' });
      expect(calls.count({ operation: 'scim.addUser' })).toBe(1);
      expect(service.groups()).toHaveLength(1);
    });

    test('and comes back as a standby: nobody reads from it, and everything goes on once it is promoted', async () => {
      const bridge = await openBridge();
      const ada = await bridge.addUser('ada');
      await server.down('order');
      await server.up('standby');

      const read = await bridge.request('GET', `/Users/${ada}`);
      await runStatement(server.url, 'select pg_promote()');
      await expect.poll(() => bridge.readReadiness(), { timeout: 15_000 }).toMatchObject(READY);

      expect(isExpected(read)).toBe(true);
      expect(read.status).toBe(503);
      expect((await bridge.patch(`/Users/${ada}`, disable)).status).toBe(200);
    });

    test('and would lose commits, because fsync is off: that is told', async () => {
      const bridge = await openBridge();
      await runStatement(server.url, 'alter system set fsync to off');
      await runStatement(server.url, 'select pg_reload_conf()');
      const told = { status: 'degraded', reasons: [{ code: 'store-not-durable' }] };
      await expect.poll(async () => (await bridge.readReadiness()).body).toMatchObject(told);
      await runStatement(server.url, 'alter system reset fsync');
      await runStatement(server.url, 'select pg_reload_conf()');
      await expect.poll(() => bridge.readReadiness()).toMatchObject(READY);
    });

    test('lets nobody in and calls nobody wrong: 503 with a time to come again, for tokens of the store', async () => {
      const proxy = await forTest(startPostgresProxy(await makeDatabase('attempts')));
      const bridge = await bridgeForTest({ settings: { DATABASE_URL: proxy.url } });
      const { text } = await makeToken(bridge, { name: 'okta' });
      const client = await makeClient(bridge, 'entra');
      const url = new URL('/ops/status', bridge.baseUrl).href;
      proxy.setRefusing(true);
      const [scim, ops, oauth] = await Promise.all([
        askWith(bridge, text),
        bridge.request('GET', url, undefined, { authorization: `Bearer ${text}` }),
        fetchToken(bridge, client),
      ]);
      proxy.setRefusing(false);

      expect([scim.status, ops.status, oauth.status]).toEqual([503, 503, 503]);
      for (const { headers } of [scim, ops, oauth]) expect(headers['retry-after']).toMatch(/^\d+$/);
      await expect.poll(async () => (await askWith(bridge, text)).status).toBe(200);
    });

    test('is waited for by a start', async () => {
      const proxy = await forTest(startPostgresProxy(await makeDatabase('late')));
      proxy.setRefusing(true);
      const starting = startBridge({ folder: makeFolder(), env: { DATABASE_URL: proxy.url } });
      onTestFinished(async () => (await starting).kill());
      await proxy.refused;
      proxy.setRefusing(false);

      const bridge = await starting;
      await bridge.ready();

      expect(bridge.output()).toContain('the store is not there yet');
      await toRequester(bridge).addUser('ada');
      expect(await bridge.stop()).toBe(0);
    });
  },
);

const value = { givenName: 'A', familyName: 'B' };
const disable = replace('active', false);

const READY = { status: 200, body: { status: 'ok' } };
const LED_BY_NOBODY = { status: 503, body: { leader: null } };

/** Done, told to come back in the form of the protocol, or, of a repeated POST, that the attempt before was kept. */
function isExpected({ status, headers, body }: TestAnswer): boolean {
  if (status !== 503) return [200, 201, 409].includes(status);
  const isScim = JSON.stringify(body.schemas).includes(':Error') && body.status === '503';
  return isScim && Number.isInteger(Number(headers['retry-after']));
}

/** Reads, changes and creates people without end, as a provider does: after 503 the same again, a little later. */
function startTraffic(bridge: TestBridge, ada: string) {
  const exchanges: { readonly answer: TestAnswer; readonly tookMs: number }[] = [];
  const acknowledged: string[] = [];
  let isOver = false;

  async function ask(...request: Parameters<TestBridge['request']>): Promise<TestAnswer> {
    const beganAt = performance.now();
    const answer = await bridge.request(...request);
    exchanges.push({ answer, tookMs: performance.now() - beganAt });
    return answer;
  }
  async function repeat(act: (round: number) => Promise<TestAnswer>): Promise<void> {
    for (let round = 0; !isOver; round += 1) {
      let answer = await act(round);
      while (answer.status === 503 && !isOver) {
        await sleep(100);
        answer = await act(round);
      }
      await sleep(10);
    }
  }
  const running = Promise.all([
    repeat(() => ask('GET', `/Users/${ada}`)),
    repeat(() => ask('GET', '/Users?count=10')),
    repeat((round) => {
      const value = { givenName: 'Ada', familyName: `Number${round}` };
      return ask('PATCH', `/Users/${ada}`, toPatch(replace('name', value)));
    }),
    repeat(async (round) => {
      const answer = await ask('POST', '/Users', toUser(`person${round}`));
      if (answer.status !== 503) acknowledged.push(`person${round}`);
      return answer;
    }),
  ]);
  const count = (isRefusal: boolean) =>
    exchanges.filter(({ answer }) => (answer.status === 503) === isRefusal).length;
  const untilMore = async (more: number, isRefusal: boolean) => {
    const goal = count(isRefusal) + more;
    const often = { timeout: 20_000, interval: 10 };
    await expect.poll(() => count(isRefusal), often).toBeGreaterThan(goal);
  };
  return {
    until: (more: number) => untilMore(more, false),
    untilRefused: (more: number) => untilMore(more, true),
    async stop() {
      isOver = true;
      await running;
      return { exchanges, acknowledged };
    },
  };
}

/** What works behind the answers still does: workers, sweeps, the audit log, the log of requests. */
async function expectAllAtWork(bridge: TestBridge, ada: string): Promise<void> {
  const { sandbox } = bridge;
  const read = sandbox.calls.count({ operation: 'auditLogs.retrieveAuditLogEvents' });
  await bridge.patch(`/Users/${ada}`, replace('active', false));
  // On a busy machine the wait of the PATCH may be over before its call has left.
  await bridge.untilSettled();
  expect(sandbox.service.getUser('ada@example.com').active).toBe(false);
  const { body } = await bridge.ops('POST', '/sweeps');
  expect(await bridge.untilSwept(String(body.id))).toMatchObject({ status: 'complete' });
  await sandbox.calls.until(read + 1, { operation: 'auditLogs.retrieveAuditLogEvents' });
  expect((await bridge.ops('GET', '/requests?limit=1')).body.items).toHaveLength(1);
}
