import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/domain/clock.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import type { Passed } from '../support/local-server.ts';
import { passOn, serve } from '../support/local-server.ts';
import { admit, listResources, replace } from '../support/provider.ts';
import { describePostgres } from '../support/take-store.ts';

const off = (ms: number): Clock => ({ now: () => Date.now() + ms, sleep: systemClock.sleep });

const HOUR_MS = 3_600_000;

function jumping(ms: number): Clock {
  const now = () => Date.now() + (Math.floor(performance.now() / 200) % 2 === 0 ? ms : -ms);
  return { ...systemClock, now };
}

async function expectModifiedSince(bridge: TestBridge, startedAt: number): Promise<void> {
  const answer = await bridge.send(
    'GET',
    `/Users?count=20&filter=${encodeURIComponent('userName sw "person"')}`,
  );
  const moments = listResources(answer).map(({ meta }) => Date.parse(Object(meta).lastModified));
  expect(moments).toHaveLength(12);
  expect(Math.min(...moments)).toBeGreaterThan(startedAt - 2_000);
  expect(Math.max(...moments)).toBeLessThan(Date.now() + 2_000);
}

describePostgres('two processes on one store', ({ makeUrl }) => {
  interface Pair {
    readonly sandbox: Sandbox;
    readonly bridges: readonly [TestBridge, TestBridge];
    readonly overlaps: readonly string[];
  }

  async function startPair(clocks: readonly [Clock, Clock]): Promise<Pair> {
    const sandbox = await forTest(startSandbox());
    const { baseUrl, overlaps } = await watchOverlaps(sandbox);
    const settings = {
      DATABASE_URL: await makeUrl(),
      UPSTREAM_TIMEOUT: '500ms',
      SCIM_WRITE_WAIT: '100ms',
    };
    const service = { ...sandbox, url: baseUrl };
    const first = await bridgeForTest({ settings, service, clock: clocks[0] });
    const second = await bridgeForTest({ settings, service, clock: clocks[1] });
    return { sandbox, bridges: [first, second], overlaps };
  }

  async function writeThroughBoth({ sandbox, bridges }: Pair): Promise<void> {
    const [first] = bridges;
    const ids = await first.settled(first.addUsers(12));
    const group = `/Groups/${await first.addGroup('Everybody')}`;
    sandbox.faults.add({ operation: '*', fault: { kind: 'delay', delayMs: 5 } });
    const through = (n: number) => bridges[n % 2] ?? first;

    await Promise.all(
      ids.flatMap((id, n) => {
        const value = { givenName: 'Jo', familyName: `Number${n}` };
        return [
          through(n).patch(group, admit(id)),
          through(n + 1).patch(`/Users/${id}`, replace('active', false)),
          through(n).patch(`/Users/${id}`, replace('name', value)),
          through(n + 1).addUser(`newcomer${n}`),
        ];
      }),
    );
    await first.untilSettled();
  }

  function expectEverythingOnce({ sandbox, overlaps }: Pair): void {
    const { service } = sandbox;
    const people = service.users().filter(({ email }) => email.startsWith('person'));
    expect(people.map(({ active }) => active)).toEqual(Array.from({ length: 12 }, () => false));
    expect(new Set(people.map(({ fullName }) => fullName)).size).toBe(12);
    expect(service.members('Everybody')).toHaveLength(12);
    expect(service.groups()).toHaveLength(1);
    expect(service.users()).toHaveLength(1 + 12 + 12);
    expect(overlaps).toEqual([]);
  }

  test('lose nothing, make nothing twice, and never change one resource at the same time, while a clock is set by hours again and again', async () => {
    const pair = await startPair([jumping(3 * HOUR_MS), systemClock]);
    const startedAt = Date.now();

    await writeThroughBoth(pair);

    expectEverythingOnce(pair);
    // By no clock but the store's.
    for (const bridge of pair.bridges) await expectModifiedSince(bridge, startedAt);
  });

  test('one finishes what the other accepted and could not do, by a clock that is five minutes ahead', async () => {
    const { sandbox, bridges } = await startPair([off(300_000), systemClock]);
    const [first, second] = bridges;
    const down = sandbox.faults.add({ operation: 'scim.addUser', fault: failing(503) });
    await first.addUser('ada');
    await first.bridge.stop();

    down.remove();

    await expect.poll(() => sandbox.service.findUser('ada@example.com')?.active).toBe(true);
    await second.untilSettled();
  });
});

/** Stands between bridges and a sandbox. `overlaps` has each change that began while another one had not ended. */
async function watchOverlaps(sandbox: Sandbox) {
  const overlaps: string[] = [];
  const running = new Set<string>();

  async function watch(req: IncomingMessage): Promise<Passed> {
    const { method = 'GET', url = '/' } = req;
    const body = await text(req);
    const answer = () => passOn(req, `${sandbox.url}${url}`, body);
    if (method === 'GET') return answer();
    // The group or the person that the path names, or what is created.
    const resource = /\/(?:groups|users)\/([^/?]+)/i.exec(url)?.[1] ?? body;
    if (running.has(resource)) overlaps.push(`${method} ${url}`);
    running.add(resource);
    try {
      return await answer();
    } finally {
      running.delete(resource);
    }
  }

  const { url } = await forTest(
    serve((req, res) => {
      watch(req).then(
        ({ status, text: json }) =>
          res.writeHead(status, { 'content-type': 'application/json' }).end(json),
        () => res.destroy(),
      );
    }),
  );
  return { baseUrl: url, overlaps };
}
