import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { serveNothing } from '../support/local-server.ts';
import { packageJson, program } from '../support/repository.ts';
import type { BridgeProcess } from '../support/server.ts';
import { runToEnd, startBridge } from '../support/server.ts';

interface Asker {
  readonly met: (number | string)[];
  untilRefused(): Promise<void>;
  stop(): Promise<void>;
}

const NOT_LISTENING = 'ECONNREFUSED';

function askOn(urls: readonly string[], headersTimeout = 5_000): Asker {
  const met: (number | string)[] = [];
  const connections = urls.map(() => keepConnection(headersTimeout));
  let stopped = false;
  let refusals = 0;
  const asking = urls.map(async (url, index) => {
    while (!stopped) {
      const answer = await connections[index]?.ask(url);
      if (answer === ENDED_IDLE) continue;
      if (answer !== undefined && answer !== NOT_LISTENING) {
        met.push(answer);
        refusals = 0;
        continue;
      }
      refusals += 1;
      await sleep(5);
    }
  });
  return {
    met,
    untilRefused: () => expect.poll(() => refusals).toBeGreaterThan(20),
    async stop() {
      stopped = true;
      await Promise.all(asking);
      for (const connection of connections) await connection.end();
    },
  };
}

/** An idle connection has ended, perhaps while a request is on its way: a client sends it again (RFC 9112 §9.3.1). */
const ENDED_IDLE = 'ended while it was idle';
const ENDS = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const IDLE_MS = 250;

function keepConnection(headersTimeout: number) {
  const agent = new Agent({ headersTimeout, connections: 1 });
  let answeredAt = Number.POSITIVE_INFINITY;
  agent.on('connect', () => {
    answeredAt = Number.POSITIVE_INFINITY;
  });
  return {
    async ask(url: string): Promise<number | string> {
      try {
        const { statusCode, body } = await request(url, { dispatcher: agent });
        await body.dump();
        answeredAt = performance.now();
        return statusCode;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        const wasIdle = performance.now() - answeredAt >= IDLE_MS;
        return wasIdle && ENDS.includes(code) ? ENDED_IDLE : code;
      }
    },
    end: () => agent.destroy(),
  };
}

test('every request is answered, on both ports, and none holds up the stop', async () => {
  const folder = makeFolder();
  const [port, opsPort] = [await freePort(), await freePort()];
  const main = `http://127.0.0.1:${port}`;
  const ops = `http://127.0.0.1:${opsPort}`;
  const asker = askOn([
    ...[`${main}/scim/v2/Users`, `${main}/scim/v2/Users`, `${main}/healthz`, `${main}/readyz`],
    ...[`${ops}/healthz`, `${ops}/readyz`, `${ops}/ops/status`, `${ops}/metrics`],
  ]);
  onTestFinished(() => asker.stop());

  const env = { PORT: String(port), OPS_PORT: String(opsPort) };
  const bridge: BridgeProcess = await startBridge({ folder, env });
  onTestFinished(() => bridge.kill());
  await bridge.ready();
  const exitCode = await bridge.stop();
  await asker.untilRefused();
  await asker.stop();

  expect(asker.met.filter((each) => typeof each === 'string' || each >= 504)).toEqual([]);
  expect(new Set(asker.met)).toEqual(new Set([200, 401, 503]));
  expect(exitCode).toBe(0);
  expect(listLines(bridge, 'serving')).toMatchObject([
    { port, engine: 'sqlite', mode: 'live', version: packageJson.version },
  ]);
  expect(listLines(bridge, 'stopping: finishing what has begun')).toHaveLength(1);
  expect(listLines(bridge, 'stopped')).toHaveLength(1);
  expect(listLines(bridge, 'cannot go on')).toEqual([]);
});

test('a start on a port that is in use fails, and that is told once', async () => {
  const folder = makeFolder();
  const { port } = await forTest(serveNothing());

  const { exitCode, output } = await runToEnd({ folder, env: { PORT: String(port) } });

  expect(exitCode).toBe(1);
  expect(listLines({ output: () => output }, 'cannot go on')).toMatchObject([
    { level: 'fatal', error: { code: 'listen-failed' } },
  ]);
  expect(output).toMatch(new RegExp(`${port}.*in use|in use.*${port}`, 's'));
});

function listLines({ output }: Pick<BridgeProcess, 'output'>, msg: string): unknown[] {
  return output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): { msg?: unknown } => JSON.parse(line))
    .filter((line) => line.msg === msg);
}

test('a proxy that opens no connection holds up neither the stop nor a check', async () => {
  const folder = makeFolder();
  const env = {
    UPSTREAM_URL: 'https://service.invalid',
    UPSTREAM_TOKEN: 'token-of-the-service',
    UPSTREAM_PROXY: (await forTest(serveNothing())).url,
    UPSTREAM_TIMEOUT: '1s',
    SCIM_TOKENS: 'token-of-a-provider',
  };
  const bridge = await startBridge({ folder, env });
  onTestFinished(() => bridge.kill());

  const exitCode = await bridge.stop();
  const checked = await runToEnd({ folder, env, command: [program, 'check'] });

  expect(exitCode).toBe(0);
  expect(checked.exitCode).toBe(1);
});
