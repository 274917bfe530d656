import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import usual from './vitest.config.ts';

/** Files that take longest: begun last, they would be waited for alone. */
const LONGEST = ['chaos', 'console', 'pages', 'start-to-stop', 'plan-crash', 'fuzz', 'secrets'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) =>
      LONGEST.some((name) => moduleId.endsWith(`/ci/${name}.test.ts`));
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

/** Each project has its own, and takes all else from here. */
const { include: _, exclude: __, ...shared } = usual.test ?? {};

/** `npm run test:ci`: whole processes, and the bridges of `test/bridge` on PostgreSQL. */
export default defineConfig({
  test: {
    ...shared,
    sequence: { sequencer: LongestFirst },
    projects: [
      toProject('ci', 'test/ci', 'sqlite'),
      toProject('postgresql', 'test/bridge', 'postgres'),
    ],
  },
});

function toProject(name: string, folder: string, engine: 'sqlite' | 'postgres') {
  const include = [`${folder}/**/*.test.ts`];
  return { extends: true as const, test: { name, include, provide: { engine } } };
}
