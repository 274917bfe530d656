import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** True when Prometheus' own tool is installed. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Reason for which a test is left out. */
export const NO_PROMTOOL = 'promtool is not installed: apt-get install prometheus';

/** Runs promtool on texts as files beside each other, of which it is given those that begin with `test`, or the first; returns all that it says. */
export function runPromtool(
  command: readonly string[],
  files: Readonly<Record<string, string>>,
): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-promtool-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const names = Object.keys(files);
    const tests = names.filter((name) => name.startsWith('test'));
    const given = tests.length > 0 ? tests : names.slice(0, 1);
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync('promtool', [...command, ...given], options);
    return { status, output: `${stdout}${stderr}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
