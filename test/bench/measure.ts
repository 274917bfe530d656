import type { Load, RequestSource } from './load-client.ts';
import { findProcessFacts } from './machine.ts';
import type { Program } from './program.ts';

/** How long one thing is measured. */
export interface Durations {
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** What was seen while one kind of request was sent as fast as it was answered. */
export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  readonly firstFailure: Load['firstFailure'];
  /** Processor time of one request, which hardly depends on what else the machine does; Linux alone tells it. */
  readonly cpuMicros: number | undefined;
  readonly callsPerRequest: number;
  readonly residentMb: number | undefined;
}

/** Turns of each program. */
const TURNS = 8;

/** Loads each program with its source by turns, after a warm-up of each. Whoever is not loaded is idle. */
export async function measureInTurns(
  programs: readonly Program[],
  sources: readonly RequestSource[],
  { warmUpMs, measuredMs }: Durations,
): Promise<Measurement[]> {
  const meters = programs.flatMap((program, index) => {
    const source = sources[index];
    return source === undefined ? [] : [createMeter(program, source)];
  });
  for (const meter of meters) await meter.warmUp(warmUpMs);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const meter of meters) await meter.run(measuredMs / TURNS);
  }
  return meters.map((meter) => meter.read());
}

function createMeter({ client, bridge, sandbox }: Program, source: RequestSource) {
  const warmUps: Load[] = [];
  const loads: Load[] = [];
  let cpuMs: number | undefined;
  return {
    async warmUp(ms: number) {
      warmUps.push(await client.run(forTime(ms, source)));
      sandbox.calls.reset();
    },
    async run(ms: number) {
      const before = findProcessFacts(bridge().pid);
      loads.push(await client.run(forTime(ms, source)));
      const after = findProcessFacts(bridge().pid);
      if (before && after) cpuMs = (cpuMs ?? 0) + after.cpuMs - before.cpuMs;
    },
    read(): Measurement {
      const ascending = Float64Array.from(loads.flatMap(({ latenciesMs }) => latenciesMs)).sort();
      const elapsedMs = loads.reduce((sum, load) => sum + load.elapsedMs, 0);
      const all = [...warmUps, ...loads];
      return {
        perSecond: (ascending.length / elapsedMs) * 1_000,
        p50Ms: percentile(ascending, 0.5),
        p99Ms: percentile(ascending, 0.99),
        failures: all.reduce((sum, { failures }) => sum + failures, 0),
        firstFailure: all.find(({ failures }) => failures > 0)?.firstFailure,
        cpuMicros: cpuMs && (cpuMs * 1_000) / ascending.length,
        callsPerRequest: sandbox.calls.count() / ascending.length,
        residentMb: findProcessFacts(bridge().pid)?.residentMb,
      };
    },
  };
}

/** The smallest of the values that at least the `share` of them does not exceed (nearest rank); NaN of none. */
function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN;
}

function forTime(ms: number, source: RequestSource): RequestSource {
  const endsAt = performance.now() + ms;
  return (lane) => (performance.now() < endsAt ? source(lane) : undefined);
}
