import { request } from 'undici';
import { z } from 'zod';
import { getText, startChild } from './child.ts';
import { bindToCore, type Cores } from './cores.ts';
import { LoadClient, type LoadRequest } from './load-client.ts';
import { type Durations, type Measurement, measure } from './measure.ts';

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
  const script = 'test/bench/yardstick-server.ts';
  const child = await startChild(script, ['--folder', folder, '--answer', answer]);
  if (cores !== undefined) bindToCore(child.pid, cores.measured);
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
    commitsPerSecond: await fetchCommitRate(url, durations.measuredMs),
  };
  await child.stop();
  return yardsticks;
}

async function fetchCommitRate(url: string, ms: number): Promise<number> {
  const { body } = await request(`${url}/commit-rate?ms=${ms}`);
  return commitRate.parse(await body.json()).commitsPerSecond;
}
