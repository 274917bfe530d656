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

/**
 * Loads a server for a fixed time, after a warm-up that is not counted.
 * @param server `pid`: whose processor time and memory are read, undefined where it is not known; `afterWarmUp` runs when no
 * request is on its way.
 */
export async function measure(
  client: LoadClient,
  source: RequestSource,
  server: { pid: number | undefined; durations: Durations; afterWarmUp?: () => Promise<void> },
): Promise<Measurement> {
  const { pid, durations } = server;
  const warmUp = await client.run(forTime(durations.warmUpMs, source));
  await server.afterWarmUp?.();
  const before = findProcessFacts(pid);
  const residentMb = watchResidentMb(pid);
  const load = await client.run(forTime(durations.measuredMs, source));
  const after = findProcessFacts(pid);
  const residentMbMax = residentMb();
  return {
    ...summarise(load),
    failures: warmUp.failures + load.failures,
    firstFailure: warmUp.firstFailure ?? load.firstFailure,
    server: before &&
      after && { ...toUse(after.cpuMs - before.cpuMs, load), residentMbMax: residentMbMax ?? 0 },
  };
}

/**
 * The smallest of the values that at least the `share` of them does not exceed (nearest rank), so always one of them.
 * @param ascending sorted; NaN when empty.
 */
export function percentile(ascending: Float64Array, share: number): number {
  return ascending[Math.max(0, Math.ceil(ascending.length * share) - 1)] ?? Number.NaN;
}

function summarise({ latenciesMs, elapsedMs }: Load) {
  const ascending = Float64Array.from(latenciesMs).sort();
  return {
    requests: latenciesMs.length,
    perSecond: (latenciesMs.length / elapsedMs) * 1_000,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
  };
}

function toUse(cpuMs: number, { latenciesMs, elapsedMs }: Load) {
  return {
    cpuMicrosPerRequest: (cpuMs * 1_000) / latenciesMs.length,
    cpuShare: cpuMs / elapsedMs,
  };
}

function forTime(ms: number, source: RequestSource): RequestSource {
  const endsAt = performance.now() + ms;
  return (lane) => (performance.now() < endsAt ? source(lane) : undefined);
}
