import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { startBridge } from '../support/server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const STARTS = 3;

/** How long a start takes, the best of three, in milliseconds: what else the machine does can only add to it. */
export interface StartTime {
  /** From the start of the process until `/readyz` says 200, with a store that is known; to 20 ms. */
  readonly readyMs: number;
  /** A process that loads express and SQLite, and ends. */
  readonly expressMs: number;
  /** The resident memory of such a process, in MB (10^6 bytes). */
  readonly expressMb: number;
}

/** Starts a bridge again and again in the folder of one that has stopped. */
export async function timeStarts(options: Parameters<typeof startBridge>[0]): Promise<StartTime> {
  const readyMs: number[] = [];
  const express: ReturnType<typeof startExpress>[] = [];
  for (let count = 0; count < STARTS; count += 1) {
    const startedAt = performance.now();
    const bridge = await startBridge(options);
    await bridge.ready();
    readyMs.push(performance.now() - startedAt);
    await bridge.stop();
    express.push(startExpress());
  }
  return {
    readyMs: Math.min(...readyMs),
    expressMs: Math.min(...express.map(({ ms }) => ms)),
    expressMb: Math.min(...express.map(({ mb }) => mb)),
  };
}

function startExpress(): { ms: number; mb: number } {
  const startedAt = performance.now();
  const program =
    "await import('express'); await import('node:sqlite'); console.log(process.memoryUsage.rss())";
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
  });
  return { ms: performance.now() - startedAt, mb: z.coerce.number().min(1).parse(stdout) / 1e6 };
}
