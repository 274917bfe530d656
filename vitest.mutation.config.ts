import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutation` lets judge: those of what is pure, and of the model. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    provide: { engine: 'sqlite' },
    testTimeout: 100_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    include: [
      'src/{domain,plan,scim,upstream}/**/*.test.ts',
      'src/client/request.test.ts',
      'test/pure/properties/*.test.ts',
      'test/model/{error-table,interleavings}/*.test.ts',
    ],
  },
});
