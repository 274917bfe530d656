import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { z } from 'zod';
import type { Seed } from '../../src/sandbox/directory.ts';

/** The imitation of the service, in a process of its own, with its company already there. */
export interface BenchSandbox {
  readonly url: string;
  readonly token: string;
  /** Calls that it answered since the last `forgetCalls`. */
  countCalls(): Promise<number>;
  forgetCalls(): Promise<void>;
  stop(): Promise<void>;
}

const Greeting = z.object({ url: z.string(), token: z.string() });
const Calls = z.object({ total: z.number() });
const root = fileURLToPath(new URL('../..', import.meta.url));

const SERVE = `
  import { startSandbox } from './src/sandbox/sandbox.ts';
  const { url, token } = await startSandbox({ seed: JSON.parse(process.argv[1]) });
  console.log(JSON.stringify({ url, token }));`;

/** Starts it in memory, in the documented shape, without a limit on the rate. @throws Error when it ends without serving */
export async function startBenchSandbox(seed: Seed): Promise<BenchSandbox> {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', SERVE, JSON.stringify(seed)],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit'),
  ]);
  const { url, token } = Greeting.parse(JSON.parse(String(line)));
  child.stdout.resume();
  const control = async (method: 'GET' | 'DELETE') => {
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await request(`${url}/_sandbox/calls`, { method, headers });
    return body.json();
  };
  return {
    url,
    token,
    countCalls: async () => Calls.parse(await control('GET')).total,
    forgetCalls: async () => void (await control('DELETE')),
    async stop() {
      process.off('exit', killWithUs);
      const exited = once(child, 'exit');
      child.kill('SIGKILL'); // It holds nothing that is worth a graceful end.
      await exited;
    },
  };
}
