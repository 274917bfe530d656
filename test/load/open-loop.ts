import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { createSender, type Failure, type LoadRequest, type Sender } from '../bench/load-client.ts';
import { percentile } from '../bench/measure.ts';
import type { ScimTarget } from '../bench/scim-target.ts';

/** How long answers took, from the moment the request was to be sent; milliseconds. */
export interface Latency {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** What came of requests that left on schedule. */
export interface OpenLoad {
  readonly sent: number;
  readonly failures: number;
  readonly firstFailure: Failure | undefined;
  readonly reads: Latency;
  readonly writes: Latency;
  /** From the first request until the last answer. */
  readonly elapsedMs: number;
}

/** When which requests leave. */
export interface Schedule {
  readonly requestsPerSecond: number;
  readonly seconds: number;
  readonly next: () => LoadRequest;
}

/** Of each target: enough that a request seldom waits for one, although hundreds of writes wait for the service. */
const connections = 512;

/**
 * Sends requests evenly spaced, to one target after another, however long the answers take: a bridge that stands still
 * gets no fewer, and each one counts from when it was to be sent.
 */
export async function sendOnSchedule(
  targets: readonly ScimTarget[],
  { requestsPerSecond, seconds, next }: Schedule,
): Promise<OpenLoad> {
  const lines = targets.map(openLine);
  const taken = { reads: [] as number[], writes: [] as number[] };
  const failures: Failure[] = [];
  const answers: Promise<void>[] = [];
  const count = Math.round(requestsPerSecond * seconds);
  const startedAt = performance.now();
  for (let n = 0; n < count; n += 1) {
    const leavesAt = startedAt + (n * 1_000) / requestsPerSecond;
    await waitUntil(leavesAt);
    const [request, line] = [next(), lines[n % lines.length]];
    if (line === undefined) throw new RangeError('nobody to send to');
    const answered = line.send(line.pool, request).then((failure) => {
      const times = request.method === 'GET' ? taken.reads : taken.writes;
      times.push(performance.now() - leavesAt);
      if (failure !== undefined) failures.push(failure);
    });
    answers.push(answered);
  }
  await Promise.all(answers);
  const elapsedMs = performance.now() - startedAt;
  await Promise.all(lines.map(({ pool }) => pool.close()));
  return {
    sent: count,
    failures: failures.length,
    firstFailure: failures[0],
    reads: toLatency(taken.reads),
    writes: toLatency(taken.writes),
    elapsedMs,
  };
}

/** Timers may fire a little early. */
async function waitUntil(ms: number): Promise<void> {
  for (let left = ms - performance.now(); left > 0; left = ms - performance.now())
    await sleep(left);
}

interface Line {
  readonly pool: Dispatcher;
  readonly send: Sender;
}

function openLine(target: ScimTarget): Line {
  return {
    pool: new Pool(new URL(target.baseUrl).origin, { connections }),
    send: createSender(target),
  };
}

function toLatency(timesMs: readonly number[]): Latency {
  const ascending = Float64Array.from(timesMs).sort();
  return {
    requests: ascending.length,
    p50Ms: percentile(ascending, 0.5),
    p99Ms: percentile(ascending, 0.99),
    maxMs: percentile(ascending, 1),
  };
}
