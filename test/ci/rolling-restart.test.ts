import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { type Provider, replace, type TestAnswer, toPatch, toUser } from '../support/provider.ts';
import { startReadyProxy } from '../support/ready-proxy.ts';
import { toRequester } from '../support/send-raw.ts';
import { type Life, openSite, readReady } from '../support/site.ts';

/** The proxy asks ten times a second; the machine may be busy. */
const DELAY_MS = 1_500;

describePostgres('three processes that are restarted one after the other', ({ makeUrl }) => {
  test('answer every request of a provider behind a proxy that asks whether they are ready, and hand over at once', async () => {
    const { sandbox, launch } = await openSite({
      env: {
        DATABASE_URL: await makeUrl('migrated'),
        // A quick machine deactivates more people than the limit of a provider allows.
        LIMITS_PROVIDER: '0',
        SHUTDOWN_DELAY: `${DELAY_MS}ms`,
      },
    });
    const bridges: [Life, Life, Life] = [await launch(), await launch(), await launch()];
    const proxy = await startReadyProxy();
    onTestFinished(() => proxy.stop());
    const tellProxy = () => proxy.setBridges(bridges.map(({ baseUrl }) => new URL(baseUrl).origin));
    tellProxy();
    await proxy.untilReady(3);
    const { token } = bridges[0];
    const load = startLoad(toRequester({ baseUrl: `${proxy.url}/scim/v2`, token }));

    const exitCodes: (number | null)[] = [];
    // Of each leader: whether it left the others nothing to find out.
    const handedOver: boolean[] = [];
    for (const [place, bridge] of bridges.entries()) {
      const wasLeader = Object((await readReady(bridge)).body.leader).isSelf === true;
      exitCodes.push(await bridge.stop());
      if (wasLeader) handedOver.push(bridge.output().includes('"how":"given-up"'));
      bridges[place] = await launch();
      tellProxy();
      await proxy.untilReady(3);
    }
    const { answers, people } = await load.stop();

    expect(exitCodes).toEqual([0, 0, 0]);
    expect(handedOver).toContain(true);
    expect(handedOver).not.toContain(false);
    expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
    expect(people.length).toBeGreaterThan(10);
    for (const bridge of bridges) await bridge.untilSettled();
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
