import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutation` lets judge: those of what is pure, and of what decides on errors. */
export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    include: [
      'src/{domain,plan}/*.test.ts',
      'src/reconcile/{backoff,failure,verdict}.test.ts',
      'src/scim/{dialect,filter,patch}/*.test.ts',
      'src/client/request.test.ts',
      'src/upstream/*.test.ts',
    ],
  },
});
