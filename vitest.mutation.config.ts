import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutation` lets judge: of what is pure, without a store. */
export default defineConfig({
  test: {
    include: [
      'src/{domain,plan}/*.test.ts',
      'src/reconcile/{backoff,failure,retry-columns,verdict}.test.ts',
      'src/scim/{dialect,filter,patch}/*.test.ts',
      'src/upstream/*.test.ts',
    ],
  },
});
