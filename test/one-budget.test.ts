import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toSharedRate } from '../src/app/budget.ts';
import { type Sandbox, startSandbox } from '../src/sandbox/sandbox.ts';
import { systemClock } from '../src/telemetry/system-clock.ts';
import type { CallClass } from '../src/upstream/call-class.ts';
import { createTransport, type Transport } from '../src/upstream/transport.ts';
import { startTestBridge } from './support/bridge.ts';
import { cutConnections } from './support/cut-connections.ts';
import { send, toUser } from './support/provider.ts';
import { toRequester } from './support/send-raw.ts';
import { type BridgeProcess, startBridge } from './support/server.ts';
import { describePostgres } from './support/stores.ts';
import { askOps, OPS_TOKEN } from './support/sweep.ts';

const RATE = 40;
/** A call as the service got it. */
interface Arrival {
  readonly host: number;
  readonly callClass: string;
  readonly status: number | undefined;
  readonly at: number;
}

function listArrivals({ calls }: Sandbox): Arrival[] {
  return calls.recent().map(({ path, status, at }) => {
    const { searchParams } = new URL(path, 'http://service');
    const callClass = searchParams.get('class') ?? '';
    return { host: Number(searchParams.get('host')), callClass, status, at };
  });
}

/** The most within a second. */
function findBusiest(times: readonly number[]): number {
  const counts = times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length);
  return Math.max(...counts);
}

/** When the calls of a process left, from its log: those that it was killed with are not in it. */
function listDepartures(bridge: BridgeProcess): number[] {
  const lines = bridge
    .output()
    .split('\n')
    .filter((line) => line.includes('"call to the service"'));
  return lines.map((line) => {
    const { time, durationMs } = Object(JSON.parse(line));
    return Date.parse(String(time)) - Number(durationMs);
  });
}

describePostgres('one budget for all processes on one store', ({ makeUrl, open }) => {
  interface Hosts {
    readonly url: string;
    readonly sandbox: Sandbox;
    readonly transports: readonly Transport[];
    /** When the calls left, all of them. */
    readonly departures: readonly number[];
    /** So many calls of a class, at the same time; resolves with how many succeeded. */
    call(host: number, callClass: CallClass, count: number): Promise<number>;
  }

  /** Three processes, as far as calls are concerned. */
  async function startHosts(): Promise<Hosts> {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const url = await makeUrl('migrated');
    const transports: Transport[] = [];
    const departures: number[] = [];
    for (let host = 0; host < 3; host += 1) {
      const store = await open(url);
      const transport = createTransport({
        baseUrl: sandbox.url,
        token: sandbox.token,
        requestsPerSecond: RATE,
        shared: toSharedRate(store, `host-${host}`),
        clock: systemClock,
        random: () => 0,
        hooks: { onSend: () => void departures.push(Date.now()) },
      });
      onTestFinished(() => transport.close());
      transports.push(transport);
    }
    return {
      url,
      sandbox,
      transports,
      departures,
      async call(host, callClass, count) {
        const query = { host, class: callClass };
        const request = { method: 'GET', path: '/users/current', query } as const;
        const calls = Array.from({ length: count }, () =>
          transports[host]?.request(request, { class: callClass }).then(() => true),
        );
        const results = await Promise.allSettled(calls);
        return results.filter(({ status }) => status === 'fulfilled').length;
      },
    };
  }

  test('never more than the rate together, and all of it', async () => {
    const { departures, call } = await startHosts();

    const done = await Promise.all([0, 1, 2].map((host) => call(host, 'change', 30)));

    expect(done).toEqual([30, 30, 30]);
    expect(findBusiest(departures)).toBeLessThanOrEqual(RATE);
    // How much of the rate is used is measured where no other process can be in the way; half of it is always there.
    expect((departures.at(-1) ?? 0) - (departures[0] ?? 0)).toBeLessThan((90 / RATE) * 2_000);
  });

  test('removals of access in one process go before the changes of all', async () => {
    const { sandbox, call } = await startHosts();
    const changes = [call(0, 'change', 50), call(1, 'change', 50), call(2, 'change', 10)];
    await sandbox.calls.until(RATE + 2);
    const removals = call(2, 'remove', 20);
    await removals;

    const arrivals = listArrivals(sandbox);
    const classes = arrivals.map(({ callClass }) => callClass);
    const first = classes.indexOf('remove');
    const during = arrivals.slice(first, classes.lastIndexOf('remove') + 1);
    // In turn they would be twice as many as the removals. Whoever is late loses a turn, and this machine may be.
    expect(during.filter(({ callClass }) => callClass === 'change').length).toBeLessThan(20);
    expect(await Promise.all(changes)).toEqual([50, 50, 10]);
  });

  test('a 429 for one stops all; one goes first, and the rest after its answer', async () => {
    const { sandbox, transports, call } = await startHosts();
    const calling = [0, 1, 2].map((host) => call(host, 'change', 20));
    await sandbox.calls.until(RATE + 2);
    const limit = { kind: 'status', status: 429, headers: { 'retry-after': '2' } } as const;
    const limited = sandbox.faults.add({ operation: '*', fault: limit, times: 1 });
    await limited.until(1);
    // Those in which somebody waits still; nothing is on its way any more.
    const listWaiting = () => transports.filter(({ health }) => health().waiting.change > 0);
    const areStopped = () => listWaiting().every(({ health }) => health().pausedForMs > 0);
    const isQuiet = () => areStopped() && sandbox.calls.open === 0;
    await expect.poll(isQuiet, { interval: 10, timeout: 1_900 }).toBe(true);
    const before = sandbox.calls.count();
    const slow = { kind: 'delay', delayMs: 400 } as const;
    sandbox.faults.add({ operation: '*', fault: slow, times: 1 });
    const done = await Promise.all(calling);

    const arrivals = listArrivals(sandbox);
    const pausedAt = arrivals.find(({ status }) => status === 429)?.at ?? Number.NaN;
    const [probe = Number.NaN, next = Number.NaN] = arrivals.slice(before).map(({ at }) => at);
    expect(done).toEqual([20, 20, 20]);
    expect(probe - pausedAt).toBeGreaterThanOrEqual(1_990);
    expect(next - probe).toBeGreaterThanOrEqual(390);
    expect(arrivals.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  test('a store that goes away again and again lets no call through without a place, and loses none', async () => {
    const { url, sandbox, departures, call } = await startHosts();
    const calling = [0, 1, 2].map((host) => call(host, 'change', 30));
    for (let cut = 0; cut < 4; cut += 1) {
      await sandbox.calls.until(sandbox.calls.count() + 8);
      await cutConnections(url);
    }

    expect(await Promise.all(calling)).toEqual([30, 30, 30]);
    expect(departures).toHaveLength(90);
    expect(findBusiest(departures)).toBeLessThanOrEqual(RATE);
  });
});

describePostgres('two bridges on one store', ({ makeUrl }) => {
  test('tell of each what waits in the other', async () => {
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const settings = { DATABASE_URL: await makeUrl('migrated'), OPS_TOKEN, SCIM_WRITE_WAIT: '0' };
    const start = () => startTestBridge({ settings, service: sandbox, requestsPerSecond: 10 });
    const [first, second] = [await start(), await start()];
    onTestFinished(async () => {
      await first.stop();
      await second.stop();
    });
    const waiting = Array.from({ length: 15 }, () =>
      askOps(first, 'POST', '/api/users/retrieveCurrentUser', {}),
    );
    const readUpstream = async () => Object((await askOps(second, 'GET', '/status')).body.upstream);
    await expect
      .poll(async () => (await readUpstream()).elsewhere.pass, { interval: 20 })
      .toBeGreaterThan(0);

    expect((await readUpstream()).waiting.pass).toBe(0);
    await Promise.all(waiting);
  });
});

describePostgres('three bridges of processes of their own', ({ makeUrl }) => {
  test('never exceed the rate together, also when one is killed, and finish what all of them accepted', async () => {
    const rate = 10; // Each of them alone would use it up.
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-budget-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const env = {
      DATABASE_URL: await makeUrl('migrated'),
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      UPSTREAM_REQUESTS_PER_SECOND: String(rate),
      UPSTREAM_TIMEOUT: '400ms',
      AUDIT_POLL_INTERVAL: '0',
      SWEEP_INTERVAL: '0',
      SCIM_WRITE_WAIT: '0',
      LOG_LEVEL: 'debug',
      SCIM_TOKENS: 'token-of-a-provider',
    };
    const bridges = await Promise.all([1, 2, 3].map(() => startBridge({ folder, env })));
    for (const bridge of bridges) onTestFinished(() => bridge.kill());
    await Promise.all(bridges.map((bridge) => bridge.ready()));
    const names = Array.from({ length: 15 }, (_, n) => `person${n}`);
    await Promise.all(
      names.map((name, n) => {
        const bridge = bridges[n % 3] ?? bridges[0];
        if (bridge === undefined) throw new Error('no bridge is running');
        return send(toRequester(bridge), 'POST', '/Users', toUser(name));
      }),
    );
    await sandbox.calls.until(8, { mutating: true });
    await bridges[1]?.kill();
    const isThere = (name: string) => sandbox.service.findUser(`${name}@example.com`) !== undefined;
    await expect.poll(() => names.every(isThere), { timeout: 40_000 }).toBe(true);

    const departures = bridges.map(listDepartures);
    expect(departures.filter((times) => times.length > 0).length).toBeGreaterThan(1);
    // All but what the killed one had on its way.
    expect(departures.flat().length).toBeGreaterThanOrEqual(sandbox.calls.count() - rate);
    expect(findBusiest(departures.flat())).toBeLessThanOrEqual(rate);
    expect(sandbox.service.users()).toHaveLength(1 + names.length);
  }, 60_000);
});
