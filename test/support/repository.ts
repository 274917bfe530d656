import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the project. */
export const root = join(import.meta.dirname, '../..');

/** The text of a file of the project. */
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** What `package.json` says. */
export const packageJson: {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
} = JSON.parse(read('package.json'));

/** The command line, from the project's folder: as it is built where that was done before the tests, or its sources. */
export const program = process.env.BRIDGE_PROGRAM ?? 'src/cli/bin.mjs';
