import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { toOperator } from '../support/operator.ts';
import { type Provider, replace, type TestAnswer, toPatch, toUser } from '../support/provider.ts';
import { startReadyProxy } from '../support/ready-proxy.ts';
import { toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';

const TOKEN = 'token-of-a-provider';
const OPS_TOKEN = 'token-of-an-operator-of-many';
/** The proxy asks ten times a second; the machine may be busy. */
const DELAY_MS = 1_500;

describePostgres('three processes that are restarted one after the other', ({ makeUrl }) => {
  test('answer every request of a provider behind a proxy that asks whether they are ready, and hand over at once', async () => {
    const folder = makeFolder();
    const sandbox = await forTest(startSandbox());
    const url = await makeUrl('migrated');
    const env = {
      DATABASE_URL: url,
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      UPSTREAM_REQUESTS_PER_SECOND: '0',
      // A quick machine deactivates more people than the limit of a provider allows.
      LIMITS_PROVIDER: '0',
      SCIM_TOKENS: TOKEN,
      OPS_TOKEN,
      SHUTDOWN_DELAY: `${DELAY_MS}ms`,
    };
    const start = async () => {
      const bridge = await startBridge({ folder, env });
      onTestFinished(() => bridge.kill());
      return bridge;
    };
    const bridges: BridgeProcess[] = [];
    for (let count = 0; count < 3; count += 1) bridges.push(await start());
    const proxy = await startReadyProxy();
    onTestFinished(() => proxy.stop());
    const tellProxy = () => proxy.setBridges(bridges.map(({ baseUrl }) => new URL(baseUrl).origin));
    tellProxy();
    await proxy.untilReady(3);
    const load = startLoad(toRequester({ baseUrl: `${proxy.url}/scim/v2`, token: TOKEN }));

    const exitCodes: (number | null)[] = [];
    // Of each leader: whether it left the others nothing to find out.
    const handedOver: boolean[] = [];
    for (const [place, bridge] of bridges.entries()) {
      const wasLeader = await isLeader(bridge);
      exitCodes.push(await bridge.stop());
      if (wasLeader) handedOver.push(bridge.output().includes('"how":"given-up"'));
      bridges[place] = await start();
      tellProxy();
      await proxy.untilReady(3);
    }
    const { answers, people } = await load.stop();

    expect(exitCodes).toEqual([0, 0, 0]);
    expect(handedOver).toContain(true);
    expect(handedOver).not.toContain(false);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    expect(people.length).toBeGreaterThan(10);
    for (const bridge of bridges) {
      const { request } = toRequester(bridge);
      await toOperator({ request, baseUrl: bridge.baseUrl, opsToken: OPS_TOKEN }).untilSettled();
    }
    const made = new Map(sandbox.service.users().map((user) => [user.email, user]));
    const renamed = people.filter(({ change }) => change === RENAME);
    expect(renamed.map(({ name }) => made.get(toAddress(name))?.fullName)).toEqual(
      renamed.map(() => 'Renamed Example'),
    );
    // Nobody makes an account for somebody who was deactivated while it was waited for.
    const disabled = people.filter(({ change }) => change === DISABLE);
    expect(disabled.filter(({ name }) => made.get(toAddress(name))?.active)).toEqual([]);
  });
});

async function isLeader(bridge: BridgeProcess): Promise<boolean> {
  const url = new URL('/readyz', bridge.baseUrl).href;
  const { body } = await toRequester(bridge).request('GET', url);
  return Object(body.leader).isSelf === true;
}

/** Reads and writes without a pause for longer than a few milliseconds. */
function startLoad(provider: Provider) {
  const answers: TestAnswer[] = [];
  const people: { readonly name: string; readonly change: JsonObject }[] = [];
  let isOver = false;

  async function ask(...request: Parameters<Provider['request']>): Promise<TestAnswer> {
    const answer = await provider.request(...request);
    answers.push(answer);
    return answer;
  }
  async function read(): Promise<void> {
    while (!isOver) {
      await ask('GET', '/Users?count=5');
      await sleep(10);
    }
  }
  async function write(): Promise<void> {
    while (!isOver) {
      const name = `person${people.length}`;
      const change = people.length % 2 === 0 ? RENAME : DISABLE;
      const { body } = await ask('POST', '/Users', toUser(name));
      people.push({ name, change });
      await ask('PATCH', `/Users/${body.id}`, change);
      await sleep(20);
    }
  }
  const running = Promise.all([read(), read(), write()]);
  return {
    async stop() {
      isOver = true;
      await running;
      return { answers, people };
    },
  };
}

const DISABLE = toPatch(replace('active', false));
const RENAME = toPatch(replace('name.givenName', 'Renamed'));

function toAddress(name: string): string {
  return `${name}@example.com`;
}
