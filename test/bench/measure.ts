import type { Load, LoadClient, RequestSource } from './load-client.ts';
import { findProcessFacts, watchResidentMb } from './process-facts.ts';

/** How long one thing is measured. */
export interface Durations {
  readonly warmUpMs: number;
  readonly measuredMs: number;
}

/** What was seen while one kind of request was sent as fast as it was answered. */
export interface Measurement {
  /** How many were answered, well or badly. */
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  readonly firstFailure: Load['firstFailure'];
  /** What Linux alone tells of the server's process. */
  readonly server: ServerUse | undefined;
}

/** What a server used of its machine. */
interface ServerUse {
  /** Processor time of one request; hardly depends on what else the machine does. */
  readonly cpuMicrosPerRequest: number;
  /** 1: all of one core. Clearly less: something else was the bottleneck. */
  readonly cpuShare: number;
  readonly residentMbMax: number;
}

/** A server under load, and what is sent to it. */
interface MeterOptions {
  readonly client: LoadClient;
  readonly source: RequestSource;
  /** Whose processor time and memory are read; undefined where it is not known. */
  readonly pid: number | undefined;
  /** Runs when no request is on its way. */
  readonly afterWarmUp?: () => Promise<void>;
}

/** Measures one kind of request, leg by leg. */
export interface Meter {
  /** Loads the server for so long; only failures are counted. */
  warmUp(ms: number): Promise<void>;
  /** Loads it for one leg more. */
  run(ms: number): Promise<void>;
  /** Sums up all legs. */
  read(): Measurement;
}

/** Makes a meter, which loads the server as fast as it answers. */
export function createMeter({ client, source, pid, afterWarmUp }: MeterOptions): Meter {
  const warmUps: Load[] = [];
  const legs: Leg[] = [];
  return {
    async warmUp(ms) {
      warmUps.push(await client.run(forTime(ms, source)));
      await afterWarmUp?.();
    },
    async run(ms) {
      const before = findProcessFacts(pid);
      const residentMb = watchResidentMb(pid);
      const load = await client.run(forTime(ms, source));
      const after = findProcessFacts(pid);
      const residentMbMax = residentMb() ?? 0;
      const use = before && after && { cpuMs: after.cpuMs - before.cpuMs, residentMbMax };
      legs.push({ load, use });
    },
    read: () => toMeasurement(legs, warmUps),
  };
}

/** Turns of each in `measureInTurns`. */
const TURNS = 8;

/**
 * Loads several servers by turns, after a warm-up of each: on a machine whose speed changes within seconds each gets its
 * part of every speed. Whoever is not loaded is idle.
 */
export async function measureInTurns(
  meters: readonly Meter[],
  { warmUpMs, measuredMs }: Durations,
): Promise<void> {
  for (const meter of meters) await meter.warmUp(warmUpMs);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const meter of meters) await meter.run(measuredMs / TURNS);
  }
}

/** Loads one server for a fixed time, after a warm-up that is not counted. */
export async function measure(
  options: MeterOptions,
  { warmUpMs, measuredMs }: Durations,
): Promise<Measurement> {
  const meter = createMeter(options);
  await meter.warmUp(warmUpMs);
  await meter.run(measuredMs);
  return meter.read();
}

/**
 * The smallest of the values that at least the `share` of them does not exceed (nearest rank), so always one of them.
 * @param ascending sorted; NaN when empty.
 */
export function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN;
}

/** One leg, and what the server used meanwhile. */
interface Leg {
  readonly load: Load;
  readonly use: { readonly cpuMs: number; readonly residentMbMax: number } | undefined;
}

function toMeasurement(legs: readonly Leg[], warmUps: readonly Load[]): Measurement {
  const loads = legs.map(({ load }) => load);
  const all = [...warmUps, ...loads];
  const ascending = Float64Array.from(loads.flatMap(({ latenciesMs }) => latenciesMs)).sort();
  const elapsedMs = sum(loads.map((load) => load.elapsedMs));
  const uses = legs.flatMap(({ use }) => use ?? []);
  const cpuMs = sum(uses.map((use) => use.cpuMs));
  return {
    requests: ascending.length,
    perSecond: (ascending.length / elapsedMs) * 1_000,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    failures: sum(all.map(({ failures }) => failures)),
    firstFailure: all.find(({ firstFailure }) => firstFailure !== undefined)?.firstFailure,
    server:
      uses.length === 0
        ? undefined
        : {
            cpuMicrosPerRequest: (cpuMs * 1_000) / ascending.length,
            cpuShare: cpuMs / elapsedMs,
            residentMbMax: Math.max(...uses.map((use) => use.residentMbMax)),
          },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function forTime(ms: number, source: RequestSource): RequestSource {
  const endsAt = performance.now() + ms;
  return (lane) => (performance.now() < endsAt ? source(lane) : undefined);
}
