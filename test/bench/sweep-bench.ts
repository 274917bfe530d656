import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import { opsToken } from './ask-ops.ts';
import { startChild } from './child.ts';
import { listUsers } from './company.ts';
import { bindToCore, type Cores } from './cores.ts';
import { findProcessFacts } from './process-facts.ts';
import { connectProfiler } from './profiler.ts';
import { readListsAlone } from './read-alone.ts';
import { type BenchSandbox, startBenchSandbox } from './sandbox.ts';
import { buildForStart, type StartCommand } from './start-command.ts';
import { type Latency, sendSteadily, toActivePatches, toServiceCalls } from './steady-load.ts';
import { adoptEverything, type Contents, type SweepSize } from './sweep-company.ts';
import { runSweep, type SweepRun } from './sweep-run.ts';

/** How to measure sweeps. */
export interface SweepBenchOptions {
  /** A small company and a large one, with as many members for each person. */
  readonly sizes: readonly [SweepSize, SweepSize];
  /** How long an identity provider is timed alone. */
  readonly aloneMs: number;
  /** This process is bound to the surroundings already. */
  readonly cores: Cores | undefined;
  readonly profileFolder: string | undefined;
  readonly say: (line: string) => void;
}

/** A company and what it cost to compare it. */
export interface SweepResult {
  readonly contents: Contents;
  readonly firstRead: {
    readonly wallMs: number;
    readonly peakResidentMb: number | undefined;
    /** Writing the same rows into the same tables and nothing else. */
    readonly writeAloneMs: number;
  };
  /** The best of a few, of the bridge's processor time: what else the machine does can only add to it. */
  readonly sweep: SweepRun;
  /** Processor time of reading the same pages and forgetting them. */
  readonly readAloneMs: number;
  /** The most since the start of the process, which made all the sweeps. */
  readonly peakResidentMb: number | undefined;
  /** What an identity provider waited meanwhile, and without a sweep. */
  readonly latency: {
    readonly during: Latency;
    /** What a call waited meanwhile that went to the service directly: each of the requests needs one. */
    readonly service: Latency;
    readonly alone: Latency;
  };
}

/** Of sweeps of the large company, and of the small one. */
export interface SweepBenchResult {
  readonly small: SweepResult;
  readonly large: SweepResult;
}

const scimToken = 'the-token-of-the-sweeps';
const firstReadMaxMs = 600_000;
/** The smaller the company, the more a single sweep is left to chance. */
const sweepsOfSmall = 12;
const sweepsOfLarge = 2;

/** Measures sweeps of a small company and of a large one, each in a bridge of its own. */
export async function benchSweeps(options: SweepBenchOptions): Promise<SweepBenchResult> {
  const [small, large] = options.sizes;
  const stage = { ...options, start: buildForStart() };
  return {
    small: await benchSize(stage, small, sweepsOfSmall),
    large: await benchSize(stage, large, sweepsOfLarge),
  };
}

interface Stage extends SweepBenchOptions {
  readonly start: StartCommand;
}

async function benchSize(options: Stage, size: SweepSize, sweeps: number): Promise<SweepResult> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-sweeps-'));
  options.say(`a company of ${size.users} users and ${size.groups} groups`);
  const sandbox = await startBenchSandbox(size);
  try {
    const read = await readFirst(options, folder, sandbox);
    options.say('first read done, writing the same alone, adopting everybody');
    const firstRead = { ...read, writeAloneMs: await writeAlone(options, folder) };
    const contents = adoptEverything(join(folder, 'bridge.db'));
    const bridge = await startHere(options, folder, sandbox);
    try {
      const measured = await measureSweeps(options, { bridge, sandbox, size, sweeps });
      const readAloneMs = await readListsAlone(sandbox, size);
      return { contents, firstRead, readAloneMs, ...measured };
    } finally {
      await bridge.kill();
    }
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readFirst(options: Stage, folder: string, sandbox: BenchSandbox) {
  const startedAt = performance.now();
  const bridge = await startHere(options, folder, sandbox);
  try {
    const wallMs = performance.now() - startedAt;
    return { wallMs, peakResidentMb: findProcessFacts(bridge.pid)?.peakResidentMb };
  } finally {
    await bridge.stop();
  }
}

const written = z.object({ ms: z.number() });

async function writeAlone({ cores }: Stage, folder: string): Promise<number> {
  // A child begins on the core of its parent.
  if (cores !== undefined) bindToCore(process.pid, cores.measured);
  try {
    const store = join(folder, 'bridge.db');
    const args = ['--store', store, '--folder', folder];
    const child = await startChild('test/bench/write-alone.ts', args);
    await child.stop();
    return written.parse(child.greeting).ms;
  } finally {
    if (cores !== undefined) bindToCore(process.pid, cores.surroundings);
  }
}

async function startHere(
  { start, cores, profileFolder }: Stage,
  folder: string,
  sandbox: BenchSandbox,
): Promise<BridgeProcess> {
  const bridge = await startBridge({
    folder,
    command: start.args,
    env: {
      ...start.env,
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      UPSTREAM_REQUESTS_PER_SECOND: '0',
      SCIM_TOKENS: scimToken,
      SCIM_REQUESTS_PER_SECOND: '0',
      LIMITS_PROVIDER: '0',
      OPS_TOKEN: opsToken,
      SWEEP_INTERVAL: '0',
      LOG_LEVEL: 'warn',
      ...(profileFolder !== undefined && { NODE_OPTIONS: '--inspect=127.0.0.1:0' }),
    },
  });
  if (cores !== undefined) bindToCore(bridge.pid, cores.measured);
  await bridge.ready(firstReadMaxMs);
  return bridge;
}

interface Measured {
  readonly bridge: BridgeProcess;
  readonly sandbox: BenchSandbox;
  readonly size: SweepSize;
  /** Number of sweeps, of which the best counts. */
  readonly sweeps: number;
}

async function measureSweeps(
  options: SweepBenchOptions,
  { bridge, sandbox, size, sweeps }: Measured,
): Promise<Pick<SweepResult, 'sweep' | 'peakResidentMb' | 'latency'>> {
  options.say('sweeps');
  const runs: SweepRun[] = [];
  for (let count = 0; count < sweeps; count += 1) runs.push(await profiled(options, bridge, size));
  const sweep = runs.reduce((best, run) => ((run.cpuMs ?? 0) < (best.cpuMs ?? 0) ? run : best));
  options.say('a provider at the same time');
  const patches = toActivePatches(bridge, await listUsers(bridge, size.users));
  const alone = await sendSteadily(patches, sleep(options.aloneMs));
  const swept = runSweep(bridge);
  const [during, service] = await Promise.all([
    sendSteadily(patches, swept),
    sendSteadily(toServiceCalls(sandbox), swept),
    swept,
  ]);
  const peakResidentMb = findProcessFacts(bridge.pid)?.peakResidentMb;
  return { sweep, peakResidentMb, latency: { during, service, alone } };
}

async function profiled(
  { profileFolder }: SweepBenchOptions,
  bridge: BridgeProcess,
  { users }: SweepSize,
): Promise<SweepRun> {
  if (profileFolder === undefined) return runSweep(bridge);
  const profiler = await connectProfiler(bridge.output());
  await profiler.start();
  const run = await runSweep(bridge);
  await profiler.stopAndWrite(join(profileFolder, `sweep-${users}.cpuprofile`));
  profiler.close();
  return run;
}
