import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Reads the version of this program, the same from the sources and from the built program. @throws ZodError when its `package.json` has none */
export function readPackageVersion(): string {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
