import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { type Child, getText, startChild } from './child.ts';
import { bindToCore, type Cores } from './cores.ts';
import { LoadClient, type LoadRequest } from './load-client.ts';
import { type Durations, type Measurement, measure } from './measure.ts';
import { toPatch } from './scim-target.ts';

/** What the same client, disk and core do without the bridge. */
export interface Yardsticks {
  /** A socket that answers without looking: what the client can do at most. */
  readonly wire: Measurement;
  readonly express: Measurement;
  /** Express and one prepared read by key. */
  readonly read: Measurement;
  /** Express and one prepared read of 100 rows. */
  readonly page: Measurement;
  /** Express and two synced commits. */
  readonly commits: Measurement;
  /** Express, the body, a read, two synced commits of five statements, and a call between them. */
  readonly write: Measurement;
  /** Synced commits of one row, one after another, and nothing else. */
  readonly commitsPerSecond: number;
}

const commitRate = z.object({ commitsPerSecond: z.number() });

/**
 * Measures them one after another.
 * @param options `folder`: an empty one, on the disk that is judged; `answer`: the JSON text that is answered and stored.
 */
export async function measureYardsticks(options: {
  folder: string;
  answer: string;
  cores: Cores | undefined;
  connections: number;
  durations: Durations;
}): Promise<Yardsticks> {
  const { folder, answer, cores, connections, durations } = options;
  const called = await startServer(join(folder, 'called'), ['--answer', answer]);
  const callUrl = getText(called.greeting, 'wireUrl');
  const child = await startServer(join(folder, 'measured'), [
    ...['--answer', answer, '--call', callUrl],
  ]);
  if (cores !== undefined) {
    bindToCore(called.pid, cores.surroundings);
    bindToCore(child.pid, cores.measured);
  }
  const [url, wireUrl] = [getText(child.greeting, 'url'), getText(child.greeting, 'wireUrl')];
  const load = async (baseUrl: string, one: LoadRequest): Promise<Measurement> => {
    const client = new LoadClient({ baseUrl, connections });
    const measured = await measure(client, () => one, { pid: child.pid, durations });
    await client.close();
    return measured;
  };
  const yardsticks = {
    wire: await load(wireUrl, { method: 'GET', path: '/' }),
    express: await load(url, { method: 'GET', path: '/bare' }),
    read: await load(url, { method: 'GET', path: '/read/4711' }),
    page: await load(url, { method: 'GET', path: '/page' }),
    commits: await load(url, { method: 'POST', path: '/commits' }),
    write: await load(url, { method: 'POST', path: '/write', body: WRITE }),
    commitsPerSecond: await fetchCommitRate(url, durations.measuredMs),
  };
  await child.stop();
  await called.stop();
  return yardsticks;
}

const WRITE = toPatch('replace', 'active', false);

function startServer(folder: string, args: readonly string[]): Promise<Child> {
  mkdirSync(folder);
  return startChild('test/bench/yardstick-server.ts', ['--folder', folder, ...args]);
}

async function fetchCommitRate(url: string, ms: number): Promise<number> {
  const { body } = await request(`${url}/commit-rate?ms=${ms}`);
  return commitRate.parse(await body.json()).commitsPerSecond;
}
