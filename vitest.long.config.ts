import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** `npm run test:long`: all schedules of what `npm test` plays a selection of, and what goes on for long. */
export default defineConfig({
  test: {
    ...usual.test,
    include: ['test/{chaos,repairs-by-the-hour}.test.ts', 'test/{fuzz,interleavings}/*.test.ts'],
    provide: { isLong: true },
  },
});
