import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import { adoptCompany, type Company, type CompanySize } from './company.ts';
import { bindToCore, type Cores } from './cores.ts';
import { LoadClient } from './load-client.ts';
import { createMeter, type Durations, type Measurement, measureInTurns } from './measure.ts';
import { findProcessFacts } from './process-facts.ts';
import { connectProfiler } from './profiler.ts';
import { type BenchSandbox, startBenchSandbox } from './sandbox.ts';
import { createScenarios, type Scenario } from './scenarios.ts';
import { fetchScim } from './scim-target.ts';
import { buildForStart } from './start-command.ts';
import { type StartTime, timeStarts } from './start-time.ts';
import { type Limits, startYardsticks, type Yardsticks } from './yardsticks.ts';

/** How to run the benchmark. */
export interface BenchOptions {
  readonly size: CompanySize;
  readonly durations: Durations;
  /** Keep-alive connections, with one request at a time on each. */
  readonly connections: number;
  /** Names of scenarios; empty: all of them. */
  readonly only: readonly string[];
  /** This process is bound to the surroundings already. */
  readonly cores: Cores | undefined;
  /** Where to write a processor profile of the bridge for each scenario. */
  readonly profileFolder: string | undefined;
  /** Is told what happens next. */
  readonly say: (line: string) => void;
}

/** A scenario, and what was seen of it and, by turns with it, of what it is compared with. */
export interface ScenarioResult {
  readonly scenario: Scenario;
  readonly measurement: Measurement;
  readonly yardstick: Measurement;
  readonly floor: Measurement;
  /** Calls to the service for each request of the identity provider. */
  readonly callsPerRequest: number;
}

/** Everything that one run found out. */
export interface BenchResult {
  readonly options: BenchOptions;
  /** From the start of the bridge until it was ready to serve. */
  readonly firstReadMs: number;
  /** Before the first request; undefined where only Linux knows. */
  readonly residentMbAtRest: number | undefined;
  readonly limits: Limits;
  readonly scenarios: readonly ScenarioResult[];
  readonly startTime: StartTime;
  /** What the bridge wrote to its log and its terminal. */
  readonly bridgeOutput: string;
}

const scimToken = 'the-token-of-the-benchmark';

/**
 * Measures every scenario against a bridge, by turns with its yardsticks, in processes of their own: what is measured on
 * one core, the sandbox and the client on another. Nothing of it is left afterwards.
 * @throws Error when the bridge does not start, or the company cannot be prepared.
 */
export async function runBench(options: BenchOptions): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-bench-'));
  const endings: Ending[] = [async () => rmSync(folder, { recursive: true })];
  try {
    return await runOnStage(await setStage(options, folder, endings), options, endings);
  } finally {
    for (const end of endings.reverse()) await end();
  }
}

type Ending = () => Promise<unknown>;

/** What a run consists of. */
interface Stage {
  readonly folder: string;
  readonly sandbox: BenchSandbox;
  readonly bridge: BridgeProcess;
  /** How it was started. */
  readonly launch: Parameters<typeof startBridge>[0];
  readonly firstReadMs: number;
  readonly client: LoadClient;
}

async function setStage(
  { size, connections, cores, profileFolder, say }: BenchOptions,
  folder: string,
  endings: Ending[],
): Promise<Stage> {
  say(`seeding ${size.users} users and ${size.groups} groups`);
  const sandbox = await startBenchSandbox({ ...size, groupSizes: size.largeGroups }); // On our core: a child begins where its parent is.
  endings.push(sandbox.stop);
  const start = buildForStart();
  say('first read');
  const startedAt = performance.now();
  const profiled = profileFolder === undefined ? {} : INSPECTED;
  const env = { ...start.env, ...toBridgeEnv(sandbox), ...profiled };
  const launch = { folder, command: start.args, env };
  const bridge = await startBridge(launch);
  endings.push(bridge.stop);
  if (cores !== undefined) bindToCore(bridge.pid, cores.measured);
  await bridge.ready();
  const firstReadMs = performance.now() - startedAt;
  const client = new LoadClient({ baseUrl: bridge.baseUrl, token: scimToken, connections });
  endings.push(() => client.close());
  return { folder, sandbox, bridge, launch, firstReadMs, client };
}

/** Lets `connectProfiler` reach a bridge. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

/** Settings of a bridge in front of the sandbox: nothing limits it, and nothing but requests keeps it busy. */
export function toBridgeEnv(sandbox: BenchSandbox): Record<string, string> {
  return {
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    SCIM_TOKENS: scimToken,
    SCIM_REQUESTS_PER_SECOND: '0',
    LIMITS_PROVIDER: '0',
    // It would read what all scenarios did in the minute before, in one of them.
    AUDIT_POLL_INTERVAL: '0',
    LOG_LEVEL: 'warn',
  };
}

async function runOnStage(
  stage: Stage,
  options: BenchOptions,
  endings: Ending[],
): Promise<BenchResult> {
  const { folder, bridge, launch, firstReadMs, client } = stage;
  const { size, connections, durations, cores, say } = options;
  const residentMbAtRest = findProcessFacts(bridge.pid)?.residentMb;
  say('adopting everybody through SCIM');
  const company = await adoptCompany(bridge, client, size);
  const user = await fetchScim(bridge, `/Users/${company.users[0]?.id}`);
  const answer = JSON.stringify(user);
  const yardsticks = await startYardsticks({ folder, answer, cores, connections });
  endings.push(yardsticks.stop);
  say('what the client and the disk can do');
  const limits = await yardsticks.measureLimits(durations);
  const scenarios = await runScenarios(stage, { company, yardsticks }, options);
  const bridgeOutput = bridge.output();
  say('starting again');
  await bridge.stop();
  const startTime = await timeStarts(launch);
  const atRest = { firstReadMs, residentMbAtRest };
  return { options, ...atRest, limits, scenarios, startTime, bridgeOutput };
}

async function runScenarios(
  { bridge, client, sandbox }: Stage,
  { company, yardsticks }: { readonly company: Company; readonly yardsticks: Yardsticks },
  { connections, durations, only, profileFolder, say }: BenchOptions,
): Promise<ScenarioResult[]> {
  const profiler = profileFolder === undefined ? undefined : await connectProfiler(bridge.output());
  const results: ScenarioResult[] = [];
  for (const scenario of createScenarios(company, connections)) {
    if (only.length > 0 && !only.includes(scenario.name)) continue;
    say(scenario.title);
    const afterWarmUp = async () => {
      await sandbox.forgetCalls();
      await profiler?.start();
    };
    const measured = createMeter({ client, source: scenario.source, pid: bridge.pid, afterWarmUp });
    const yardstick = yardsticks.createMeter(scenario.yardstick);
    const floor = yardsticks.createMeter(scenario.floor);
    // The bridge is the last to be warmed up: its calls are counted, and its profile is taken, from there.
    await measureInTurns([yardstick, floor, measured], durations);
    await profiler?.stopAndWrite(join(profileFolder ?? '', `${scenario.name}.cpuprofile`));
    const measurement = measured.read();
    results.push({
      ...{ scenario, measurement, yardstick: yardstick.read(), floor: floor.read() },
      callsPerRequest: (await sandbox.countCalls()) / measurement.requests,
    });
  }
  profiler?.close();
  return results;
}
