import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

/** Parses the version in the text of a `package.json`. @throws ZodError when there is none. */
export function parsePackageVersion(text: string): string {
  return packageSchema.parse(JSON.parse(text)).version;
}
