import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, inject } from 'vitest';
import { openStore } from '../../src/store/engine/database.ts';
import type { Store } from '../../src/store/store.ts';
import { LONG } from './long.ts';
import {
  copyPostgresTemplate,
  copySqliteTemplate,
  createEmptyDatabase,
  databaseUrl,
  dropDatabase,
  emptyDatabase,
} from './store-templates.ts';
import { getTemplate } from './template.ts';

/** What a suite gets for each engine. What is made in a test is closed after it, anything else after the suite. */
export interface StoreSuite {
  readonly engine: Store['engine'];
  /** Opens a store on a fresh database with all tables and no rows. */
  makeStore(): Promise<Store>;
  /**
   * The URL of a fresh database: `migrated` has all tables and no rows, `empty` not even tables. A test that
   * makes or changes tables takes an empty one: other tests use the migrated ones again.
   */
  makeUrl(content: 'migrated' | 'empty'): Promise<string>;
  /** Opens a store, which need not be closed. */
  open(url: string): Promise<Store>;
}

/**
 * Runs the same suite on SQLite and on PostgreSQL (skipped where no PostgreSQL is installed):
 * `describeStores('users', ({ makeStore }) => { test('…', async () => { const store = await makeStore(); … }) })`.
 */
export function describeStores(title: string, suite: (stores: StoreSuite) => void): void {
  describe(`${title} (sqlite)`, () => suite(sqliteSuite()));
  describePostgres(title, suite);
}

/**
 * Runs a suite of whole bridges, or of reads of a whole service, on SQLite in `npm test` and on PostgreSQL in
 * `npm run test:long`: what asks the stores is beside its own tests, which run on both each time.
 */
export function describeBridges(title: string, suite: (stores: StoreSuite) => void): void {
  describe(`${title} (sqlite)`, () => suite(sqliteSuite()));
  describePostgres(title, suite, LONG);
}

/** Runs a suite of bridges that share one PostgreSQL, or lose it, in `npm run test:long`. */
export function describeProcesses(title: string, suite: (stores: StoreSuite) => void): void {
  describePostgres(title, suite, LONG);
}

/** The PostgreSQL half of `describeStores`, for promises that only a server can be asked to keep. */
export function describePostgres(
  title: string,
  suite: (stores: StoreSuite) => void,
  tags: string[] = [],
): void {
  const postgresUrl = inject('postgresUrl');
  describe.skipIf(postgresUrl === undefined)(`${title} (postgres)`, { tags }, () =>
    suite(postgresSuite(postgresUrl ?? '')),
  );
}

function sqliteSuite(): StoreSuite {
  const cleanUpLater = registerCleanUp();

  const makeUrl = async (content: 'migrated' | 'empty') => {
    const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-store-'));
    cleanUpLater(async () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'store.db');
    return content === 'empty' ? `sqlite:${path}` : copySqliteTemplate(getTemplate(), path);
  };
  return toSuite({ engine: 'sqlite', makeUrl, cleanUpLater });
}

/** Making a database takes 100 ms, emptying one takes 5: those that tests have left are kept until the server goes. */
const unused: string[] = [];

function postgresSuite(postgresUrl: string): StoreSuite {
  const cleanUpLater = registerCleanUp();

  const makeUrl = async (content: 'migrated' | 'empty') => {
    getTemplate();
    const known = content === 'migrated' ? unused.pop() : undefined;
    const name = known ?? uniqueName();
    if (content === 'empty') {
      cleanUpLater(() => dropDatabase(postgresUrl, name));
      return createEmptyDatabase(postgresUrl, name);
    }
    cleanUpLater(async () => {
      if (await emptyDatabase(postgresUrl, name)) unused.push(name);
      else await dropDatabase(postgresUrl, name);
    });
    return known === undefined
      ? copyPostgresTemplate(postgresUrl, name)
      : databaseUrl(postgresUrl, name);
  };
  return toSuite({ engine: 'postgres', makeUrl, cleanUpLater });
}

type CleanUp = () => Promise<void>;

/**
 * Registers the hooks of the surrounding `describe`. What the returned function is given runs, last first,
 * after the test that runs now, or after the suite when no test runs (in `beforeAll`).
 */
function registerCleanUp(): (cleanUp: CleanUp) => void {
  const afterSuite: CleanUp[] = [];
  const afterTest: CleanUp[] = [];
  let current = afterSuite;
  beforeEach(({ onTestFinished }) => {
    current = afterTest;
    // Before any of the test itself, so that it runs after all of them: what still uses a database is stopped first.
    onTestFinished(async () => {
      for (const cleanUp of afterTest.splice(0).reverse()) await cleanUp();
      current = afterSuite;
    });
  });
  afterAll(async () => {
    for (const cleanUp of afterSuite.splice(0).reverse()) await cleanUp();
  });
  return (cleanUp) => void current.push(cleanUp);
}

function toSuite(suite: {
  engine: Store['engine'];
  makeUrl: StoreSuite['makeUrl'];
  cleanUpLater: (cleanUp: CleanUp) => void;
}): StoreSuite {
  const { engine, makeUrl, cleanUpLater } = suite;
  const open = async (url: string) => {
    const store = await openStore({ url, connectionsMax: 4 });
    cleanUpLater(() => store.close());
    return store;
  };
  return { engine, makeUrl, open, makeStore: async () => open(await makeUrl('migrated')) };
}

function uniqueName(): string {
  return `t_${randomBytes(8).toString('hex')}`;
}
