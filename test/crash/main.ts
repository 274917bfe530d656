import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { runCrash } from './run.ts';

/**
 * `npm run crash -- [--kills 30] [--store sqlite|postgres] [--seed n] [--people 300] [--groups 20] [--processes 1]`:
 * kills the bridge again and again while a provider writes. Exits with 1 when a promise was broken.
 */
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '30' },
    store: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    people: { type: 'string', default: '300' },
    groups: { type: 'string', default: '20' },
    processes: { type: 'string', default: '1' },
  },
});

const postgres = values.store === 'postgres' ? await startPostgres() : undefined;
if (values.store === 'postgres' && postgres === undefined) {
  throw new Error('PostgreSQL is not installed here');
}
console.log(`seed ${values.seed}, ${values.store}, ${values.processes} process(es)`);
try {
  const kills = Number(values.kills);
  const report = await runCrash({
    seed: Number(values.seed),
    kills,
    people: Number(values.people),
    groups: Number(values.groups),
    processes: Number(values.processes),
    requestsPerKill: 60,
    databaseUrl: postgres?.url,
    say: (line) => console.error(`… ${line}`),
  });
  const { sent, acknowledged, unanswered, calls, seconds, findings } = report;
  console.log(
    `${report.kills} kills, ${sent} requests (${acknowledged} acknowledged, ${unanswered} unanswered), ` +
      `${calls} calls to the service, ${seconds.toFixed(1)} s`,
  );
  for (const finding of findings) console.log(`FINDING ${finding}`);
  console.log(`${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
} finally {
  await postgres?.stop();
}
