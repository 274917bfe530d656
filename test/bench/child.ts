import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A program of ours in a process of its own. */
export interface Child {
  readonly pid: number;
  /** The JSON line by which it said that it serves. */
  readonly greeting: JsonObject;
  stop(): Promise<void>;
}

/**
 * Runs a TypeScript file and waits for its first line, a JSON object. It ends with this process.
 * @param script from the root of the project.
 * @throws Error when it ends without one; what it wrote to stderr is shown as it comes.
 */
export async function startChild(script: string, args: readonly string[]): Promise<Child> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', (code, signal) => {
    process.off('exit', killWithUs);
    // We end it by SIGKILL alone; anything else explains why requests fail from now on.
    if (signal !== 'SIGKILL') console.error(`${script} ended by itself: ${signal ?? code}`);
  });
  for await (const line of createInterface(child.stdout)) {
    const greeting: unknown = JSON.parse(line);
    if (!isJsonObject(greeting)) break;
    child.stdout.resume();
    return { pid: child.pid ?? 0, greeting, stop: () => stop(child) };
  }
  killWithUs();
  throw new Error(`${script} did not say that it serves`);
}

/** A field of a greeting. @throws Error when it is no text. */
export function getText(greeting: JsonObject, name: string): string {
  const value = greeting[name];
  if (typeof value === 'string') return value;
  throw new Error(`no ${name} in ${JSON.stringify(greeting)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL'); // It holds nothing that is worth a graceful end.
  await exited;
}
