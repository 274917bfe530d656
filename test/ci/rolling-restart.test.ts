import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { passOn, serve } from '../support/local-server.ts';
import type { Provider, TestAnswer } from '../support/provider.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import type { Life } from '../support/site.ts';
import { openSite, readReady } from '../support/site.ts';
import { describePostgres } from '../support/take-store.ts';

const ASK_EVERY_MS = 100;

/** A proxy that keeps connections. Requests go round between those that are ready. Nothing is sent twice: what fails is the caller's to see, as 502. */
async function startReadyProxy() {
  const agent = new Agent({ keepAliveTimeout: 60_000 });
  const stopping = new AbortController();
  let bridges: readonly string[] = [];
  let ready: readonly string[] = [];
  let turn = 0;

  async function isReady(origin: string): Promise<boolean> {
    try {
      const { statusCode, body } = await request(`${origin}/readyz`, { dispatcher: agent });
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const asked = bridges;
      const answers = await Promise.all(asked.map(isReady));
      ready = asked.filter((_, index) => answers[index]);
      await sleep(ASK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const server = await serve(async (req, res) => {
    const sent = await buffer(req);
    turn += 1;
    const { status, text } = await passOn(
      req,
      `${ready[turn % ready.length]}${req.url}`,
      sent,
      agent,
    ).catch((error) => ({ status: 502, text: JSON.stringify({ detail: String(error) }) }));
    res.writeHead(status, { 'content-type': 'application/scim+json' }).end(text);
  });
  const watching = watch();
  return {
    url: server.url,
    setBridges(origins: readonly string[]) {
      bridges = origins;
    },
    async untilReady(count: number) {
      while (ready.length !== count) await sleep(ASK_EVERY_MS);
    },
    async stop() {
      stopping.abort();
      await watching;
      await server.stop();
      await agent.close();
    },
  };
}

const DELAY_MS = 1_500;

describePostgres('three processes that are restarted one after the other', ({ makeUrl }) => {
  test('answer every request of a provider behind a proxy that asks whether they are ready, and hand over at once', async () => {
    const { sandbox, launch } = await openSite({
      env: {
        DATABASE_URL: await makeUrl(),
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
