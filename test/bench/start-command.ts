import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = z.object({ scripts: z.object({ start: z.string() }) });

/**
 * Builds the project and tells with what arguments `npm start` runs node, so that what is measured is what
 * people run. @throws Error when the script is no plain call of node.
 */
export function buildForStart(): string[] {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const { scripts } = manifest.parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));
  const found = /^exec node (?<args>.+)$/.exec(scripts.start);
  if (!found?.groups?.args) throw new Error(`npm start is no plain call of node: ${scripts.start}`);
  return found.groups.args.split(' ');
}
