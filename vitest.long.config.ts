import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** `npm run test:long`: all of what `npm test` plays a selection of, whole bridges on PostgreSQL, and what takes long. */
export default defineConfig({
  test: {
    ...usual.test,
    // Turns of the event loop are measured here: with more room for garbage, a collection would be the longest of them.
    execArgv: [],
    include: [
      'src/reconcile/**/*.test.ts',
      'src/cli/program.test.ts',
      'src/client/paginate.test.ts',
      'src/ops/exports/read-entries.test.ts',
      'src/upstream/{connecting,page-progress}.test.ts',
      'test/**/*.test.ts',
    ],
    provide: { isLong: true },
  },
});
