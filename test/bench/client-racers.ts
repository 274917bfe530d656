import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { createClient } from '../../src/client.ts';

/**
 * The client beside the two ways of sending that it is compared with, in a process of its own:
 * `node test/bench/client-racers.ts --url <server> --connections <n> --ms <time of one leg>`. The three take turns, so that
 * whatever else the machine does meets all of them. Prints one JSON line: the medians of the legs of each.
 */
const LEGS = 25;
const PATH = '/api/latest/users/current';
const TOKEN = 'the-token-of-the-benchmark';

const { values } = parseArgs({
  options: { url: { type: 'string' }, connections: { type: 'string' }, ms: { type: 'string' } },
});
const { url } = values;
if (url === undefined) throw new Error('--url is needed');
const connections = Number(values.connections);
const ms = Number(values.ms);

const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json' };
const pool = new Pool(url, { connections });
const client = createClient({
  baseUrl: url,
  token: TOKEN,
  requestsPerSecond: 0,
  inFlightMax: connections,
});

/** Each sends a request and reads its answer as JSON. */
const racers: Record<string, () => Promise<unknown>> = {
  pool: async () => (await pool.request({ method: 'GET', path: PATH, headers })).body.json(),
  fetch: async () => (await fetch(url + PATH, { headers })).json(),
  client: () => client.users.retrieveCurrentUser(),
};

const legs = new Map(Object.keys(racers).map((name): [string, Leg[]] => [name, []]));
for (let leg = 0; leg <= LEGS; leg += 1) {
  for (const [name, send] of Object.entries(racers)) {
    const ran = await runLeg(send);
    if (leg > 0) legs.get(name)?.push(ran); // The first one is to warm up.
  }
}
const result = [...legs].map(([name, ran]) => [
  name,
  {
    perSecond: median(ran.map(({ requests, elapsedMs }) => (requests / elapsedMs) * 1_000)),
    cpuMicrosPerRequest: median(ran.map(({ requests, cpuMicros }) => cpuMicros / requests)),
  },
]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(result))}\n`);
await client.close();
await pool.close();

interface Leg {
  readonly requests: number;
  readonly elapsedMs: number;
  readonly cpuMicros: number;
}

/** As many requests as are answered in the time, so many at a time as there are connections. */
async function runLeg(send: () => Promise<unknown>): Promise<Leg> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const endsAt = startedAt + ms;
  let requests = 0;
  const lane = async () => {
    for (; performance.now() < endsAt; requests += 1) await send();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { requests, elapsedMs: performance.now() - startedAt, cpuMicros: user + system };
}

/** Of what a busy machine does to some legs it hardly tells. */
function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
