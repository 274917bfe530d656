import { expect, onTestFinished, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { toOperator } from '../support/operator.ts';
import { replace, toUser } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';

const TIMEOUT_S = 2;
const OPS_TOKEN = 'ops-token-of-a-test-bridge';
/** A service that is called as often as this is called by nobody beside. */
const RATE = 5;

describePostgres('a leader', ({ makeUrl }) => {
  async function startPair(env: Readonly<Record<string, string>> = {}) {
    const folder = makeFolder();
    const sandbox = await forTest(startSandbox());
    const url = await makeUrl('migrated');
    const start = async () => {
      const bridge = await startBridge({
        folder,
        env: {
          DATABASE_URL: url,
          UPSTREAM_URL: sandbox.url,
          UPSTREAM_TOKEN: sandbox.token,
          UPSTREAM_TIMEOUT: `${TIMEOUT_S}s`,
          UPSTREAM_REQUESTS_PER_SECOND: '0',
          SCIM_TOKENS: 'token-of-a-provider',
          SCIM_WRITE_WAIT: '0',
          AUDIT_POLL_INTERVAL: '0',
          SWEEP_INTERVAL: '0',
          OPS_TOKEN,
          ...env,
        },
      });
      onTestFinished(() => bridge.kill());
      await bridge.ready();
      return bridge;
    };
    const leader = await start();
    const successor = await start();
    return { sandbox, leader, successor };
  }

  test('that is killed leaves its work to another process within seconds, which sends nothing before its last call has ended', async () => {
    const { sandbox, leader, successor } = await startPair();
    const provider = toRequester(leader);
    const ada = await provider.addUser('ada');
    await observe(leader).untilSettled();
    sandbox.calls.reset();
    const change = sandbox.faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });
    const page = sandbox.faults.add({ operation: 'scim.getUsers', fault: { kind: 'hang' } });
    await provider.tryPatch(`/Users/${ada}`, replace('name.familyName', 'King'));
    await change.until(1);
    const sweeping = new URL('/ops/sweeps', leader.baseUrl).href;
    await provider.request(
      'POST',
      sweeping,
      {},
      {
        authorization: `Bearer ${OPS_TOKEN}`,
        'content-type': 'application/json',
      },
    );
    await page.until(1);

    await leader.kill();
    const killedAt = performance.now();
    change.remove();
    page.remove();
    sandbox.faults.release();
    const sinceKilled = () => performance.now() - killedAt;
    const [lookMs, sweepMs] = await Promise.all([
      sandbox.calls.until(1, { operation: 'scim.getUser' }).then(sinceKilled),
      sandbox.calls.until(2, { operation: 'scim.getUsers' }).then(sinceKilled),
    ]);
    await expect.poll(() => readSweepStatus(successor), { timeout: 10_000 }).toBe('complete');

    expect(Math.min(lookMs, sweepMs)).toBeGreaterThan(TIMEOUT_S * 1_000);
    await expect
      .poll(() => sandbox.service.getUser('ada@example.com').fullName, { timeout: 5_000 })
      .toBe('Ada King');
    expect(await readLeader(successor)).toMatchObject(SECOND);
    expect(successor.output()).toContain('this process leads from now on');
  });

  test('that stands still costs writers of other processes their own wait within its five seconds and nothing later, and sends nothing when it goes on', async () => {
    const { sandbox, leader, successor } = await startPair({
      SCIM_WRITE_WAIT: '8s',
      UPSTREAM_REQUESTS_PER_SECOND: String(RATE),
    });
    const provider = toRequester(successor);
    await provider.request('POST', '/Users', toUser('first'));
    await observe(leader).untilSettled();
    leader.freeze();
    const tookMs: number[] = [];
    const names = Array.from({ length: 8 }, (_, n) => `person${n}`);
    for (const name of names) {
      const askedAt = performance.now();
      const { status } = await provider.request('POST', '/Users', toUser(name));
      tookMs.push(performance.now() - askedAt);
      expect(status).toBe(201);
    }
    await expect.poll(() => readLeader(successor), { timeout: 30_000 }).toMatchObject(SECOND);
    leader.goOn();
    await untilCreated(sandbox, names);
    await observe(successor).untilSettled();

    // The first one waits as long as it may; the lead has passed on by then.
    expect(Math.max(...tookMs)).toBeLessThan(10_000);
    expect(Math.max(...tookMs.slice(1))).toBeLessThan(2_000);
    expect(listTwice(sandbox)).toEqual([]);
    expect(findBusiest(sandbox)).toBeLessThanOrEqual(RATE);
    expect(leader.output()).toContain('"how":"lost"');
  });
});

const SECOND = { isSelf: true, epoch: 2 };

async function untilCreated({ service }: Sandbox, names: readonly string[]): Promise<void> {
  const find = (name: string) => service.findUser(`${name}@example.com`) !== undefined;
  await expect.poll(() => names.filter((name) => !find(name)), { timeout: 30_000 }).toEqual([]);
}

function listTwice({ service }: Sandbox): string[] {
  const emails = service.users().map(({ email }) => email);
  return emails.filter((email, place) => emails.indexOf(email) !== place);
}

/** The most calls within a second, as the service got them. */
function findBusiest({ calls }: Sandbox): number {
  const times = calls.recent().map(({ at }) => at);
  // What arrives within a second may have left in a little more.
  const counts = times.map((from) => times.filter((at) => at >= from && at < from + 950).length);
  return Math.max(...counts);
}

async function readLeader(bridge: BridgeProcess): Promise<unknown> {
  const url = new URL('/readyz', bridge.baseUrl).href;
  return Object((await toRequester(bridge).request('GET', url)).body).leader;
}

/** A process as who asks its operators' API sees it. */
function observe(bridge: BridgeProcess) {
  const { request } = toRequester(bridge);
  return toOperator({ request, baseUrl: bridge.baseUrl, opsToken: OPS_TOKEN });
}

async function readSweepStatus(bridge: BridgeProcess): Promise<unknown> {
  const url = new URL('/ops/sweeps?limit=1', bridge.baseUrl).href;
  const headers = { authorization: `Bearer ${OPS_TOKEN}` };
  const { body } = await toRequester(bridge).request('GET', url, undefined, headers);
  return Object(Object(body).items[0]).status;
}
