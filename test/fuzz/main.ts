import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { runFuzz } from './run.ts';

/**
 * `npm run fuzz -- [--requests 100000] [--seed n] [--store sqlite|postgres] [--people 300]`: throws rubbish at
 * every address of a real bridge. Exits with 1 when a promise was broken.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    store: { type: 'string', default: 'sqlite' },
    people: { type: 'string', default: '300' },
  },
});

const postgres = values.store === 'postgres' ? await startPostgres() : undefined;
if (values.store === 'postgres' && postgres === undefined)
  throw new Error('PostgreSQL is not installed here');
const seed = Number(values.seed);
console.log(`seed ${seed}, ${values.requests} requests, ${values.store}`);
try {
  const { counts, findings, memoryMb, seconds } = await runFuzz({
    seed,
    requests: Number(values.requests),
    databaseUrl: postgres?.url,
    people: Number(values.people),
    say: (line: string) => console.error(`… ${line}`),
  });
  for (const [status, count] of [...counts].toSorted()) console.log(`${status}: ${count}`);
  const memory = memoryMb.map((mb) => mb.toFixed(0)).join(', ');
  console.log(`memory ${memory} MB, ${seconds.toFixed(1)} s`);
  for (const finding of findings) console.log(`FINDING ${finding}`);
  console.log(`${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
} finally {
  await postgres?.stop();
}
