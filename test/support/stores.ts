import { afterAll, beforeEach, describe, inject } from 'vitest';
import { openStore } from '../../src/store/engine/database.ts';
import type { Store } from '../../src/store/store.ts';
import type { Engine } from './take-store.ts';
import { takeStore } from './take-store.ts';

/** What a suite gets for each engine. What is made in a test is closed after it, anything else after the suite. */
export interface StoreSuite {
  readonly engine: Store['engine'];
  makeStore(): Promise<Store>;
  /** The URL of a fresh database: `migrated` has all tables and no rows, `empty` not even tables. */
  makeUrl(content: 'migrated' | 'empty'): Promise<string>;
  open(url: string): Promise<Store>;
}

/** Runs the same suite on SQLite and on PostgreSQL (skipped where no PostgreSQL is installed). */
export function describeStores(title: string, suite: (stores: StoreSuite) => void): void {
  describeSqlite(`${title} (sqlite)`, suite);
  describePostgres(title, suite);
}

/** The SQLite half of `describeStores`, for what asks the stores: what they answer is beside their own tests. */
export function describeSqlite(title: string, suite: (stores: StoreSuite) => void): void {
  describe(title, () => suite(makeSuite('sqlite')));
}

/** The PostgreSQL half of `describeStores`: what only a server can be asked to keep, and processes that share one. */
export function describePostgres(title: string, suite: (stores: StoreSuite) => void): void {
  describe.skipIf(inject('postgresUrl') === undefined)(`${title} (postgres)`, () =>
    suite(makeSuite('postgres')),
  );
}

function makeSuite(engine: Engine): StoreSuite {
  const cleanUpLater = registerCleanUp();
  const makeUrl = async (content: 'migrated' | 'empty') => {
    const { url, giveBack } = await takeStore(engine, content);
    cleanUpLater(giveBack);
    return url;
  };
  const open = async (url: string) => {
    const store = await openStore({ url });
    cleanUpLater(() => store.close());
    return store;
  };
  return { engine, makeUrl, open, makeStore: async () => open(await makeUrl('migrated')) };
}

type CleanUp = () => Promise<void>;

/** Registers the hooks of the surrounding `describe`; clean-ups run, last first, after the test or the suite. */
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
