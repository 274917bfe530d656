import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { spawnBin } from '../support/process.ts';

/** Starts a bridge as systemd and compose do: no terminal, no OPS_TOKEN. */
async function start(more: Record<string, string> = {}) {
  const folder = makeFolder();
  const port = await freePort();
  const env = {
    ...{ DATABASE_URL: `sqlite:${folder}/bridge.db`, SANDBOX_FILE: `${folder}/sandbox.db` },
    ...{ SANDBOX_PORT: '0', PORT: `${port}`, ...more },
  };
  const serve = () => spawnBin(['serve'], env);
  const first = serve();
  await untilServing(port);
  const ask = (path: string, headers: Record<string, string>) =>
    request(`http://127.0.0.1:${port}${path}`, { headers });
  return { folder, port, env, serve, first, ask };
}

async function untilServing(port: number) {
  const isReady = async () => {
    const answer = await request(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode;
  };
  await expect.poll(isReady).toBe(200);
}

describe('the first operator without OPS_TOKEN and without a terminal', () => {
  test('makes a token beside the running store, which leaves an act and opens the bridge at once', async () => {
    const { env, ask } = await start();
    const { out, ended } = spawnBin(['token', 'create', 'ada', '--for', 'operator'], env);
    expect(await ended).toBe(0);
    const [token = ''] = /scimbridge_token_\S+/.exec(out.text) ?? [];

    const acts = await ask('/ops/acts', { authorization: `Bearer ${token}` });
    expect(Object(await acts.body.json()).items).toMatchObject([
      {
        ...{ act: 'made a token', credential: 'command', outcome: 'done', status: 201 },
        target: expect.stringMatching(/^token-/),
      },
    ]);
    const again = spawnBin(['token', 'create', 'ada', '--for', 'operator'], env);
    expect(await again.ended).not.toBe(0);
    expect(again.out.text).toContain('Another token has this name');
  });
});
