import { readFileSync } from 'node:fs';

/** Linux counts the processor time that it shows to programs in hundredths of a second, on every architecture. */
const tickMs = 10;

/** What Linux says of a running process; elsewhere nothing is known. */
export interface ProcessFacts {
  /** Resident memory, in MB (10^6 bytes). */
  readonly residentMb: number;
  /** The most resident memory since its start, in MB: also what nobody looked at. */
  readonly peakResidentMb: number;
  /** Processor time since its start, of all its threads; in steps of 10 ms. */
  readonly cpuMs: number;
}

/** Reads `/proc`. Undefined where there is no such thing, or where the process is not known. */
export function findProcessFacts(pid: number | undefined): ProcessFacts | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    residentMb: parseMemoryMb(status, 'VmRSS'),
    peakResidentMb: parseMemoryMb(status, 'VmHWM'),
    cpuMs: parseCpuMs(readFileSync(`/proc/${pid}/stat`, 'utf8')),
  };
}

/** Resident memory now or at its most, of `/proc/<pid>/status`. @see man proc_pid_status(5) */
function parseMemoryMb(status: string, name: 'VmRSS' | 'VmHWM'): number {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`no ${name} in ${status}`);
  return (Number(kibibytes) * 1_024) / 1_000_000;
}

/** User and system time of `/proc/<pid>/stat`. @see man proc_pid_stat(5), fields 14 and 15 */
function parseCpuMs(stat: string): number {
  // The second field, the name, may hold spaces and parentheses; the third begins after its last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
