import { askOps } from '../bench/ask-ops.ts';
import { findProcessFacts, watchResidentMb } from '../bench/process-facts.ts';
import { buildForStart } from '../bench/start-command.ts';
import type { SweepSize } from '../bench/sweep-company.ts';
import type { BridgeProcess } from '../support/server.ts';
import { type CallCount, countCalls } from './calls.ts';
import { type Drain, drain, readWaiting, type Waiting } from './drain.ts';
import { type OpenLoad, sendOnSchedule } from './open-loop.ts';
import { type LoadEngine, type LoadStage, setStage } from './stage.ts';

/** How many processes share which store. */
export interface LoadSetup {
  readonly engine: LoadEngine;
  readonly processes: number;
}

/** How to run a load. */
export interface LoadOptions {
  readonly size: SweepSize;
  readonly setups: readonly LoadSetup[];
  /** Requests of providers a second, one run after another. */
  readonly rates: readonly number[];
  readonly seconds: number;
  /** Sent before, and not measured. */
  readonly warmUpSeconds: number;
  /** How long a backlog is watched before the rest of its time is estimated. */
  readonly drainSecondsMax: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** What became of one rate in one setup. */
export interface LoadRun {
  readonly setup: LoadSetup;
  readonly rate: number;
  readonly load: OpenLoad;
  /** Of all processes together, in cores; undefined where only Linux knows. */
  readonly cores: number | undefined;
  /** The resident memory of the largest process. */
  readonly residentMb: { readonly before: number | undefined; readonly most: number | undefined };
  readonly calls: CallCount;
  /** When the last answer was there. */
  readonly dueAtEnd: number;
  readonly drain: Drain;
  /** After everything was let through: what the service refused of what was acknowledged. */
  readonly stuck: number;
  /** What the bridges wrote to their logs. */
  readonly bridgeOutput: string;
}

/** What the service allows. */
export const callsPerSecond = 5;
const settleSecondsMax = 600;

/** Runs every setup with every rate, on one service and one store for each engine. */
export async function runLoad(options: LoadOptions): Promise<LoadRun[]> {
  const command = buildForStart();
  const runs: LoadRun[] = [];
  for (const engine of ['sqlite', 'postgres'] as const) {
    const setups = options.setups.filter((setup) => setup.engine === engine);
    if (setups.length === 0) continue;
    options.say(`${engine}: ${options.size.users} users and ${options.size.groups} groups`);
    const stage = await setStage({ engine, size: options.size, seed: options.seed, command });
    try {
      for (const setup of setups) {
        for (const rate of options.rates) runs.push(await runRate(stage, { setup, rate, options }));
      }
    } finally {
      await stage.stop();
    }
  }
  return runs;
}

interface Rate {
  readonly setup: LoadSetup;
  readonly rate: number;
  readonly options: LoadOptions;
}

async function runRate(stage: LoadStage, { setup, rate, options }: Rate): Promise<LoadRun> {
  options.say(`${setup.engine}, ${setup.processes} process(es), ${rate} requests a second`);
  await stage.sandbox.limitRate(callsPerSecond);
  await stage.sandbox.forgetCalls();
  const bridges: BridgeProcess[] = [];
  try {
    for (let n = 0; n < setup.processes; n += 1) bridges.push(await stage.start(callsPerSecond));
    const watched = await watchLoad(stage, { bridges, rate, options });
    await Promise.all(bridges.map((bridge) => bridge.stop()));
    options.say('letting the rest through');
    const { stuckCount: stuck } = await settleRest(stage);
    const bridgeOutput = bridges.map((bridge) => bridge.output()).join('');
    return { setup, rate, ...watched, stuck, bridgeOutput };
  } finally {
    for (const bridge of bridges) await bridge.kill();
  }
}

async function watchLoad(
  { sandbox, next }: LoadStage,
  { bridges, rate, options }: Pick<Rate, 'rate' | 'options'> & { bridges: BridgeProcess[] },
): Promise<Pick<LoadRun, 'load' | 'cores' | 'residentMb' | 'calls' | 'dueAtEnd' | 'drain'>> {
  const [first] = bridges;
  if (first === undefined) throw new RangeError('no process');
  await askOps(first, 'POST', '/ops/sweeps'); // A large company is nearly always being compared.
  const schedule = { requestsPerSecond: rate, next };
  const warmUp = await sendOnSchedule(bridges, { ...schedule, seconds: options.warmUpSeconds });
  const facts = () => bridges.map(({ pid }) => findProcessFacts(pid));
  const [before, watches] = [facts(), bridges.map(({ pid }) => watchResidentMb(pid))];
  const load = await sendOnSchedule(bridges, { ...schedule, seconds: options.seconds });
  const [after, most] = [facts(), watches.map((end) => end())];
  const { due: dueAtEnd } = await readWaiting(first);
  options.say(`${dueAtEnd} due`);
  const drained = await drain(first, options.drainSecondsMax);
  const cpuMs = sum(after.map((one) => one?.cpuMs)) - sum(before.map((one) => one?.cpuMs));
  return {
    load: {
      ...load,
      failures: load.failures + warmUp.failures,
      firstFailure: warmUp.firstFailure ?? load.firstFailure,
    },
    cores: Number.isNaN(cpuMs) ? undefined : cpuMs / load.elapsedMs,
    residentMb: { before: findMost(before.map((one) => one?.residentMb)), most: findMost(most) },
    calls: countCalls(await sandbox.listCalls(), callsPerSecond),
    dueAtEnd,
    drain: drained,
  };
}

/** Has one process do without a limit what is left, so that the next rate begins with nothing. @throws Error after ten minutes. */
async function settleRest({ sandbox, start }: LoadStage): Promise<Waiting> {
  await sandbox.limitRate(undefined);
  const bridge = await start(0);
  try {
    const { kind } = await drain(bridge, settleSecondsMax);
    const waiting = await readWaiting(bridge);
    if (kind === 'estimated') throw new Error(`${waiting.due} are still due`);
    return waiting;
  } finally {
    await bridge.stop();
  }
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);
}

function findMost(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
