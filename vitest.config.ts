import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED_BYTES = 2 * 1_024 ** 3;
/** Files that take ten seconds and more, most of which they wait: begun last, they would be waited for alone. */
const LONGEST = [
  'chaos',
  'start-refused',
  'start-to-stop',
  'secrets',
  'console/console',
  'console/pages',
  'flat-memory',
  'lost-answers',
  'answers',
  'error-table',
  'sweep-incomplete',
  'sweep',
  'drift-policy',
  'rules-attempts',
  'other-service',
  'plan-crash',
  'command-line',
  'rules-wait',
  'fuzz',
  'package',
  'postgres-outage',
  'rolling-restart',
  'parallel-members',
];

/** Begins with the files that take longest; the others follow by their size, as vitest has it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => toRank(one) - toRank(other));
  }
}

function toRank({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return rank < 0 ? LONGEST.length : rank;
}

// What one worker compiles, the others and the next run take from here. Workers are given the environment as it is now.
process.env.NODE_COMPILE_CACHE ??= join(
  import.meta.dirname,
  'node_modules/.cache/scim-bridge-tests',
);

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    provide: { isLong: false },
    tags: [{ name: 'long', description: 'Only in `npm run test:long`.' }],
    sequence: { sequencer: LongestFirst },
    // A busy machine is slow, not wrong: these only end what will never come.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // The machine of a check is busy with all tests at once: what fails by chance is tried again, what is wrong fails again.
    retry: process.env.CI === 'true' ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
    isolate: false,
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
