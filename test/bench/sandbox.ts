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
  forgetCalls(): Promise<void>;
  stop(): Promise<void>;
}

const calls = z.object({ total: z.number() });

/** Starts it in memory, in the documented shape, without a limit on the rate. */
export async function startBenchSandbox(seed: Seed): Promise<BenchSandbox> {
  const child = await startChild('src/sandbox/main.ts', [
    ...toArgument('--seed-users', seed.users),
    ...toArgument('--seed-groups', seed.groups),
    ...toArgument('--seed-group-sizes', seed.groupSizes?.join(',')),
    ...toArgument('--seed-members', seed.membersPerGroup),
  ]);
  const [url, token] = [getText(child.greeting, 'url'), getText(child.greeting, 'token')];
  const control = async (method: 'GET' | 'DELETE') => {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await request(`${url}/_sandbox/calls`, { method, headers });
    return body.json();
  };
  return {
    url,
    token,
    pid: child.pid,
    countCalls: async () => calls.parse(await control('GET')).total,
    forgetCalls: async () => void (await control('DELETE')),
    stop: child.stop,
  };
}

function toArgument(name: string, value: number | string | undefined): string[] {
  return value === undefined ? [] : [name, String(value)];
}
