import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 20_000,
    isolate: false,
    // By default one core stays idle, which on two cores is half of them; and tests wait as well as work.
    maxWorkers: '200%',
  },
});
