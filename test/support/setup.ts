// Vitest's own hook tells its main process of every import, which only `vitest --watch` needs.
if (process.env.VITEST_MODE !== 'WATCH') await import('./quick-imports.ts');
