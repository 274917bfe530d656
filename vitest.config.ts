import { statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const MEMORY_FOLDER = '/dev/shm';
const MEMORY_NEEDED_BYTES = 2 * 1_024 ** 3;
/** Files that take longest with `npm run test:long`: begun last, they would be waited for alone. */
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
  'plan-crash',
  'fuzz',
  'package',
  'postgres-outage',
  'rolling-restart',
  'parallel-members',
];
/** Files that mostly wait: one beside another they would leave the processor idle. */
const WAITING = [
  'notifications',
  'issuer-keys',
  'written-drifts',
  'late-effects',
  'other-service',
  'leavers',
  'redirects',
  'sweep-incomplete',
  'sweep',
  'entity-roles',
  'recovery',
  'provider-cases',
  'named-tokens',
  'other-answers',
  'drift-policy',
  'rules-attempts',
  'provider-plan',
  'command-line',
  'rules-handover',
  'sweep-alone',
  'connecting',
  'client-assertion',
  'not-applied',
  'rules-lost-create',
  'rules-wait',
];

/** Begins with the files that take longest, and then one that waits among several that work. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const [longest, short] = split(sorted, LONGEST);
    const [waiting, working] = split(short, WAITING);
    const between = Math.max(1, Math.floor(working.length / 2 / Math.max(1, waiting.length)));
    const mixed = working.flatMap((file, place) =>
      place % between === 0 ? [...waiting.splice(0, 1), file] : [file],
    );
    return [...longest, ...waiting, ...mixed];
  }
}

/** Splits files into those of these names, in the order of the names, and all others. */
function split(files: readonly TestSpecification[], names: readonly string[]) {
  const toRank = ({ moduleId }: TestSpecification) =>
    names.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  const named = files.filter((file) => toRank(file) >= 0);
  const ranked = named.toSorted((one, other) => toRank(one) - toRank(other));
  return [ranked, files.filter((file) => toRank(file) < 0)] as const;
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
    setupFiles: ['test/support/setup.ts'],
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
    // Most of what a test makes is forgotten at once: with more room for it, less is collected.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64', '--single-threaded-gc'],
    // Node reads TypeScript by itself, and no module is mocked: nothing is transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // By default one core stays idle, which on two cores is half of them; and tests wait as well as work. As a
    // percentage it would be cut to the number of cores.
    maxWorkers: 3 * availableParallelism(),
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
