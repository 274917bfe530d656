import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** Folder of the built pages; the same from the sources and from the built program. */
const FOLDER = join(import.meta.dirname, '../../dist/console/ui');

/** One built file, plain and compressed. */
export interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

const firstLoads = z.array(
  z.strictObject({
    /** Address below the console, with `{id}` where an id stands. */
    path: z.string(),
    /** Files of the console. */
    scripts: z.array(z.string()),
    /** Paths below `/ops`. */
    reads: z.array(z.string()),
  }),
);

/** A file that a page loads first, as the build found it (`ui/app/first-loads.ts`). */
export type FirstLoad = z.output<typeof firstLoads>[number];

/** The built pages. */
export interface ConsoleFiles {
  /** Page that loads everything else, with `NONCE` where the nonce belongs. */
  readonly index: string;
  readonly firstLoads: readonly FirstLoad[];
  /** By name; the name changes with the content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** Place of the nonce of the style elements in the page. */
export const NONCE = '__NONCE__';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the built pages; undefined when nothing is built. @throws an error of the file system for everything else */
export async function readConsoleFiles(folder = FOLDER): Promise<ConsoleFiles | undefined> {
  const index = await readOptional(join(folder, 'index.html'));
  if (index === undefined) return undefined;
  const assets = new Map<string, ConsoleFile>();
  for (const name of await readdir(join(folder, 'assets'))) {
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const path = join(folder, 'assets', name);
    assets.set(name, {
      type,
      plain: await readFile(path),
      brotli: await readOptional(`${path}.br`),
      gzip: await readOptional(`${path}.gz`),
    });
  }
  const listed: unknown = JSON.parse(await readFile(join(folder, 'first-loads.json'), 'utf8'));
  return { index: index.toString('utf8'), firstLoads: firstLoads.parse(listed), assets };
}

async function readOptional(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
