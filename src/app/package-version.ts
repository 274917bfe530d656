import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

/** The same from the sources and from the built program. */
const packageFile = join(import.meta.dirname, '../../package.json');

/** Reads the version of this program. @throws ZodError when its `package.json` has none */
export function readPackageVersion(): string {
  return packageSchema.parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version;
}
