import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { ThrowAwayPostgres } from './postgres.ts';
import { startPostgres } from './postgres.ts';
import { createStoreTemplates } from './store-templates.ts';
import type { Engine } from './take-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The engine of the bridges' stores: PostgreSQL where `npm run test:ci` runs the bridge layer again. */
    engine: Engine;
    /** A PostgreSQL for this run; undefined where no server binaries are installed. */
    postgresUrl: string | undefined;
    sqliteTemplate: string;
    templateFailure: string | undefined;
  }
}

/** Runs once: one PostgreSQL, and one migrated, empty store per engine, of which every test takes a copy. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgresOrSay();
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-test-'));
  const sqliteTemplate = join(folder, 'template.db');

  project.provide('postgresUrl', postgres?.url);
  project.provide('sqliteTemplate', sqliteTemplate);
  project.provide(
    'templateFailure',
    await failureOf(createStoreTemplates(sqliteTemplate, postgres?.url)),
  );

  return async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

async function startPostgresOrSay(): Promise<ThrowAwayPostgres | undefined> {
  const postgres = await startPostgres();
  if (postgres !== undefined) return postgres;
  const message =
    'No PostgreSQL server binaries (initdb, postgres) in $PGBIN, /usr/lib/postgresql or on the path.';
  if (process.env.CI) throw new Error(`${message} In CI the PostgreSQL half must run.`);
  console.warn(`\n*** ${message}\n*** THE POSTGRESQL HALF OF THE STORE'S TESTS IS SKIPPED.\n`);
  return undefined;
}

/** Broken migrations fail the suites that need a store, not the whole run. */
async function failureOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
