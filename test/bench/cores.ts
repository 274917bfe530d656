import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One core for what is measured, another for what surrounds it; undefined where processes cannot be bound to cores. */
export interface Cores {
  readonly measured: number;
  readonly surroundings: number;
}

/** Two cores that this process may use, or undefined: not Linux, no `taskset`, or a single core. */
export function findCores(): Cores | undefined {
  if (process.platform !== 'linux') return undefined;
  const [measured, surroundings] = parseCoreList(
    /^Cpus_allowed_list:\s+(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '',
  );
  if (measured === undefined || surroundings === undefined || !hasTaskset()) return undefined;
  return { measured, surroundings };
}

/** The cores of a list as Linux writes it: `0-2,7` is 0, 1, 2 and 7. @see man cpuset(7), "List format" */
function parseCoreList(list: string): readonly number[] {
  return [...list.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index),
  );
}

/** Binds all threads of a process, and those it starts later, to one core. */
export function bindToCore(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
