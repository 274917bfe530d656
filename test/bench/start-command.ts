import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = z.object({ scripts: z.object({ start: z.string() }) });

/** How `npm start` runs node. */
export interface StartCommand {
  readonly args: string[];
  readonly env: Record<string, string>;
}

/**
 * Builds the project and tells how `npm start` runs node, so that what is measured is what people run.
 * @throws Error when the script is no plain call of node.
 */
export function buildForStart(): StartCommand {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const { scripts } = manifest.parse(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));
  const [variables, args] = scripts.start.split('exec node ');
  if (variables === undefined || args === undefined) {
    throw new Error(`npm start is no plain call of node: ${scripts.start}`);
  }
  const env = Object.fromEntries(
    variables
      .split(' ')
      .filter(Boolean)
      .map((variable) => [variable.split('=')[0] ?? '', variable.split('=')[1] ?? '']),
  );
  return { args: args.split(' '), env };
}
