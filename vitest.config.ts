import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED_BYTES = 2 * 1_024 ** 3;
// What one worker compiles, the others and the next run take from here. Workers are given the environment as it is now.
process.env.NODE_COMPILE_CACHE ??= join(
  import.meta.dirname,
  'node_modules/.cache/scim-bridge-tests',
);

/** `npm test`: all but `test/ci`. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/ci/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    provide: { engine: 'sqlite' },
    // A busy machine is slow, not wrong: these only end what will never come.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    isolate: false,
    // Most of what a test makes is forgotten at once: with more room for it, less is collected.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64', '--single-threaded-gc'],
    // Node reads TypeScript by itself, and no module is mocked: nothing is transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // By default one core stays idle, which on two cores is half of them; and tests wait as well as work. As a
    // percentage it would be cut to the number of cores.
    maxWorkers: 2 * availableParallelism(),
    // Every commit waits for the disk. No test takes the power away, so a file system in memory proves the same.
    env: hasMemoryFolder() ? { TMPDIR: MEMORY_FOLDER } : {},
  },
});

/** Containers often have one of 64 MiB, which is too small. */
function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_NEEDED_BYTES;
  } catch {
    return false;
  }
}
