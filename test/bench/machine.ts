import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

/** Where and when something was measured. */
export interface Machine {
  readonly description: string;
  readonly node: string;
  /** ISO 8601, a day. */
  readonly date: string;
  /** Short, with `+` when files differ from it; undefined outside a clone. */
  readonly commit: string | undefined;
  /** How many processes wanted a core over the last minute. */
  readonly load: number;
}

/** Describes this machine. @param now the moment to name. */
export function describeMachine(now: Date): Machine {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memoryGb = Math.round(totalmem() / 1_000_000_000);
  return {
    description: `${cpus().length} × ${model}, ${memoryGb} GB, ${process.platform} ${process.arch}`,
    node: process.version,
    date: now.toISOString().slice(0, 10),
    commit: findCommit(),
    load: loadavg()[0] ?? 0,
  };
}

function findCommit(): string | undefined {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, {
        cwd: import.meta.dirname,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();
    const commit = git('rev-parse', '--short', 'HEAD');
    return git('status', '--porcelain') === '' ? commit : `${commit}+`;
  } catch {
    return undefined; // No git or no clone: the table then names no commit.
  }
}
