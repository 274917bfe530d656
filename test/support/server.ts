import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { program } from './repository.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const startTimeoutMs = 120_000;
const stopTimeoutMs = 60_000;
const pollMs = 10;

/** A bridge that runs in a process of its own. */
export type BridgeProcess = Awaited<ReturnType<typeof startBridge>>;

/**
 * Starts `scim-bridge serve` on a free port of loopback, with its store and its sandbox in `folder`, and waits
 * until it has printed where it listens. Starting again in the same folder is a restart.
 * @param env further settings. Nothing else of this process's environment reaches the bridge.
 * @throws Error with its output when it ends first or prints nothing for two minutes.
 */
export async function startBridge(options: StartOptions) {
  const { child, output } = launch(options);
  const { baseUrl, token } = await printedAddress(child, output, options.env?.SCIM_TOKENS);
  return {
    baseUrl,
    token,
    pid: child.pid ?? 0,
    output,
    /** Resolves when `/readyz` says 200. @throws Error after two minutes, or as long as the caller has patience. */
    ready: (patienceMs = startTimeoutMs) =>
      waitUntilReady(new URL('/readyz', baseUrl), { child, output, patienceMs }),
    stop: () => stop(child, output),
    kill: () => kill(child),
    freeze: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
  };
}

interface StartOptions {
  folder: string;
  env?: Record<string, string>;
  /** Arguments of node, from the project's folder; the bridge is served when left out. */
  command?: readonly string[];
}

/** Starts a bridge that is not meant to serve, and waits for its end. @throws Error when it goes on for two minutes. */
export async function runToEnd(
  options: StartOptions,
): Promise<{ exitCode: number | null; errors: string; output: string }> {
  const { child, errors, output } = launch(options);
  const closed = once(child, 'close', { signal: AbortSignal.timeout(startTimeoutMs) });
  try {
    await closed;
  } catch (cause) {
    await kill(child);
    throw new Error(`the bridge did not end by itself:\n${output()}`, { cause });
  }
  return { exitCode: child.exitCode, errors: errors(), output: output() };
}

type Launched = ReturnType<typeof launch>;

function launch({ folder, env = {}, command = [program, 'serve'] }: StartOptions) {
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
      SANDBOX_FILE: join(folder, 'sandbox.db'),
      // No proxy has to learn that it stops.
      SHUTDOWN_DELAY: '0',
      ...env,
    },
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));
  const all: string[] = [];
  const errors: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => all.push(chunk));
  child.stderr.on('data', (chunk: string) => errors.push(chunk));
  return { child, output: () => all.join(''), errors: () => errors.join('') };
}

async function printedAddress(
  child: ChildProcess,
  output: () => string,
  givenTokens: string | undefined,
): Promise<{ baseUrl: string; token: string }> {
  const deadline = AbortSignal.timeout(startTimeoutMs);
  while (!deadline.aborted && isRunning(child)) {
    const baseUrl = /^SCIM base URL\s+(\S+)$/m.exec(output())?.[1];
    const token = givenTokens?.split(',')[0] ?? /^SCIM token\s+(\S+)$/m.exec(output())?.[1];
    if (baseUrl !== undefined && token !== undefined) return { baseUrl, token };
    await sleep(pollMs);
  }
  await kill(child);
  throw new Error(`the bridge did not say where it listens:\n${output()}`);
}

async function waitUntilReady(
  url: URL,
  { child, output, patienceMs }: Pick<Launched, 'child' | 'output'> & { patienceMs: number },
): Promise<void> {
  const deadline = AbortSignal.timeout(patienceMs);
  while (!deadline.aborted && isRunning(child)) {
    if (await isReady(url)) return;
    await sleep(pollMs);
  }
  throw new Error(`the bridge did not become ready:\n${output()}`);
}

/** A bridge that has much to read may leave a connection waiting until it is cut. */
async function isReady(url: URL): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url);
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

async function stop(child: ChildProcess, output: () => string): Promise<number | null> {
  if (!isRunning(child)) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const giveUp = new AbortController();
  const isLate = sleep(stopTimeoutMs, true, { signal: giveUp.signal }).catch(() => false);
  const late = await Promise.race([exited.then(() => false), isLate]);
  giveUp.abort();
  if (!late) return child.exitCode;
  await kill(child);
  throw new Error(`the bridge did not stop on SIGTERM:\n${output()}`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
