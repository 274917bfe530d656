import { parseArgs } from 'node:util';
import { startPostgres } from '../support/postgres.ts';
import { runDriftCrash } from './drift/run.ts';
import { type CrashPlan, runCrash } from './run.ts';

/**
 * `npm run crash -- [--scene provider|drift] [--kills 30] [--store sqlite|postgres] [--seed n] [--people 300]
 * [--groups 20] [--processes 1]`: kills the bridge again and again while a provider writes, or while somebody changes
 * the service behind its back. Exits with 1 when a promise was broken.
 */
const { values } = parseArgs({
  options: {
    scene: { type: 'string', default: 'provider' },
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
const plan: Omit<CrashPlan, 'requestsPerKill' | 'comparesAtEnd'> = {
  seed: Number(values.seed),
  kills: Number(values.kills),
  people: Number(values.people),
  groups: Number(values.groups),
  processes: Number(values.processes),
  databaseUrl: postgres?.url,
  say: (line) => console.error(`… ${line}`),
};
console.log(`${values.scene}, seed ${plan.seed}, ${values.store}, ${plan.processes} process(es)`);
try {
  const findings = values.scene === 'drift' ? await playDrift() : await playProvider();
  for (const finding of findings) console.log(`FINDING ${finding}`);
  console.log(`${findings.length} findings`);
  if (findings.length > 0) process.exitCode = 1;
} finally {
  await postgres?.stop();
}

async function playProvider(): Promise<readonly string[]> {
  const report = await runCrash({ ...plan, requestsPerKill: 60, comparesAtEnd: true });
  const { kills, sent, acknowledged, unanswered, calls, sweeps, seconds, findings } = report;
  console.log(
    `${kills} kills, ${sent} requests (${acknowledged} acknowledged, ${unanswered} unanswered), ` +
      `${calls} calls to the service, ${sweeps} sweeps begun or taken over, ${seconds.toFixed(1)} s`,
  );
  return findings;
}

async function playDrift(): Promise<readonly string[]> {
  const { kills, changes, plans, approvals, calls, seconds, findings } = await runDriftCrash(plan);
  console.log(
    `${kills} kills, ${changes} changes behind the bridge's back, ${plans} plans (${approvals} approved by hand), ` +
      `${calls} calls to the service, ${seconds.toFixed(1)} s`,
  );
  return findings;
}
