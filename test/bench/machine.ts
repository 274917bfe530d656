import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICK_MS = 10;

/** Resident memory in MB (10^6 bytes), and processor time since the start in milliseconds. */
export interface ProcessFacts {
  readonly residentMb: number;
  readonly cpuMs: number;
}

/** Reads `/proc`; undefined where there is none. @see man proc_pid_stat(5), fields 14 and 15 */
export function findProcessFacts(pid: number): ProcessFacts | undefined {
  if (process.platform !== 'linux') return undefined;
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the name, may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    residentMb: (Number(kibibytes) * 1_024) / 1_000_000,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
  };
}

/** Binds all threads of a process to one core. False where that is not possible. */
export function bindToCore(pid: number, core: number): boolean {
  const args = ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)];
  try {
    execFileSync('taskset', args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
