import { inject } from 'vitest';

/** The migrated, empty SQLite store to copy. @throws Error with the reason when the migrations failed before the run. */
export function getTemplate(): string {
  const failure = inject('templateFailure');
  if (failure !== undefined) throw new Error(`the migrations failed: ${failure}`);
  return inject('sqliteTemplate');
}
