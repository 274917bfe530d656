import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { getText, startChild } from './child.ts';
import { bindToCore, type Cores, findCores } from './cores.ts';
import type { Durations } from './measure.ts';

/** Three ways to send the same, in turns in one process; medians of many short legs. */
export interface ClientRace {
  /** `undici.Pool.request`. */
  readonly pool: Racer;
  /** The global `fetch`. */
  readonly fetch: Racer;
  readonly client: Racer;
}

/** One of them. Its processor time hardly depends on what else the machine does. */
export interface Racer {
  readonly perSecond: number;
  readonly cpuMicrosPerRequest: number;
}

const racer = z.object({ perSecond: z.number(), cpuMicrosPerRequest: z.number() });
const raceResult = z.object({ pool: racer, fetch: racer, client: racer });
const RACERS = 3;
/** Legs of each racer that are counted (`client-racers.ts`). */
const LEGS = 25;

/** What a race needs: `folder` is an empty one, `answer` the JSON text that is answered. */
interface RaceOptions {
  readonly folder: string;
  readonly answer: string;
  readonly cores: Cores | undefined;
  readonly connections: number;
  readonly durations: Durations;
}

/** Measures the client beside Pool and fetch on a core of their own, against a socket on another. */
export async function raceClients(options: RaceOptions): Promise<ClientRace> {
  const { folder, answer, cores, connections, durations } = options;
  const racing = join(folder, 'race');
  const server = await startChild('test/bench/yardstick-server.ts', [
    ...['--folder', mkdtempSync(`${racing}-`), '--answer', answer],
  ]);
  if (cores !== undefined) bindToCore(server.pid, cores.surroundings);
  // A child begins on the core of its parent.
  if (cores !== undefined) bindToCore(process.pid, cores.measured);
  try {
    const racers = await startChild('test/bench/client-racers.ts', [
      ...['--url', getText(server.greeting, 'wireUrl'), '--connections', String(connections)],
      ...['--ms', String(Math.ceil((durations.measuredMs * RACERS) / LEGS))],
    ]);
    await racers.stop();
    return raceResult.parse(racers.greeting);
  } finally {
    if (cores !== undefined) bindToCore(process.pid, cores.surroundings);
    await server.stop();
  }
}

/** The same without a bridge around it. */
export async function raceClientsAlone(
  options: Pick<RaceOptions, 'connections' | 'durations'>,
): Promise<ClientRace> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-race-'));
  try {
    return await raceClients({ ...options, folder, answer: ANSWER, cores: findCores() });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** About as long as a user. */
const ANSWER = JSON.stringify({
  id: 4711,
  full_name: 'Ada Lovelace',
  email: 'ada@example.com',
  username: 'ada',
  activated: true,
  created: '2026-01-01T00:00:00.000Z',
  updated: '2026-01-01T00:00:00.000Z',
  settings: { theme: 'light', language: 'en', timezone: 'Europe/London', channels: ['email'] },
});
