import type { Migration } from 'kysely/migration';
import type { Engine } from '../store.ts';
import { initial } from './001-initial.ts';

/** Migrations in order, by name. A released one is never edited. */
export function migrations(engine: Engine): Record<string, Migration> {
  return { '001-initial': initial(engine) };
}
