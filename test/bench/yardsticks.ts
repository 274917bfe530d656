import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { type Child, getText, startChild } from './child.ts';
import { bindToCore, type Cores } from './cores.ts';
import { LoadClient, type LoadRequest } from './load-client.ts';
import {
  createMeter,
  type Durations,
  type Measurement,
  type Meter,
  measureInTurns,
} from './measure.ts';
import { toPatch } from './scim-target.ts';

/** What stands beside a kind of request of the bridge, on the same core (`yardstick-server.ts`). */
const requests = {
  express: { method: 'GET', path: '/bare' },
  read: { method: 'GET', path: '/read/4711' },
  page: { method: 'GET', path: '/page' },
  commits: { method: 'POST', path: '/commits' },
  write: { method: 'POST', path: '/write', body: toPatch('replace', 'active', false) },
} as const satisfies Readonly<Record<string, LoadRequest>>;

/**
 * Something that is measured without the bridge: `express` alone, with one prepared `read` by key or of a `page` of 100
 * rows, with two synced `commits`, or the least of a `write`: its body, a read, two commits of five statements and a call.
 */
export type Yardstick = keyof typeof requests;

/** What the client and the disk can do at most. */
export interface Limits {
  /** A socket that answers without looking, by turns with bare express. */
  readonly wire: Measurement;
  readonly express: Measurement;
  /** Synced commits of one row, one after another, and nothing else. */
  readonly commitsPerSecond: number;
}

/** A server of yardsticks that runs. */
export interface Yardsticks {
  /** Makes a meter of one of them. */
  createMeter(yardstick: Yardstick): Meter;
  measureLimits(durations: Durations): Promise<Limits>;
  stop(): Promise<void>;
}

const commitRate = z.object({ commitsPerSecond: z.number() });

/**
 * Starts them on the core of the bridge, and what they call on ours.
 * @param options `folder`: an empty one, on the disk that is judged; `answer`: the JSON text that is answered and stored.
 */
export async function startYardsticks(options: {
  readonly folder: string;
  readonly answer: string;
  readonly cores: Cores | undefined;
  readonly connections: number;
}): Promise<Yardsticks> {
  const { folder, answer, cores, connections } = options;
  const called = await startServer(join(folder, 'called'), ['--answer', answer]);
  const callUrl = getText(called.greeting, 'wireUrl');
  const child = await startServer(join(folder, 'measured'), [
    ...['--answer', answer, '--call', callUrl],
  ]);
  if (cores !== undefined) {
    bindToCore(called.pid, cores.surroundings);
    bindToCore(child.pid, cores.measured);
  }
  const { pid } = child;
  const url = getText(child.greeting, 'url');
  const client = new LoadClient({ baseUrl: url, connections });
  const wireClient = new LoadClient({
    baseUrl: getText(child.greeting, 'wireUrl'),
    connections,
  });
  const makeMeter = (yardstick: Yardstick) =>
    createMeter({ client, source: () => requests[yardstick], pid });
  return {
    createMeter: makeMeter,
    async measureLimits(durations) {
      const source = () => ({ method: 'GET', path: '/' }) as const;
      const wire = createMeter({ client: wireClient, source, pid });
      const express = makeMeter('express');
      await measureInTurns([wire, express], durations);
      const commitsPerSecond = await fetchCommitRate(url, durations.measuredMs);
      return { wire: wire.read(), express: express.read(), commitsPerSecond };
    },
    async stop() {
      await client.close();
      await wireClient.close();
      await child.stop();
      await called.stop();
    },
  };
}

function startServer(folder: string, args: readonly string[]): Promise<Child> {
  mkdirSync(folder);
  return startChild('test/bench/yardstick-server.ts', ['--folder', folder, ...args]);
}

async function fetchCommitRate(url: string, ms: number): Promise<number> {
  const { body } = await request(`${url}/commit-rate?ms=${ms}`);
  return commitRate.parse(await body.json()).commitsPerSecond;
}
