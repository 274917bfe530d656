import { request } from 'undici';
import { z } from 'zod';
import type { Seed } from '../../src/sandbox/seed.ts';
import { getText, startChild } from './child.ts';

/** The imitation of the service, in a process of its own, with its company already there. */
export interface BenchSandbox {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** Calls that it answered since the last `forgetCalls`. */
  countCalls(): Promise<number>;
  /** The last 10,000 of them, the oldest first. */
  listCalls(): Promise<readonly SandboxCall[]>;
  forgetCalls(): Promise<void>;
  /** How many calls it answers in a second from now on, as many as come when undefined. */
  limitRate(requestsPerSecond: number | undefined): Promise<void>;
  stop(): Promise<void>;
}

/** A call as the sandbox met it. */
export interface SandboxCall {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Undefined while it is under way, or when it was cut. */
  readonly status?: number | undefined;
}

const calls = z.object({
  total: z.number(),
  recent: z.array(z.object({ at: z.number(), status: z.number().optional() })),
});

const SERVE = `
  import { startSandbox } from './src/sandbox/sandbox.ts';
  const { url, token } = await startSandbox({ seed: JSON.parse(process.argv[1]) });
  console.log(JSON.stringify({ url, token }));`;

/** Starts it in memory, in the documented shape, without a limit on the rate. */
export async function startBenchSandbox(seed: Seed): Promise<BenchSandbox> {
  const child = await startChild('--input-type=module', ['-e', SERVE, JSON.stringify(seed)]);
  const [url, token] = [getText(child.greeting, 'url'), getText(child.greeting, 'token')];
  const control = async (method: 'GET' | 'DELETE' | 'PATCH', what: string, wish?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = wish === undefined ? null : JSON.stringify(wish);
    const answer = await request(`${url}/_sandbox/${what}`, { method, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${method} ${what}: ${text}`);
    return JSON.parse(text);
  };
  return {
    url,
    token,
    pid: child.pid,
    countCalls: async () => calls.parse(await control('GET', 'calls')).total,
    listCalls: async () => calls.parse(await control('GET', 'calls')).recent,
    forgetCalls: async () => void (await control('DELETE', 'calls')),
    limitRate: async (requestsPerSecond) => {
      await control('PATCH', 'faults', { requestsPerSecond: requestsPerSecond ?? null });
    },
    stop: child.stop,
  };
}
