import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import usual from './vitest.config.ts';

/** Files of `test/ci` that take longest, in this order: begun last, they would be waited for alone. */
const LONGEST = [
  ...['console', 'pages', 'package', 'killed', 'client-package', 'chaos', 'postgres-outage'],
  ...['decisions', 'take-over', 'backup', 'rolling-restart', 'many-comparisons', 'fuzz'],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const toPlace = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return place === -1 ? LONGEST.length : place;
    };
    return sorted.toSorted((a, b) => toPlace(a) - toPlace(b));
  }
}

/** Each project has its own, and takes all else from here. */
const { include: _, exclude: __, ...shared } = usual.test ?? {};

/** What bridges do on PostgreSQL as well: each kind of request, list and comparison once. */
const ON_POSTGRES = [
  'bulk',
  'cursor-paging',
  'drift-policy',
  'lenient-searches',
  'nested-groups',
  'networks',
  'own-extensions',
  'protocol',
  'provider-cases/provider-cases',
  'providers-file',
  'provider-terms',
  'records',
  'refused-whole',
  'report-access',
  'rules-deletion',
  'seats',
  'trace',
];

/** `npm run test:ci`: whole processes, and some bridges of `test/bridge` on PostgreSQL. */
export default defineConfig({
  test: {
    ...shared,
    sequence: { sequencer: LongestFirst },
    // Most of these files start processes of their own.
    maxWorkers: 2 * availableParallelism(),
    projects: [
      toProject('ci', ['test/ci/**/*.test.ts'], 'sqlite', ['test/support/build-program.ts']),
      toProject('postgresql', ON_POSTGRES.map(toBridgeFile), 'postgres'),
    ],
  },
});

function toBridgeFile(name: string): string {
  return `test/bridge/${name}.test.ts`;
}

function toProject(
  name: string,
  include: string[],
  engine: 'sqlite' | 'postgres',
  globalSetup: string[] = [],
) {
  return { extends: true as const, test: { name, include, provide: { engine }, globalSetup } };
}
