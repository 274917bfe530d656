import { parseArgs } from 'node:util';
import { withPostgres } from './postgres.ts';
import { runChaos } from './run.ts';

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
const operations = Number(values.operations);
const hasPostgres = values.store === 'postgres';
const processes = Number(values.processes ?? (hasPostgres ? 3 : 1));
let seed = Number(values.seed);
do {
  const plan = { seed, operations, processes, trace: values.trace };
  const report = hasPostgres
    ? await withPostgres((postgres) => runChaos({ ...plan, postgres }))
    : await runChaos(plan);
  const { findings, disturbances, tracePath, ...counts } = report;
  const told = Object.entries({ seed, operations, ...disturbances, ...counts });
  console.log(told.map(([what, count]) => `${what} ${count}`).join(', '));
  for (const finding of findings) console.log(`FINDING ${finding}`);
  if (tracePath !== undefined) console.log(`what happened: ${tracePath}`);
  if (findings.length > 0) process.exitCode = 1;
  seed += 1;
} while (performance.now() < until);
