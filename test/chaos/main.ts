import { parseArgs } from 'node:util';
import { withPostgres } from './postgres.ts';
import { type ChaosReport, runChaos } from './run.ts';

/**
 * `npm run chaos -- [--seed n] [--operations 400 | --minutes m] [--store sqlite|postgres] [--processes n]
 * [--trace file]`: disturbs the bridge in every way while a provider works, and says whether service, store and what was
 * answered agree in the end. With minutes, one run follows another, each with the next seed. Exits with 1 when a promise
 * was broken.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    operations: { type: 'string', default: '400' },
    minutes: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
    processes: { type: 'string' },
    trace: { type: 'string' },
  },
});

const until = performance.now() + Number(values.minutes ?? 0) * 60_000;
let seed = Number(values.seed);
do {
  const plan = {
    seed,
    operations: Number(values.operations),
    trace: values.trace,
  };
  const hasPostgres = values.store === 'postgres';
  const processes = Number(values.processes ?? (hasPostgres ? 3 : 1));
  const report = hasPostgres
    ? await withPostgres((postgres) => runChaos({ ...plan, processes, postgres }))
    : await runChaos({ ...plan, processes });
  console.log(toSummary(report));
  for (const finding of report.findings) console.log(`FINDING ${finding}`);
  if (report.tracePath !== undefined) console.log(`what happened: ${report.tracePath}`);
  if (report.findings.length > 0) process.exitCode = 1;
  seed += 1;
} while (performance.now() < until);

function toSummary(report: ChaosReport): string {
  return [
    `seed ${report.seed}`,
    `${report.operations} operations`,
    `${report.sent} requests (${report.acknowledged} acknowledged, ${report.unanswered} unanswered)`,
    `${report.kills} kills`,
    `${report.terminations} SIGTERMs`,
    `${report.freezes} freezes`,
    `${report.postgresRestarts} restarts of PostgreSQL`,
    `${report.faults} faults`,
    `${report.changesBehind} changes behind the back`,
    `${report.calls} calls`,
    `${report.seconds.toFixed(1)} s`,
    `${report.findings.length} findings`,
  ].join(', ');
}
